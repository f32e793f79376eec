#include "tendril/rods/der/one_step.hpp"

#include <algorithm>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/linalg/block_columns.hpp"
#include "tendril/rods/der/factor_kernels.hpp"
#include "tendril/rods/der/group_step.hpp"
#include "tendril/rods/der/rod.hpp"

namespace tendril::der {
namespace {

using B = BlockColumns;
constexpr std::size_t slot_values = SlotLayout::components;

}  // namespace

StepReport OneStep::linearise(const Strands& strands, const Targets& targets, const StepOptions& options,
                              const State& state) {
  strands_ = &strands, targets_ = &targets, options_ = &options, state_ = &state, iterate_ = nullptr;
  const auto w = std::size_t(strands.lanes());
  increments_.clear();
  for (const Strands::Group& group : strands.groups()) increments_.append(std::size_t(group.vertices) * 4 * w, 0.0);
  start_velocities_.shape_like(increments_), free_velocities_.shape_like(increments_);
  factors_.resize(strands.size());
  return linearise_groups();
}

StepReport OneStep::linearise_at(const State& iterate) {
  iterate_ = &iterate;
  return linearise_groups();
}

StepReport OneStep::linearise_groups() {
  prepare(*strands_, work_);
  parallel_for(strands_->groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupScratch& scratch = work_.threads[std::size_t(worker_index())];
    GroupStep step(*strands_, *targets_, *options_, *state_, g, scratch);
    work_.groups[g] = iterate_ == nullptr ? step.linearise_at_start() : step.linearise_at(iterate_->current[g]);
    if (g == 0) step_ = step.step(), has_start_velocity_ = !step.plain_euler();
    std::copy_n(scratch.increment.begin(), increments_[g].size(), increments_[g].begin());
    store_velocities(g, step);
    store_factors(g, scratch);
  });
  return summary(work_.groups);
}

void OneStep::store_velocities(std::size_t g, const GroupStep& step) {
  const int w = strands_->lanes();
  for (int k = 0; k < strands_->groups()[g].vertices; ++k)
    for (int c = 0; c < 4; ++c)
      for (int lane = 0; lane < w; ++lane) {
        const std::size_t i = stream_at(k, 4, c, w, std::size_t(lane));
        start_velocities_[g][i] = step.start_velocity(k, c, lane);
        const double here = iterate_ == nullptr
                                ? start_velocities_[g][i]
                                : iterate_->current[g][state_at(k, StateLayout::velocity + c, w, std::size_t(lane))];
        free_velocities_[g][i] = here + increments_[g][i] / step.step();
      }
}

// Held unknowns get a pivot of 0, which solves leave at 0.
void OneStep::store_factors(std::size_t g, const GroupScratch& scratch) {
  const auto w = std::size_t(strands_->lanes());
  const Strands::Group& group = strands_->groups()[g];
  for (std::size_t lane = 0; lane < std::size_t(group.owned); ++lane) {
    BlockFactor& factor = factors_[group.strands[lane]];
    const int begin = group.real_begin[lane];
    factor.vertices = group.vertices - begin;
    factor.first = group.first[lane] - begin;
    factor.slots.resize(std::size_t(factor.vertices) * slot_values);
    for (std::size_t i = 0; i < factor.slots.size(); ++i)
      factor.slots[i] = scratch.slots[(std::size_t(begin) * slot_values + i) * w + lane];
    for (int k = 0; k < factor.vertices; ++k) {
      const int hold = group.hold_of[std::size_t(begin + k)];
      for (int c = 0; hold >= 0 && c < 4; ++c)
        if (targets_->holds[g][(std::size_t(hold) * HoldLayout::components + std::size_t(c)) * w + lane] == 0.0)
          factor.slots[std::size_t(k) * slot_values + std::size_t(B::at(c, c))] = 0.0;
    }
  }
}

void OneStep::gather(const GroupStreams& velocities, std::size_t block, std::span<double> out) const {
  const Strands::Place place = strands_->place(block);
  const auto w = std::size_t(strands_->lanes());
  const double* from = velocities[place.group].data() + std::size_t(place.first) * 4 * w + std::size_t(place.lane);
  for (double& to : out) to = *from, from += w;
}

