// How a triangle has turned from one shape to another.
//
// It is the rotation of the polar decomposition of F = e1' d1^T + e2' d2^T + n' n^T, where e are two edges, d their
// duals in the plane (d_i e_j = delta_ij) and n the unit normals. F maps the triangle to what it has become and normal
// to normal. It does not depend on which two edges are taken, and its determinant is positive: the result is a proper
// rotation, exactly that of a rigid motion, and for a triangle that stretches and shears in its plane the mean turn of
// its directions.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>

namespace tendril {

// As seen along its first edge: corners at (0, 0), (length, 0) and (across, height).
struct PlacedTriangle {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // columns: along the first edge, across it in the plane, normal
  double length = 1.0, across = 0.0, height = 1.0;     // [m]
};

// Nothing if the triangle is too narrow for a normal: narrower than 1e-6 of its longest side, or than four units in the
// last place of its largest coordinate in float32, in which moving meshes are stored.
std::optional<PlacedTriangle> place_triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                             const Eigen::Vector3d& c);

Eigen::Quaterniond rotation_between(const PlacedTriangle& from, const PlacedTriangle& to);

}  // namespace tendril
