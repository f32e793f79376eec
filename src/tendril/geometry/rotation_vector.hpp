// Rotations as vectors: axis times angle. Safe at no rotation.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace tendril {

// By the shorter turn: at most pi long. The quaternion is a unit one.
inline Eigen::Vector3d rotation_vector(const Eigen::Quaterniond& turn) {
  const double sign = turn.w() < 0.0 ? -1.0 : 1.0, sine = turn.vec().norm(), cosine = std::abs(turn.w());
  return sign * (sine > 0.0 ? 2.0 * std::atan2(sine, cosine) / sine : 2.0) * turn.vec();
}

inline Eigen::Quaterniond rotation_by(const Eigen::Vector3d& vector) {
  constexpr double tiny = 1e-8;  // below, sin(x)/x is 1 to the last bit
  const double angle = vector.norm(), scale = angle > tiny ? std::sin(0.5 * angle) / angle : 0.5;
  Eigen::Quaterniond turn;
  turn.w() = std::cos(0.5 * angle), turn.vec() = scale * vector;
  return turn;
}

}  // namespace tendril
