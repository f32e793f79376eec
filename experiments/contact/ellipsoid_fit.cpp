#include "experiments/contact/ellipsoid_fit.hpp"

#include <Eigen/Dense>

namespace tendril::experiments {

using Eigen::Vector3d;

std::optional<FittedEllipsoid> fit_ellipsoid(std::span<const Vector3d> points) {
  if (points.size() < 6) return std::nullopt;
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& point : points) mean += point / double(points.size());
  Eigen::MatrixXd rows(Eigen::Index(points.size()), 6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector3d x = points[i] - mean;
    rows.row(Eigen::Index(i)) << x.cwiseAbs2().transpose(), x.transpose();
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows.rows());
  const Eigen::Matrix<double, 6, 1> fit = rows.colPivHouseholderQr().solve(ones);
  const Vector3d squares = fit.head<3>(), centre = -0.5 * fit.tail<3>().cwiseQuotient(squares);
  const Vector3d radii = ((1.0 + squares.dot(centre.cwiseAbs2())) * squares.cwiseInverse()).cwiseSqrt();
  if (!(squares.minCoeff() > 0.0) || !radii.allFinite()) return std::nullopt;
  return FittedEllipsoid{mean + centre, radii};
}

}  // namespace tendril::experiments
