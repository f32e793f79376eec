#include "tendril/geometry/pose.hpp"

#include <cmath>

namespace tendril {

using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d apply(const Pose& pose, const Vector3d& point) { return pose.rotation * point + pose.translation; }

Pose compose(const Pose& outer, const Pose& inner) {
  return {outer.rotation * inner.rotation, apply(outer, inner.translation)};
}

Pose inverse(const Pose& pose) {
  const Quaterniond back = pose.rotation.conjugate();
  return {back, -(back * pose.translation)};
}

bool is_identity(const Pose& pose) {
  return pose.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs() && pose.translation.isZero(0.0);
}

Pose interpolate(const Pose& a, const Pose& b, double s) {
  if (s == 0.0) return a;
  if (s == 1.0) return b;

  // The step from a to b, seen from a: there its translation is as short as it can be, and so is its round-off.
  const Pose step = compose(inverse(a), b);
  const double shorter = step.rotation.w() < 0.0 ? -1.0 : 1.0;  // q and -q are the same rotation
  const Vector3d sine_axis = shorter * step.rotation.vec();
  const double sine = sine_axis.norm();  // of half the angle
  if (sine == 0.0) return {a.rotation, a.translation + s * (a.rotation * step.translation)};

  const Vector3d axis = sine_axis / sine;
  const double half = std::atan2(sine, shorter * step.rotation.w());  // in (0, pi/2]
  const auto turn = [&axis](double half_angle) {
    const Vector3d v = std::sin(half_angle) * axis;
    return Quaterniond(std::cos(half_angle), v.x(), v.y(), v.z());
  };
  // Across the axis, in complex numbers: (e^{2i s h} - 1) / (e^{2i h} - 1) = sin(s h)/sin(h) e^{i (s-1) h}. Tends to s
  // as h goes to 0, with no cancellation on the way.
  const Vector3d along = axis * axis.dot(step.translation);
  const Vector3d across = (std::sin(s * half) / sine) * (turn((s - 1.0) * half / 2.0) * (step.translation - along));
  const Pose part{turn(s * half), s * along + across};

  Pose pose = compose(a, part);
  pose.rotation.normalize();
  return pose;
}

}  // namespace tendril
