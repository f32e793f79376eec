// Between Eigen's vectors, which interfaces use, and those of the kernels.
#pragma once

#include <Eigen/Core>

#include "tendril/linalg/vec3.hpp"

namespace tendril {

inline Vec3<double> to_vec3(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Vector3d to_eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

}  // namespace tendril
