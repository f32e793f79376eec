#include "tendril/rods/corde/one_step.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/geometry/rotation_vector.hpp"
#include "tendril/rods/corde/forces.hpp"

namespace tendril::corde {
namespace {

using Eigen::Map;
using Eigen::Quaterniond;
using Eigen::Vector3d;

}  // namespace

OneStep::OneStep(const Strands& strands, std::span<const Target> targets, const StepOptions& options,
                 const State& state, Workspace& work)
    : strands_(strands), targets_(targets), options_(options), state_(state), work_(work) {
  work.bands.resize(strands.size()), work.residuals.resize(strands.size());
  work.free_velocities.resize(per_vertex * strands.vertex_count());
  work.forces.resize(work.free_velocities.size());
  work.failed.assign(strands.size(), 0);
  std::size_t longest = 0;
  for (std::size_t s = 0; s < strands.size(); ++s) longest = std::max(longest, strands.vertices(s));
  work.columns.resize(std::size_t(thread_count()));
  for (auto& column : work.columns) column.resize(per_vertex * longest + StepBand::padding);
  parallel_for(strands.size(), [&](std::size_t s) {
    const FlushDenormals flush;
    linearise(s);
  });
  work.velocities = work.free_velocities;
}

// An edge clamp holds two vertices and the frame between them, a point clamp the first vertex.
bool OneStep::is_free(std::size_t s, std::size_t unknown) const {
  const std::size_t n = block_size(s);
  if (unknown + 3 >= n) return false;  // the spin of the last vertex
  if (strands_.clamp(s) == der::Clamp::edge) return unknown >= 9;
  return strands_.clamp(s) == der::Clamp::free || unknown >= 3;
}

void OneStep::set_driven(std::size_t s, std::span<double> velocity) const {
  const std::size_t v = strands_.offset(s);
  const auto velocity_at = [&](std::size_t u) { return Map<Vector3d>(&velocity[u]); };
  if (strands_.clamp(s) == der::Clamp::free) return;
  velocity_at(0) = (targets_[s].first - state_.position[v]) / options_.dt;
  if (strands_.clamp(s) == der::Clamp::point) return;
  velocity_at(3) = rotation_vector(state_.frame[v].conjugate() * targets_[s].frame) / options_.dt;
  velocity_at(6) = (targets_[s].second - state_.position[v + 1]) / options_.dt;
}

// (M + dt^2 (1 + damping/dt) H) v = M v_before + dt F, driven unknowns taken to the right (Eq. 8)
void OneStep::linearise(std::size_t s) {
  const std::size_t first = strands_.offset(s), n = block_size(s);
  const double dt = options_.dt;
  StepBand& band = work_.bands[s];
  band.reset(n);
  add_stiffness(strands_, s, targets_[s], state_, dt * dt, 1.0 + strands_.damping(s) / dt, band);
  std::vector<double>& x = work_.columns[std::size_t(worker_index())];
  std::fill(x.begin(), x.end(), 0.0);
  const std::span<double> right{x.data(), n}, out = values(work_.free_velocities, s);
  add_elastic_force(strands_, s, targets_[s], state_, nullptr, 0.0, right);
  for (std::size_t i = 0; i < strands_.vertices(s); ++i) {
    const std::size_t v = first + i;
    Map<Vector3d> force(&right[6 * i]), torque(&right[6 * i + 3]);
    force =
        dt * (force + strands_.mass(v) * options_.gravity + strands_.force(v)) + strands_.mass(v) * state_.velocity[v];
    torque.z() += strands_.torque(v);
    torque = dt * torque + strands_.inertia(v).cwiseProduct(state_.spin[v]);
    for (std::size_t c = 0; c < 3; ++c) {
      band.at(6 * i + c, 6 * i + c) += strands_.mass(v);
      band.at(6 * i + 3 + c, 6 * i + 3 + c) += strands_.inertia(v)[Eigen::Index(c)];
    }
  }
  std::fill(out.begin(), out.end(), 0.0);
  set_driven(s, out);
  for (std::size_t column = 0; column < n; ++column)
    for (std::size_t row = column; row < std::min(n, column + StepBand::padding + 1); ++row) {
      const bool row_free = is_free(s, row), column_free = is_free(s, column);
      if (row_free && column_free) continue;
      double& entry = band.at(row, column);
      if (row_free) right[row] -= entry * out[column];
      if (column_free) right[column] -= entry * out[row];
      entry = row == column ? 1.0 : 0.0;
    }
  for (std::size_t u = 0; u < n; ++u)
    if (!is_free(s, u)) right[u] = out[u];
  if (!band.factorise()) work_.failed[s] = 1;
  band.solve(x.data());
  std::copy_n(x.begin(), n, out.begin());
}

void OneStep::free_velocity(std::size_t block, std::span<double> out) const {
  const std::span<const double> from = values(work_.free_velocities, block);
  std::copy(from.begin(), from.end(), out.begin());
}

void OneStep::apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const {
  thread_local std::vector<double> x;  // several threads may ask the same strand
  const std::size_t n = block_size(block);
  for (std::size_t c = 0; c < columns; ++c) {
    x.assign(n + StepBand::padding, 0.0);
    for (std::size_t u = 0; u < n; ++u)
      if (is_free(block, u)) x[u] = out[c * n + u];
    work_.bands[block].solve(x.data());
    std::copy_n(x.begin(), n, &out[c * n]);
  }
}

Vector3d OneStep::point_velocity(const MaterialPoint& point, std::span<const double> velocity) const {
  const Map<const Vector3d> a(&velocity[per_vertex * point.element]), b(&velocity[per_vertex * (point.element + 1)]);
  return (1.0 - point.along) * a + point.along * b;
}

void OneStep::add_point_impulse(const MaterialPoint& point, const Vector3d& impulse, std::span<double> out) const {
  Map<Vector3d>(&out[per_vertex * point.element]) += (1.0 - point.along) * impulse;
  Map<Vector3d>(&out[per_vertex * (point.element + 1)]) += point.along * impulse;
}

void OneStep::set_velocity(std::size_t block, std::span<const double> velocity) {
  std::copy(velocity.begin(), velocity.end(), values(work_.velocities, block).begin());
}

// Frames by the exponential of their spin, made unit again; what is driven arrives to the last bit.
void OneStep::move(std::size_t s, State& trial) const {
  const std::span<const double> velocity = values(work_.velocities, s);
  const std::size_t first = strands_.offset(s);
  for (std::size_t i = 0; i < strands_.vertices(s); ++i) {
    const std::size_t v = first + i;
    trial.velocity[v] = Map<const Vector3d>(&velocity[6 * i]);
    trial.spin[v] = Map<const Vector3d>(&velocity[6 * i + 3]);
    trial.position[v] = state_.position[v] + options_.dt * trial.velocity[v];
    trial.frame[v] = (state_.frame[v] * rotation_by(options_.dt * trial.spin[v])).normalized();
  }
  if (strands_.clamp(s) != der::Clamp::free) trial.position[first] = targets_[s].first;
  if (strands_.clamp(s) == der::Clamp::edge)
    trial.position[first + 1] = targets_[s].second, trial.frame[first] = targets_[s].frame;
}

StepReport OneStep::advance(State& trial) {
  const std::size_t n = strands_.vertex_count();
  trial.position.resize(n), trial.velocity.resize(n), trial.frame.resize(n), trial.spin.resize(n);
  parallel_for(strands_.size(), [&](std::size_t s) {
    const FlushDenormals flush;
    move(s, trial);
    double sum = 0.0;  // a NaN or an infinity anywhere stays in it
    for (std::size_t v = strands_.offset(s); v < strands_.offset(s) + strands_.vertices(s); ++v)
      sum += trial.position[v].squaredNorm() + trial.frame[v].coeffs().squaredNorm();
    if (!std::isfinite(sum)) work_.failed[s] = 1;
    work_.residuals[s] = work_.failed[s] != 0 ? 0.0 : residual_of(s, trial);
  });
  residual_ = 0.0;
  StepReport report;
  for (std::size_t s = strands_.size(); s-- > 0;) {
    residual_ = std::max(residual_, work_.residuals[s]);
    if (work_.failed[s] != 0) report.strand = s, ++report.troubled, report.outcome = Outcome::failed;
  }
  return report;
}

// Of the implicit Euler equations at the advanced state, over the largest load of a vertex; a torque counts as a force
// with the edge as its lever.
double OneStep::residual_of(std::size_t s, const State& trial) {
  const std::span<double> force = values(work_.forces, s);
  const double dt = options_.dt;
  std::fill(force.begin(), force.end(), 0.0);
  add_elastic_force(strands_, s, targets_[s], trial, &state_, strands_.damping(s) / dt, force);
  double load = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < strands_.vertices(s); ++i) {
    const std::size_t v = strands_.offset(s) + i;
    Vector3d dead = strands_.mass(v) * options_.gravity + strands_.force(v);
    if (!contact_.empty()) dead += contact_[v];
    Map<Vector3d> on_vertex(&force[6 * i]), on_edge(&force[6 * i + 3]);
    on_vertex += dead - strands_.mass(v) / dt * (trial.velocity[v] - state_.velocity[v]);
    on_edge.z() += strands_.torque(v);
    on_edge -= strands_.inertia(v).cwiseProduct(trial.spin[v] - state_.spin[v]) / dt;
    load = std::max(load, dead.norm() + strands_.mass(v) * state_.velocity[v].norm() / dt);
    for (std::size_t c = 0; c < 6; ++c)
      if (is_free(s, 6 * i + c))
        largest = std::max(largest, std::abs(force[6 * i + c]) / (c < 3 ? 1.0 : strands_.length(v)));
  }
  return load > 0.0 ? largest / load : 0.0;
}

StepReport step(const Strands& strands, std::span<const Target> targets, const StepOptions& options, const State& state,
                Workspace& work, State& trial) {
  return OneStep(strands, targets, options, state, work).advance(trial);
}

}  // namespace tendril::corde
