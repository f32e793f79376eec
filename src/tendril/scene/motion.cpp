#include "tendril/scene/motion.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace tendril {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

// 0 to 1 with zero first and second derivative at both ends.
double smooth_step(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * (s * (6.0 * s - 15.0) + 10.0);
}

// Its integral from 0; 1/2 at s = 1.
double smooth_step_integral(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * s * (s * (s - 3.0) + 2.5);
}

Pose turn_about(const Vector3d& axis, const Vector3d& centre, double angle) {
  const Quaterniond rotation(Eigen::AngleAxisd(angle, axis));
  return {rotation, centre - rotation * centre};
}

Pose pose_of(const SineShift& part, double time) {
  return {Quaterniond::Identity(), part.sine.at(time) * part.amplitude};
}

Pose pose_of(const SineTurn& part, double time) {
  return turn_about(part.axis, part.centre, part.sine.at(time) * part.amplitude);
}

Pose pose_of(const SteadyShift& part, double time) {
  return {Quaterniond::Identity(), part.window.strength_so_far(time) * part.velocity};
}

Pose pose_of(const SteadyTurn& part, double time) {
  return turn_about(part.axis, part.centre, part.window.strength_so_far(time) * part.rate);
}

Pose pose_of(const KeyedMotion& part, double time) {
  assert(!part.times.empty() && part.times.size() == part.poses.size());
  const auto after = std::ranges::upper_bound(part.times, time);
  if (after == part.times.begin()) return part.poses.front();
  if (after == part.times.end()) return part.poses.back();
  const auto next = static_cast<std::size_t>(after - part.times.begin());
  const double start = part.times[next - 1], end = part.times[next];
  return interpolate(part.poses[next - 1], part.poses[next], (time - start) / (end - start));
}

}  // namespace

double Window::clamped(double time) const { return std::clamp(time - start, 0.0, duration); }

double Window::strength(double time) const {
  if (ramp <= 0.0) return 1.0;
  const double t = clamped(time);
  return smooth_step(t / ramp) * smooth_step((duration - t) / ramp);
}

double Window::strength_so_far(double time) const {
  const double t = clamped(time);
  if (ramp <= 0.0) return t;
  const double lost_at_start = std::min(t, ramp) - ramp * smooth_step_integral(t / ramp);
  const double before_end = std::max(0.0, ramp - (duration - t));  // how far into the last ramp
  const double lost_at_end = before_end - ramp * (0.5 - smooth_step_integral(1.0 - before_end / ramp));
  return t - lost_at_start - lost_at_end;
}

double Sine::at(double time) const {
  return window.strength(time) * std::sin(2.0 * std::numbers::pi * frequency * window.clamped(time) + phase);
}

Pose pose_at(const MotionPart& part, double time) {
  return std::visit([time](const auto& kind) { return pose_of(kind, time); }, part);
}

Pose Motion::at(double time) const {
  Pose pose;
  for (const MotionPart& part : parts_) pose = compose(pose_at(part, time), pose);
  return pose;
}

double Motion::largest_turn_rate() const {
  constexpr double steepest_ramp = 1.875;  // of 6 s^5 - 15 s^4 + 10 s^3
  double sum = 0.0;
  for (const MotionPart& part : parts_) {
    if (const auto* turn = std::get_if<SteadyTurn>(&part)) sum += std::abs(turn->rate);
    if (const auto* swing = std::get_if<SineTurn>(&part)) {
      const double ramp = swing->sine.window.ramp;
      sum += std::abs(swing->amplitude) *
             (2.0 * std::numbers::pi * std::abs(swing->sine.frequency) + (ramp > 0.0 ? steepest_ramp / ramp : 0.0));
    }
    if (const auto* keyed = std::get_if<KeyedMotion>(&part)) {
      double fastest = 0.0;
      for (std::size_t k = 1; k < keyed->times.size(); ++k)
        fastest = std::max(fastest, keyed->poses[k - 1].rotation.angularDistance(keyed->poses[k].rotation) /
                                        (keyed->times[k] - keyed->times[k - 1]));
      sum += fastest;
    }
  }
  return sum;
}

}  // namespace tendril
