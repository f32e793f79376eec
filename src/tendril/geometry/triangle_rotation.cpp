#include "tendril/geometry/triangle_rotation.hpp"

#include <algorithm>
#include <cmath>

namespace tendril {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

std::optional<PlacedTriangle> place_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d first = b - a, second = c - a, normal = first.cross(second);
  const double longest = std::max({first.squaredNorm(), second.squaredNorm(), (c - b).squaredNorm()});  // squared
  const double largest_coordinate = a.cwiseAbs().cwiseMax(b.cwiseAbs()).cwiseMax(c.cwiseAbs()).maxCoeff();
  const double rounding = 0x1p-21 * largest_coordinate;
  const double narrowest = std::max(1e-12 * longest, rounding * rounding);  // squared
  if (!(normal.squaredNorm() > narrowest * longest)) return std::nullopt;

  PlacedTriangle placed;
  const double twice_area = normal.norm();
  placed.length = first.norm();
  placed.axes.col(0) = first / placed.length;
  placed.axes.col(2) = normal / twice_area;
  placed.axes.col(1) = placed.axes.col(2).cross(placed.axes.col(0));
  placed.across = second.dot(placed.axes.col(0));
  placed.height = twice_area / placed.length;
  return placed;
}

// In closed form: in the plane, as seen along the first edges, F is the matrix ((p, q), (0, r)) with p, r > 0. The
// rotation by atan2(-q, p + r) is what is left when its inverse makes F symmetric.
Quaterniond rotation_between(const PlacedTriangle& from, const PlacedTriangle& to) {
  const double p = to.length / from.length, r = to.height / from.height;
  const double q = (to.across - p * from.across) / from.height;
  const double whole = std::sqrt((p + r) * (p + r) + q * q), cosine = (p + r) / whole, sine = -q / whole;
  Matrix3d turned;
  turned.col(0) = cosine * to.axes.col(0) + sine * to.axes.col(1);
  turned.col(1) = cosine * to.axes.col(1) - sine * to.axes.col(0);
  turned.col(2) = to.axes.col(2);
  return Quaterniond(Matrix3d(turned * from.axes.transpose())).normalized();
}

}  // namespace tendril
