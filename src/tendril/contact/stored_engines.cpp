#include "tendril/contact/stored_engines.hpp"

#include <algorithm>
#include <numeric>

#include "tendril/contact/chunks.hpp"
#include "tendril/contact/error_measure.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

constexpr std::size_t chunk = 512;
constexpr int sleep_sweeps = 10;

Vector3d projected(const ExplicitDelassus& system, double scale, std::size_t i, const Vector3d& r) {
  if (scale == 0.0) return Vector3d::Zero();
  return system.law(i) == Law::bilateral ? r : project_on_cone(r, system.mu(i));
}

}  // namespace

std::vector<double> impulse_scales(const ExplicitDelassus& system) {
  std::vector<std::uint32_t> all(system.size());
  std::iota(all.begin(), all.end(), 0u);
  return impulse_scales(system, all);
}

std::vector<double> impulse_scales(const ExplicitDelassus& system, std::span<const std::uint32_t> some) {
  std::vector<double> traces;
  for (const std::uint32_t i : some) traces.push_back(system.diagonal(i).trace());
  if (traces.empty()) return traces;
  std::vector<double> sorted = traces;
  const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  for (double& trace : traces) trace = trace > 1e-14 * *middle ? 3.0 / trace : 0.0;
  return traces;
}

std::vector<double> errors_of(const ExplicitDelassus& system, std::span<const double> scales, const Impulses& r,
                              const Impulses& u) {
  std::vector<double> errors(system.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = contact_error(system.law(i), system.mu(i), scales[i], r[i], u[i]);
  return errors;
}

double largest_error(const ExplicitDelassus& system, const Impulses& r) {
  Impulses u;
  system.apply(r, u);
  return largest(errors_of(system, impulse_scales(system), r, u));
}

StoredGradients::StoredGradients(const ExplicitDelassus& system)
    : system_(system), scales_(impulse_scales(system)), best_(system.size(), Vector3d::Zero()) {
  y_ = best_;
  sums_.resize(chunk_count(size(), chunk));
}

void StoredGradients::start(const Impulses& r) {
  r_ = r;
  for (std::size_t i = 0; i < size(); ++i) r_[i] = projected(system_, scales_[i], i, r_[i]);
  old_r_ = y_ = r_;
  system_.apply(r_, u_);
  u_y_ = u_;
}

StepSums StoredGradients::step(double momentum, double step_length) {
  for_chunks(size(), chunk, true, [&](std::size_t c, std::size_t first, std::size_t end) {
    StepSums sums;
    for (std::size_t i = first; i < end; ++i) {
      y_[i] = r_[i] + momentum * (r_[i] - old_r_[i]);
      if (scales_[i] == 0.0) continue;
      const Vector3d push = system_.law(i) == Law::bilateral ? u_y_[i] : de_saxce(u_y_[i], system_.mu(i));
      const Vector3d next = projected(system_, scales_[i], i, y_[i] - scales_[i] * step_length * push);
      sums.turn += (y_[i] - next).dot(next - r_[i]) / scales_[i];
      sums.length += (next - y_[i]).squaredNorm() / scales_[i];
      old_r_[i] = r_[i], r_[i] = next;
    }
    sums_[c] = sums;
  });
  StepSums total;
  for (const StepSums& sums : sums_) total.turn += sums.turn, total.length += sums.length;
  return total;
}

double StoredGradients::respond(double next_momentum) {
  system_.apply(r_, next_u_);
  double curvature = 0.0;
  for (std::size_t i = 0; i < size(); ++i) {
    curvature += (next_u_[i] - u_y_[i]).dot(r_[i] - y_[i]);
    u_y_[i] = next_u_[i] + next_momentum * (next_u_[i] - u_[i]);
  }
  u_.swap(next_u_);
  return curvature;
}

double StoredGradients::error() const { return largest(errors_of(system_, scales_, r_, u_)); }

StoredSweeps::StoredSweeps(const ExplicitDelassus& system, const Options& options, double speed)
    : system_(system),
      scales_(impulse_scales(system)),
      least_velocity_(options.freezing ? 1e-2 * options.tolerance * speed : 0.0),
      others_{options, 1e-3 * options.tolerance * speed},
      factors_(system.size()),
      asleep_(system.size(), 0),
      alpha_(system.size(), 0.0),
      best_(system.size(), Vector3d::Zero()) {
  for (std::size_t i = 0; i < size(); ++i)
    closed_form_.push_back(factorise(system.diagonal(i), system.mu(i), factors_[i]) && !options.local &&
                           system.law(i) == Law::coulomb);
}

Vector3d StoredSweeps::next_impulse(std::size_t i, const Vector3d& u) {
  const Vector3d b = u - system_.diagonal(i) * r_[i];
  if (closed_form_[i] && b[0] >= 0.0) return Vector3d::Zero();
  Vector3d r;
  if (closed_form_[i] && pressed_impulse(factors_[i], b.data(), alpha_[i], r.data())) return r;
  return others_.solve(system_.diagonal(i), system_.law(i), system_.mu(i), b, r_[i]);
}

std::size_t StoredSweeps::sweep() {
  std::size_t solved = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (scales_[i] == 0.0) continue;
    if (asleep_[i] > 0) {
      --asleep_[i];
      continue;
    }
    const Vector3d u = system_.velocity(i, r_);
    if (closed_form_[i] && u[0] >= 0.0 && r_[i][0] == 0.0) continue;
    const Vector3d next = next_impulse(i, u), change = next - r_[i];
    ++solved;
    r_[i] = next;
    if (change.norm() < least_velocity_ * scales_[i]) asleep_[i] = sleep_sweeps;
  }
  return solved;
}

double StoredSweeps::error() const {
  Impulses u;
  system_.apply(r_, u);
  return largest(errors_of(system_, scales_, r_, u));
}

}  // namespace tendril::contact
