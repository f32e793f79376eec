#include "tendril/rods/inextensible/one_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/link_balance.hpp"

namespace tendril::inextensible {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

// out -= matrix * x
void subtract_product(const Band<double>& matrix, std::span<const double> x, std::span<double> out) {
  for (std::size_t j = 0; j < matrix.size; ++j) {
    const double* const column = &matrix.values[j * (matrix.width + 1)];
    const std::size_t reach = std::min(matrix.width, matrix.size - 1 - j);
    const double here = x[j];
    double sum = column[0] * here;
    for (std::size_t r = 1; r <= reach; ++r) out[j + r] -= column[r] * here, sum += column[r] * x[j + r];
    out[j] -= sum;
  }
}

}  // namespace

der::Description without_stretch(der::Description description) {
  constexpr double share = 1e-6;  // positive, as a description wants it, and as stiff as the inertia of a step
  for (std::size_t i = 0; i < description.stretch_modulus.size(); ++i)
    description.stretch_modulus[i] = share * description.bend_modulus[i];
  description.rest_strain.clear();
  return description;
}

std::optional<Error> unfit(const der::Strands& strands, Method method) {
  if (method != Method::fast) return std::nullopt;
  for (const der::Hold& hold : strands.holds()) {
    const auto& [x, y, z, twist] = hold.components;
    if (x != y || y != z)
      return Error{fmt::format("holds of strand {}", hold.strand),
                   "hold some components only; fast projection moves points as a whole, components = \"xyz\""};
  }
  return std::nullopt;
}

der::StepReport OneStep::linearise(const der::Strands& strands, const der::Targets& targets,
                                   const der::StepOptions& step_options, const der::State& state,
                                   std::span<const Vector3d> expected) {
  if (strands_ != &strands) lengths_ = strands.reference_lengths(), masses_ = strands.masses();
  strands_ = &strands, targets_ = &targets, step_options_ = &step_options, state_ = &state;
  expected_ = expected;
  const der::StepReport report = rods_.linearise(strands, targets, step_options, state);
  blocks_.resize(strands.size());
  which_.resize(strands.size());
  std::iota(which_.begin(), which_.end(), std::size_t(0));
  parallel_for(strands.size(), [&](std::size_t b) {
    const FlushDenormals flush;
    begin(b);
  });
  project(which_, &Block::free);
  parallel_for(strands.size(), [&](std::size_t b) {
    const FlushDenormals flush;
    finish(b);
  });
  return report;
}

void OneStep::begin(std::size_t b) {
  Block& block = blocks_[b];
  const std::size_t n = strands_->vertices(b);
  const der::Strands::Place at = strands_->place(b);
  block.touched = block.failed = false, block.iterations = 0;
  rods_.matrix(b, block.matrix);
  block.free.resize(4 * n), block.move.resize(4 * n), block.gap.resize(n - 1), block.tension.resize(n - 1);
  rods_.free_velocity(b, block.free);
  rods_.free_increment(b, block.move);
  block.start.resize(n), block.now.resize(n), block.place.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> x = der::read3(state_->current[at.group], at.first + int(i), der::StateLayout::position,
                                      strands_->lanes(), std::size_t(at.lane));
    // For BDF2 an increment is not h times the velocity: what lies between is where the step counts from.
    for (std::size_t c = 0; c < 3; ++c)
      block.start[i][Index(c)] = block.move[4 * i + c] - rods_.step() * block.free[4 * i + c];
    block.now[i] = Vector3d(x.x, x.y, x.z);
    block.start[i] += block.now[i];
  }
  // Without the forces that will hold it, a taut strand would end far from where it is going to be, and links
  // linearised there would mean nothing (Eq. 6).
  block.impulses.resize(has_expected(b) ? 4 * n : 0);
  if (block.impulses.empty()) return;
  fill_expected(b, block.impulses);
  rods_.apply_inverse(b, 1, block.impulses);
  for (std::size_t u = 0; u < block.impulses.size(); ++u) block.free[u] += block.impulses[u];
}

// Once its free velocity leads to where all links have their lengths.
void OneStep::finish(std::size_t b) {
  Block& block = blocks_[b];
  const bool expects = !block.impulses.empty();
  if (expects && turns_over(b)) return prepare_at_start(b);
  if (!block.links.factorise(block.matrix, block.place, lengths(b), block.tension)) block.failed = true;
  if (expects && !block.failed) {
    fill_expected(b, block.impulses);
    apply_inverse(b, 1, block.impulses);
    for (std::size_t u = 0; u < block.impulses.size(); ++u) block.free[u] -= block.impulses[u];
  }
  block.on_links = !expects;
  block.velocity = block.free;
}