void OneStep::start_velocity(std::size_t block, std::span<double> out) const { gather(start_velocities_, block, out); }
void OneStep::free_velocity(std::size_t block, std::span<double> out) const { gather(free_velocities_, block, out); }

// Above the first vertex that is pushed, forward substitution leaves zeros, and what backward substitution puts there
// need not be asked for: such columns are those of a shorter strand.
void OneStep::solve(std::size_t block, std::size_t columns, bool downwards, std::span<double> out) const {
  if (columns == 1 && !downwards) return solve_column(block, out);
  const BlockFactor& factor = factors_[block];
  const auto w = std::size_t(strands_->lanes());
  const std::size_t size = block_size(block);
  const double scale = 1.0 / (step_ * step_);  // A = h^2 times the factorised matrix
  thread_local Stream lanes;
  lanes.resize(std::size_t(factor.vertices) * 4 * w);
  for (std::size_t begin = 0; begin < columns; begin += w) {
    const std::size_t count = std::min(w, columns - begin);
    const auto column = [&](std::size_t c) { return out.subspan((begin + c) * size, size); };
    std::size_t first = size;
    for (std::size_t c = 0; downwards && c < count; ++c)
      first = std::min(
          first, std::size_t(std::ranges::find_if(column(c), [](double x) { return x != 0.0; }) - column(c).begin()));
    const std::size_t top = downwards ? first / 4 : 0;  // vertex
    const std::size_t ghosts = downwards ? 0 : std::size_t(factor.first), shift = 4 * ghosts;
    const std::size_t skipped = std::size_t(factor.first) + top - ghosts;
    std::fill_n(lanes.begin(), (std::size_t(factor.vertices) - skipped) * 4 * w, 0.0);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t i = 4 * top; i + 1 < size; ++i) lanes[(shift + i - 4 * top) * w + c] = scale * column(c)[i];
    strands_->kernels().solve_columns(factor.vertices - int(skipped), factor.slots.data() + skipped * slot_values,
                                      lanes.data());
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t i = 4 * top; i + 1 < size; ++i) column(c)[i] = lanes[(shift + i - 4 * top) * w + c];
      column(c).back() = 0.0;
    }
  }
}

void OneStep::solve_column(std::size_t block, std::span<double> out) const {
  const BlockFactor& factor = factors_[block];
  const std::size_t ghosts = 4 * std::size_t(factor.first);
  const double scale = 1.0 / (step_ * step_);
  thread_local Stream column;
  column.resize(std::size_t(factor.vertices) * 4);
  std::fill_n(column.begin(), ghosts, 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) column[ghosts + i] = scale * out[i];
  column[ghosts + out.size() - 1] = 0.0;
  factor_kernels(strands_->isa()).solve_column(factor.vertices, factor.slots.data(), column.data());
  std::copy_n(column.begin() + std::ptrdiff_t(ghosts), out.size() - 1, out.begin());
  out.back() = 0.0;
}

void OneStep::point_compliance(std::size_t block, std::span<const MaterialPoint> points, float* rows) const {
  const BlockFactor& factor = factors_[block];
  thread_local std::vector<CompliancePoint> places;
  thread_local Stream work;
  places.clear();
  for (const MaterialPoint& point : points) places.push_back({factor.first + int(point.element), point.along});
  work.assign(compliance_work(int(points.size())), 0.0);
  factor_kernels(strands_->isa())
      .point_compliance(factor.vertices, factor.slots.data(), places.data(), int(places.size()), 1.0 / (step_ * step_),
                        work.data(), rows);
}

// Most vertices have no hold, which is known without a look at their factors.
// No axis of it is free.
bool OneStep::is_held(std::size_t block, std::size_t vertex) const {
  const Strands::Place place = strands_->place(block);
  if (strands_->groups()[place.group].hold_of[std::size_t(place.first) + vertex] < 0) return false;
  const BlockFactor& factor = factors_[block];
  const double* slot = &factor.slots[(std::size_t(factor.first) + vertex) * slot_values];
  return slot[B::at(0, 0)] == 0.0 && slot[B::at(1, 1)] == 0.0 && slot[B::at(2, 2)] == 0.0;
}

