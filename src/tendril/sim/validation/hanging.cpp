#include "tendril/sim/validation/hanging.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/exact.hpp"

namespace tendril::validation {

std::vector<Eigen::Vector3d> straight_halves(const Span& span, int n) {
  using Eigen::Vector3d;
  const Vector3d end(span.width, span.height, 0.0);
  const Vector3d down = Vector3d(span.height, -span.width, 0.0).normalized();
  const Vector3d low = 0.5 * end + 0.5 * std::sqrt(span.length * span.length - end.squaredNorm()) * down;
  std::vector<Vector3d> points;
  for (int i = 0; i <= n; ++i) {
    const double s = 2.0 * i / n;
    points.push_back(s <= 1.0 ? Vector3d(s * low) : Vector3d(low + (s - 1.0) * (end - low)));
  }
  return points;
}

double Catenary::height_at(double x) const { return a * (std::cosh((x - x0) / a) - std::cosh(x0 / a)); }

// 2 a sinh(D / 2a) = sqrt(L^2 - H^2), x0 = D/2 - a atanh(H/L).
Catenary catenary_of(const Span& span) {
  const double width = span.width, length = span.length;
  const double a = root(1e-2 * width, 1e2 * width, [&](double b) {
    return std::sqrt(length * length - span.height * span.height) / (2.0 * b) - std::sinh(0.5 * width / b);
  });
  return {a, 0.5 * width - a * std::atanh(span.height / length)};
}

// It follows from where the chain ends, by Newton's method.
Eigen::Vector2d discrete_pull(const Span& span, int n) {
  const double link = span.length / n, w = 1.0 / n;
  const Eigen::Vector2d end(span.width, span.height);
  Eigen::Vector2d unknowns(0.3, -0.5);
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::Vector2d miss = -end;
    Eigen::Matrix2d derivative = Eigen::Matrix2d::Zero();
    for (int k = 0; k < n; ++k) {
      const Eigen::Vector2d pull(unknowns[0], unknowns[1] + (k + 0.5) * w);
      const Eigen::Vector2d along = pull.normalized();
      miss += link * along;
      derivative += link / pull.norm() * (Eigen::Matrix2d::Identity() - along * along.transpose());
    }
    unknowns -= derivative.inverse() * miss;
  }
  return unknowns;
}

double zero_of_bessel(int k) {
  const double about = (k - 0.25) * std::numbers::pi;
  return root(about - 0.2, about + 0.2, [](double x) { return bessel_j(0.0, x); });
}

Eigen::VectorXd zeros_of_laguerre(int n) {
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(n, n);
  for (int k = 0; k < n; ++k) {
    jacobi(k, k) = 2 * k + 1;
    if (k > 0) jacobi(k, k - 1) = k;
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(jacobi).eigenvalues();
}

}  // namespace tendril::validation
