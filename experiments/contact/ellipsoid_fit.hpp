// The ellipsoid along the axes that fits points best: least squares of A x^2 + B y^2 + C z^2 + D x + E y + F z = 1
// about the mean of the points.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

namespace tendril::experiments {

struct FittedEllipsoid {
  Eigen::Vector3d centre, radii;  // [m]
};

// Nothing if no ellipsoid fits, as of points in a plane.
std::optional<FittedEllipsoid> fit_ellipsoid(std::span<const Eigen::Vector3d> points);

}  // namespace tendril::experiments
