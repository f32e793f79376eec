// How a segment goes in a step, as far as pairs ask: what two segments do together brings them no nearer to each other
// (docs/theory/collide.md, Eq. 8aa). In single precision, with room for it.
#pragma once

#include <Eigen/Core>

namespace tendril::collide {

struct Drift {
  float x = 0.0f, y = 0.0f, z = 0.0f;  // [m], the mean of the ways of both ends
  float spread = 0.0f;                 // [m], by which no point of the segment goes otherwise
};

// `lost`: [m], what the ways may be wrong by.
inline Drift drift_of(const Eigen::Vector3d& start_way, const Eigen::Vector3d& end_way, double lost) {
  const Eigen::Vector3d mean = 0.5 * (start_way + end_way), half = 0.5 * (end_way - start_way);
  const double rounded = 1e-6 * mean.cwiseAbs().sum();
  const double spread = half.norm() * (1.0 + 1e-6) + rounded + lost + 1e-30;
  return {float(mean.x()), float(mean.y()), float(mean.z()), float(spread)};
}

// Whether two segments that are farther apart than `distance` [m] do not meet. False where numbers are too small or too
// large for single precision.
inline bool stay_apart(const Drift& a, const Drift& b, float distance) {
  constexpr float least = 1e-15f, room = 1.0f - 1e-6f;
  const float left = distance - (a.spread + b.spread);
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return (left > least) & (room * left * left > x * x + y * y + z * z);  // nobody foresees it
}

}  // namespace tendril::collide