bool OneStep::is_driven(const MaterialPoint& point) const {
  return (point.along == 1.0 || is_held(point.block, point.element)) &&
         (point.along == 0.0 || is_held(point.block, point.element + 1));
}

void OneStep::find_driven(std::size_t block, std::span<char> vertices, std::span<char> elements) const {
  const Strands::Place place = strands_->place(block);
  const int* const hold_of = &strands_->groups()[place.group].hold_of[std::size_t(place.first)];
  for (std::size_t k = 0; k < vertices.size(); ++k) vertices[k] = hold_of[k] >= 0 && is_held(block, k);  // few are
  for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = vertices[k] & vertices[k + 1];
}

// From its factor, so that it is the very matrix that was solved with: K = sum over columns of L d Lᵀ.
void OneStep::matrix(std::size_t block, StepMatrix& out) const {
  const BlockFactor& factor = factors_[block];
  const std::size_t size = block_size(block), skipped = std::size_t(factor.first) * 4;
  if (out.band.size != size) out.band = Band<double>(size, half_bandwidth);
  out.band.clear();
  out.free.assign(size, 1);
  out.free.back() = 0;
  for (std::size_t column = 0; column < size; ++column) {
    const std::size_t c = column % 4;
    const double* slot = &factor.slots[(skipped + column) / 4 * slot_values];
    const double inverse = slot[B::at(int(c), int(c))];
    if (inverse == 0.0 || column + 1 == size) {
      out.band.at(column, column) += 1.0, out.free[column] = 0;
      continue;
    }
    const auto entry = [&](std::size_t r) { return r == c ? 1.0 : slot[B::at(int(r), int(c))]; };
    const std::size_t rows = std::min(std::size_t(B::rows), size - column + c);
    for (std::size_t r = c; r < rows; ++r)
      for (std::size_t q = c; q <= r; ++q) out.band.at(column - c + r, column - c + q) += entry(r) * entry(q) / inverse;
  }
}

void OneStep::free_increment(std::size_t block, std::span<double> out) const { gather(increments_, block, out); }

Eigen::Vector3d OneStep::point_velocity(const MaterialPoint& point, std::span<const double> velocity) const {
  const Eigen::Map<const Eigen::Vector3d> a(&velocity[4 * point.element]), b(&velocity[4 * point.element + 4]);
  return (1.0 - point.along) * a + point.along * b;
}

void OneStep::vertex_velocities(std::size_t, std::span<const double> velocity, std::span<Eigen::Vector3d> out) const {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = Eigen::Map<const Eigen::Vector3d>(&velocity[4 * k]);
}

void OneStep::add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse,
                                std::span<double> out) const {
  Eigen::Map<Eigen::Vector3d>(&out[4 * point.element]) += (1.0 - point.along) * impulse;
  Eigen::Map<Eigen::Vector3d>(&out[4 * point.element + 4]) += point.along * impulse;
}

// Only the change against the free velocity is added: without contact the step keeps its bits.
void OneStep::set_velocity(std::size_t block, std::span<const double> velocity) {
  const Strands::Place place = strands_->place(block);
  const Strands::Group& group = strands_->groups()[place.group];
  const auto w = std::size_t(strands_->lanes());
  for (std::size_t lane = 0; lane < w; ++lane)
    if (group.strands[lane] == block)
      for (std::size_t i = 0; i < velocity.size(); ++i) {
        const std::size_t at = (std::size_t(group.first[lane]) * 4 + i) * w + lane;
        increments_[place.group][at] += (velocity[i] - free_velocities_[place.group][at]) * step_;
      }
}

StepReport OneStep::advance(State& trial) {
  advanced_ = &trial;
  return der::advance(*strands_, *targets_, *options_, *state_, iterate_, increments_, work_, trial);
}

double OneStep::residual() const { return force_residual(*strands_, *targets_, *options_, *state_, *advanced_, work_); }

}  // namespace tendril::der