// Whether a link would turn by more than 60 degrees in the step. Expected forces that have grown too small let a taut
// strand go so far that the nearest place with links of their lengths is one where it is folded.
bool OneStep::turns_over(std::size_t b) const {
  constexpr double least_cosine = 0.5;
  const Block& block = blocks_[b];
  for (std::size_t k = 0; k < block.gap.size(); ++k) {
    const Vector3d before = block.now[k + 1] - block.now[k], after = block.place[k + 1] - block.place[k];
    if (!(before.dot(after) >= least_cosine * before.norm() * after.norm())) return true;
  }
  return false;
}

// More than a quarter of a link: there it has turned too far for links to be what they were.
bool OneStep::goes_far(std::size_t b) const {
  constexpr double far = 0.25;
  const Block& block = blocks_[b];
  for (std::size_t i = 0; i < block.now.size(); ++i) {
    const Vector3d end = block.start[i] + rods_.step() * Eigen::Map<const Vector3d>(&block.free[4 * i]);
    const std::size_t link = std::min(i, block.now.size() - 2);
    if ((end - block.now[i]).squaredNorm() > far * far * lengths(b)[link] * lengths(b)[link]) return true;
  }
  return false;
}

// The links as they are now, and no longer than they are now to first order (Eq. 7).
void OneStep::prepare_at_start(std::size_t b) {
  Block& block = blocks_[b];
  const double h = rods_.step();
  std::ranges::fill(block.tension, 0.0);
  block.failed = !block.links.factorise(block.matrix, block.now, lengths(b), block.tension);
  if (block.failed) return;
  rods_.free_velocity(b, block.free);
  set_places(b, block.free);
  std::ranges::fill(block.move, 0.0);
  for (std::size_t k = 0; k < block.gap.size(); ++k) {
    const LinkGap link = link_gap(block.now[k + 1] - block.now[k], lengths(b)[k]);
    const Vector3d change = (block.place[k + 1] - block.now[k + 1]) - (block.place[k] - block.now[k]);
    block.gap[k] = -(link.gap + link.slope.dot(change));
  }
  block.links.solve(block.move, block.gap);
  for (std::size_t u = 0; u < block.free.size(); ++u)
    if (block.matrix.free[u] != 0) block.free[u] += block.move[u] / h;
  block.on_links = false;
  block.velocity = block.free;
}

bool OneStep::relinearise_touched() {
  again_.assign(blocks_.size(), 0);
  parallel_for(blocks_.size(), [&](std::size_t b) {
    if (!blocks_[b].touched || has_expected(b) || !goes_far(b)) return;
    again_[b] = 1, blocks_[b].touched = false;
    prepare_at_start(b);
  });
  return std::ranges::find(again_, 1) != again_.end();
}

bool OneStep::has_expected(std::size_t b) const {
  if (expected_.empty()) return false;
  const auto forces = expected_.subspan(strands_->offset(b), strands_->vertices(b));
  return std::ranges::any_of(forces, [](const Vector3d& force) { return !force.isZero(0.0); });
}

void OneStep::fill_expected(std::size_t b, std::span<double> impulses) const {
  std::ranges::fill(impulses, 0.0);
  for (std::size_t i = 0; i < strands_->vertices(b); ++i) {
    const Vector3d impulse = rods_.step() * expected_[strands_->offset(b) + i];
    std::copy_n(impulse.data(), 3, &impulses[4 * i]);
  }
}

double OneStep::set_places(std::size_t b, std::span<const double> velocity) {
  Block& block = blocks_[b];
  double largest = 0.0;
  for (std::size_t i = 0; i < block.place.size(); ++i) {
    block.place[i] = block.start[i] + rods_.step() * Eigen::Map<const Vector3d>(&velocity[4 * i]);
    if (i == 0) continue;
    const double off = (block.place[i] - block.place[i - 1]).norm() / lengths(b)[i - 1] - 1.0;
    largest = std::isfinite(off) ? std::max(largest, std::abs(off)) : std::numeric_limits<double>::infinity();
  }
  return largest;
}

// How far the equations of the projection are from holding: K (aim - end) - Jᵀ tension, and the gaps (Eq. 3).
void OneStep::set_right_hand_side(std::size_t b, std::span<const double> velocity) {
  Block& block = blocks_[b];
  thread_local std::vector<double> off;
  off.resize(velocity.size());
  for (std::size_t u = 0; u < off.size(); ++u) off[u] = rods_.step() * (velocity[u] - block.aim[u]);
  std::fill(block.move.begin(), block.move.end(), 0.0);
  subtract_product(block.matrix.band, off, block.move);
  for (std::size_t k = 0; k < block.gap.size(); ++k) {
    const LinkGap link = link_gap(block.place[k + 1] - block.place[k], lengths(b)[k]);
    block.gap[k] = -link.gap;
    Eigen::Map<Vector3d>(&block.move[4 * k]) += block.tension[k] * link.slope;
    Eigen::Map<Vector3d>(&block.move[4 * k + 4]) -= block.tension[k] * link.slope;
  }
  for (std::size_t u = 0; u < off.size(); ++u)
    if (block.matrix.free[u] == 0) block.move[u] = 0.0;
}

