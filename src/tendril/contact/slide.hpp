// The sliding impulse of one contact in closed form but for one scalar root (docs/theory/contact.md, Eqs. 18 to
// 20), for sweeps that come back to a contact again and again: one root, from where the last one was.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace tendril::contact {

// What does not change while Gauss-Seidel sweeps over a contact: u = W r + b with this W.
struct SlideFactor {
  double normal = 0.0;                                   // w_N
  Eigen::Vector2d tangential = Eigen::Vector2d::Zero();  // w_T
  Eigen::Matrix2d adjugate = Eigen::Matrix2d::Zero();    // of W_T - w_T w_Tᵀ / w_N
  double trace = 0.0, determinant = 0.0;                 // of the same

  explicit SlideFactor(const Eigen::Matrix3d& w) : normal(w(0, 0)), tangential(w.block<2, 1>(1, 0)) {
    const Eigen::Matrix2d reduced = w.block<2, 2>(1, 1) - tangential * tangential.transpose() / normal;
    trace = reduced.trace(), determinant = reduced.determinant();
    adjugate << reduced(1, 1), -reduced(0, 1), -reduced(1, 0), reduced(0, 0);
  }
};

// r with u_N = 0, |r_T| = mu r_N and u_T = -alpha r_T, alpha > 0, for b_N < 0 and a sticking impulse out of the cone.
// `alpha`: where the search starts, then the root. False: no such root was found, which only happens if W is not
// definite.
inline bool slide(const SlideFactor& w, const Eigen::Vector3d& b, double mu, double& alpha, Eigen::Vector3d& r) {
  constexpr int most_iterations = 60;
  constexpr double relative_tolerance = 1e-10;
  const double approach = -b[0], ratio = w.normal / mu;
  const Eigen::Vector2d offset = b.tail<2>() + (approach / w.normal) * w.tangential;  // b'
  const Eigen::Vector2d stick = w.adjugate * offset;                                  // B'
  const double linear = approach * w.trace + w.tangential.dot(offset);
  const double constant = approach * w.determinant + w.tangential.dot(stick);
  const double p = std::abs(linear) + ratio * offset.norm(), q = std::abs(constant) + ratio * stick.norm();
  double low = 0.0, high = (p + std::sqrt(p * p + 4.0 * approach * q)) / approach;  // twice, for round-off
  if (!std::isfinite(high)) return false;
  double x = alpha > 0.0 && alpha < high ? alpha : 0.0;
  for (int i = 0; i < most_iterations; ++i) {
    const Eigen::Vector2d pull = stick + x * offset;
    const double length = pull.norm();
    const double value = (approach * x + linear) * x + constant - ratio * length;
    if (value < 0.0)
      low = x;
    else
      high = x;
    const double slope = 2.0 * approach * x + linear - (length > 0.0 ? ratio * pull.dot(offset) / length : 0.0);
    double next = x - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool settled = std::abs(next - x) <= relative_tolerance * next;
    x = next;
    if (settled) break;
  }
  if (!(x > 0.0)) return false;
  const double denominator = (x + w.trace) * x + w.determinant;
  const Eigen::Vector2d tangential = -(stick + x * offset) / denominator;
  const double normal = (approach - w.tangential.dot(tangential)) / w.normal, length = tangential.norm();
  if (!(normal > 0.0) || !(length > 0.0)) return false;
  alpha = x;
  r[0] = normal, r.tail<2>() = (mu * normal / length) * tangential;
  return r.allFinite();
}

}  // namespace tendril::contact
