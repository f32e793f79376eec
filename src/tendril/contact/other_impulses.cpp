#include "tendril/contact/other_impulses.hpp"

#include <Eigen/LU>

namespace tendril::contact {

using Eigen::Matrix3d;
using Eigen::Vector3d;

bool factorise(const Matrix3d& w, double mu, LocalFactor& factor) {
  constexpr double least_share = 1e-10;  // of a pivot: beyond that the closed form loses its digits
  SlideFactor& s = factor.sliding;
  s.normal = w(0, 0), s.coupling[0] = w(1, 0), s.coupling[1] = w(2, 0);
  factor.mu = mu;
  factor.tangential[0] = w(1, 1), factor.tangential[1] = w(1, 2), factor.tangential[2] = w(2, 2);
  if (!(w(0, 0) > least_share * w.trace())) return false;
  const Eigen::Vector2d coupling = w.block<2, 1>(1, 0);
  const Eigen::Matrix2d reduced = w.block<2, 2>(1, 1) - coupling * coupling.transpose() / w(0, 0);
  s.adjugate[0] = reduced(1, 1), s.adjugate[1] = -reduced(0, 1), s.adjugate[2] = reduced(0, 0);
  s.trace = reduced.trace(), s.determinant = reduced.determinant();
  if (!(s.determinant > least_share * w.trace() * s.trace)) return false;
  const Matrix3d inverse = w.inverse();
  int k = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = row; column < 3; ++column)
      factor.inverse[k++] = 0.5 * (inverse(row, column) + inverse(column, row));
  return true;
}

namespace {

// u = 0. A proximal shift keeps a singular W from mattering: it vanishes where nothing changes any more.
Vector3d joint_impulse(const Matrix3d& w, const Vector3d& b, const Vector3d& old) {
  const double shift = 1e-9 * w.trace();
  return (w + shift * Matrix3d::Identity()).fullPivLu().solve(shift * old - b);
}

}  // namespace

Vector3d OtherImpulses::solve(const Matrix3d& w, Law law, double mu, const Vector3d& b, const Vector3d& old) {
  if (law == Law::bilateral) return joint_impulse(w, b, old);
  if (b[0] >= 0.0) return Vector3d::Zero();
  LocalOptions local = options.local.value_or(LocalOptions{});
  local.tolerance = tolerance;
  const LocalReport found = solve_local({w, b, mu}, local, old);
  rescued += found.outcome == LocalOutcome::rescued;
  unsolved += found.outcome == LocalOutcome::unsolved;
  return found.r;
}

}  // namespace tendril::contact