void OneStep::project(std::span<const std::size_t> blocks, Velocities velocities) {
  if (options_.method == Method::fast) return project_fast(blocks, velocities);
  parallel_for(blocks.size(), [&](std::size_t k) {
    const FlushDenormals flush;
    project_by_newton(blocks[k], blocks_[blocks[k]].*velocities);
  });
}

// Where velocities lead, projected in the metric of the masses; directions along the links stay as they are.
void OneStep::project_fast(std::span<const std::size_t> blocks, Velocities velocities) {
  chains_.clear();
  for (const std::size_t b : blocks) {
    Block& block = blocks_[b];
    set_places(b, block.*velocities);
    chains_.tolerance.push_back(std::max(options_.tolerance, rounding_of(b)));
    for (std::size_t i = 0; i < block.place.size(); ++i) {
      const double mass = masses_[strands_->offset(b) + i];
      chains_.aim.push_back(block.place[i]);
      chains_.inverse.push_back(block.matrix.free[4 * i] != 0 ? 1.0 / mass : 0.0);
    }
    chains_.length.insert(chains_.length.end(), lengths(b).begin(), lengths(b).end());
    chains_.offsets.push_back(std::uint32_t(chains_.aim.size()));
  }
  chain::Options how;
  how.method = chain::Method::fast, how.isa = strands_->isa();
  how.max_iterations = options_.max_iterations;
  projector_.project(chains_.chains(false, false), how, chains_.found);
  parallel_for(blocks.size(), [&](std::size_t k) { take_fast(blocks[k], k, blocks_[blocks[k]].*velocities); });
}

void OneStep::take_fast(std::size_t b, std::size_t which, std::span<double> velocity) {
  Block& block = blocks_[b];
  const double h = rods_.step();
  const chain::Outcome& found = chains_.found.chains[which];
  const std::uint32_t first = chains_.offsets[which];
  for (std::size_t i = 0; i < block.place.size(); ++i) {
    if (block.matrix.free[4 * i] == 0) continue;
    const Vector3d end = (chains_.found.positions[first + i] - block.start[i]) / h;
    std::copy_n(end.data(), 3, &velocity[4 * i]);
  }
  for (std::size_t k = 0; k < block.tension.size(); ++k)
    block.tension[k] = chains_.found.multipliers[first - which + k] * lengths(b)[k] / (h * h);
  block.stretch = set_places(b, velocity);
  block.iterations += found.iterations;
  if (found.status == chain::Status::bad_input || !std::isfinite(block.stretch)) block.failed = true;
}

// How far off lengths of links may be for the rounding of positions.
double OneStep::rounding_of(std::size_t b) const {
  double extent = 0.0;
  for (const Vector3d& x : blocks_[b].start) extent = std::max(extent, x.lpNorm<Eigen::Infinity>());
  return 8.0 * std::numeric_limits<double>::epsilon() * extent / std::ranges::min(lengths(b));
}

// Newton's method on positions and tensions together (Eq. 4). The tensions act along the links as they are in the end,
// not as they were: a taut strand is stable for any step, and at rest exactly where its forces balance.
void OneStep::project_by_newton(std::size_t b, std::span<double> velocity) {
  Block& block = blocks_[b];
  const double h = rods_.step(), shortest = std::ranges::min(lengths(b)), rounding = rounding_of(b);
  block.aim.assign(velocity.begin(), velocity.end());
  std::fill(block.tension.begin(), block.tension.end(), 0.0);
  block.stretch = set_places(b, velocity);
  double moved = std::numeric_limits<double>::infinity();
  bool slow = true;
  for (int i = 0; i < options_.max_iterations; ++i) {
    // A factor serves on as long as it still brings a vertex ten times closer.
    if (slow && !block.links.factorise(block.matrix, block.place, lengths(b), block.tension)) {
      block.failed = true;
      return;
    }
    set_right_hand_side(b, velocity);
    block.links.solve(block.move, block.gap);
    double largest = 0.0;
    for (std::size_t u = 0; u < velocity.size(); ++u) {
      if (block.matrix.free[u] == 0) continue;
      velocity[u] += block.move[u] / h;
      if (u % 4 < 3) largest = std::max(largest, std::abs(block.move[u]));
    }
    for (std::size_t k = 0; k < block.tension.size(); ++k) block.tension[k] += block.gap[k];
    block.stretch = set_places(b, velocity);
    ++block.iterations;
    if (block.stretch <= std::max(options_.tolerance, rounding) && largest <= options_.settled * shortest) break;
    constexpr double close = 1e-2;
    slow = largest > close * shortest || largest > 0.1 * moved;
    moved = largest;
  }
  if (!std::isfinite(block.stretch)) block.failed = true;
}

