#include "contact/quartic.hpp"

#include <cmath>

namespace tendril::contact::local {
namespace {

// P = (α² + Aα + C)² - D |B + αb̄|².
struct QuarticParts {
  double a, c, d;
  Vector2d adjoint, free;  // B, b̄

  double normal(double alpha) const { return (alpha + a) * alpha + c; }
};

QuarticParts quartic_parts(const LocalProblem& problem) {
  const SlidingCurve curve = sliding_curve(problem);
  const SlideFactor& w = curve.factor;
  const Vector2d coupling(w.coupling[0], w.coupling[1]);
  const Vector2d free = -Vector2d(curve.gap.sliding[0], curve.gap.sliding[1]) / curve.gap.quadratic;
  const Vector2d adjoint(w.adjugate[0] * free[0] + w.adjugate[1] * free[1],
                         w.adjugate[1] * free[0] + w.adjugate[2] * free[1]);
  const double slope = w.normal / curve.mu;
  return {w.trace - coupling.dot(free), w.determinant - coupling.dot(adjoint), slope * slope, adjoint, free};
}

}  // namespace

std::array<double, 5> sliding_quartic(const LocalProblem& problem) {
  const auto [a, c, d, adjoint, free] = quartic_parts(problem);
  return {c * c - d * adjoint.squaredNorm(), 2.0 * (a * c - d * free.dot(adjoint)),
          a * a + 2.0 * c - d * free.squaredNorm(), 2.0 * a, 1.0};
}

RealRoots quartic_sliding_roots(const LocalProblem& problem, bool with_spurious) {
  const std::array<double, 5> coefficients = sliding_quartic(problem);
  double bound = 1.0;  // Cauchy's, of all roots
  for (const double coefficient : coefficients) bound = std::max(bound, 1.0 + std::abs(coefficient));
  const RealRoots all = real_roots(coefficients, 0.0, bound);
  const QuarticParts parts = quartic_parts(problem);
  RealRoots kept;
  for (const double alpha : all.span())
    if (alpha > 0.0 && (with_spurious || parts.normal(alpha) >= 0.0)) kept.values[std::size_t(kept.count++)] = alpha;
  return kept;
}

}  // namespace tendril::contact::local
