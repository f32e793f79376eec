// Curvature of a polyline at a vertex.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace tendril {

// Of the circle that touches both edges at their middles if they are equally long: 2 tan(angle / 2) over their mean
// length. Infinite where the polyline turns back.
template <class S>
S joint_curvature(const Eigen::Matrix<S, 3, 1>& before, const Eigen::Matrix<S, 3, 1>& at,
                  const Eigen::Matrix<S, 3, 1>& after) {
  const Eigen::Matrix<S, 3, 1> a = at - before, b = after - at;
  const S l = a.norm(), m = b.norm();
  return S(4) * a.cross(b).norm() / ((l * m + a.dot(b)) * (l + m));
}

}  // namespace tendril