void OneStep::free_velocity(std::size_t block, std::span<double> out) const {
  std::copy(blocks_[block].free.begin(), blocks_[block].free.end(), out.begin());
}

// The constrained inverse (Eq. 5): forces that pull at links are taken up by them.
void OneStep::apply_inverse(std::size_t b, std::size_t columns, std::span<double> out) const {
  const Block& block = blocks_[b];
  const std::size_t size = block_size(b);
  const double scale = 1.0 / (rods_.step() * rods_.step());
  thread_local std::vector<double> gaps;
  gaps.resize(block.gap.size());
  for (std::size_t c = 0; c < columns; ++c) {
    const std::span<double> column = out.subspan(c * size, size);
    for (std::size_t u = 0; u < size; ++u) column[u] = block.matrix.free[u] != 0 ? scale * column[u] : 0.0;
    std::fill(gaps.begin(), gaps.end(), 0.0);
    block.links.solve(column, gaps);
  }
}

void OneStep::set_velocity(std::size_t block, std::span<const double> velocity) {
  blocks_[block].velocity.assign(velocity.begin(), velocity.end());
  blocks_[block].touched = true;
}

Report OneStep::advance(der::State& trial) {
  Report report;
  which_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const bool moved = !block.on_links || (block.touched && block.velocity != block.free);
    if (moved && !block.failed) which_.push_back(b);
  }
  project(which_, &Block::velocity);
  for (std::size_t b = 0; b < blocks_.size(); ++b) rods_.set_velocity(b, blocks_[b].velocity);
  report.step = rods_.advance(trial);
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const Block& block = blocks_[b];
    report.stretch = std::max(report.stretch, block.stretch);
    report.iterations = std::max(report.iterations, block.iterations);
    if (!block.failed) continue;
    report.step.outcome = Outcome::failed, report.step.trouble = der::Trouble::not_finite;
    report.step.strand = b, ++report.step.troubled;
  }
  if (report.step.outcome == Outcome::converged && report.stretch > 1e-6)  // ends that were pulled too far apart
    report.step.outcome = Outcome::usable, report.step.trouble = der::Trouble::not_converged;
  if (report.step.outcome == Outcome::failed) return report;
  der::force_residual(*strands_, *targets_, *step_options_, *state_, trial, work_, forces_);
  residual_ = 0.0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) residual_ = std::max(residual_, residual_of(b, trial, forces_));
  return report;
}

bool OneStep::end_velocity(std::size_t b, std::span<double> out) const {
  std::ranges::copy(blocks_[b].velocity, out.begin());
  return blocks_[b].touched;
}

// Whatever tension balances best is the links' to give.
double OneStep::residual_of(std::size_t b, const der::State& trial, const der::GroupStreams& forces) const {
  const Block& block = blocks_[b];
  const std::size_t n = strands_->vertices(b);
  const der::Strands::Place at = strands_->place(b);
  const int w = strands_->lanes();
  const auto lane = std::size_t(at.lane);
  thread_local std::vector<Vector3d> force, tangent, free;
  thread_local std::vector<double> tension;
  force.resize(n), tangent.resize(n - 1), free.resize(n), tension.assign(n - 1, 0.0);
  double load = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const int slot = at.first + int(i);
    for (int c = 0; c < 3; ++c) force[i][c] = forces[at.group][der::stream_at(slot, 4, c, w, lane)];
    const double mass = strands_->parameters(
        at.group)[der::stream_at(slot, der::ParameterLayout::components, der::ParameterLayout::mass, w, lane)];
    const Vec3<double> v = der::read3(state_->current[at.group], slot, der::StateLayout::velocity, w, lane);
    const double speed = Vector3d(v.x, v.y, v.z).norm();
    load = std::max(load, mass * (step_options_->gravity.norm() + speed / rods_.step()));
    if (i == 0) continue;
    const Vec3<double> a = der::read3(trial.current[at.group], slot - 1, der::StateLayout::position, w, lane),
                       z = der::read3(trial.current[at.group], slot, der::StateLayout::position, w, lane);
    tangent[i - 1] = Vector3d(z.x - a.x, z.y - a.y, z.z - a.z).normalized();
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 3; ++c) free[i][Index(c)] = block.matrix.free[4 * i + c] != 0 ? 1.0 : 0.0;
  balance_links(free, tangent, force, tension);
  double largest = 0.0;
  for (const Vector3d& left : force) largest = std::max(largest, left.norm());
  return load > 0.0 ? largest / load : 0.0;
}

}  // namespace tendril::inextensible
