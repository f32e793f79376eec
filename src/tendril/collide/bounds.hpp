// Boxes along the axes.
#pragma once

#include <Eigen/Core>

namespace tendril::collide {

using Eigen::Vector3d;

struct Bounds {
  Vector3d low, high;

  bool meets(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  bool holds(const Bounds& other) const {
    return low.x() <= other.low.x() && other.high.x() <= high.x() && low.y() <= other.low.y() &&
           other.high.y() <= high.y() && low.z() <= other.low.z() && other.high.z() <= high.z();
  }
  Bounds with(const Bounds& other) const { return {low.cwiseMin(other.low), high.cwiseMax(other.high)}; }
};

}  // namespace tendril::collide
