#include "tendril/contact/local/enumerative.hpp"

#include <cmath>

#include "tendril/contact/bracketed_newton.hpp"
#include "tendril/contact/local/mfb.hpp"
#include "tendril/contact/local/solve3.hpp"

namespace tendril::contact::local {
namespace {

constexpr double immobile = 1e-14;             // w_N below this cannot stop the approach
constexpr double negligible_approach = 1e-30;  // -b_N: r = 0 is an answer to round-off, and α would overflow
constexpr int polish_steps = 3;

// G of Eq. 19, which has the sign of μ r_N - |r_T| on the curve.
struct ConeGap {
  double quadratic, linear, constant, weight;
  Vector2d adjoint_sliding, free_sliding;  // B, b'

  double norm(double alpha) const { return (adjoint_sliding + alpha * free_sliding).norm(); }
  double cross() const { return adjoint_sliding[0] * free_sliding[1] - adjoint_sliding[1] * free_sliding[0]; }

  ValueAndSlope value(double alpha) const {
    const Vector2d along = adjoint_sliding + alpha * free_sliding;
    const double length = along.norm(), growth = length > 0.0 ? along.dot(free_sliding) / length : free_sliding.norm();
    return {(quadratic * alpha + linear) * alpha + constant - weight * length,
            2.0 * quadratic * alpha + linear - weight * growth};
  }
  ValueAndSlope slope(double alpha) const {
    const double length = norm(alpha), area = cross();
    return {value(alpha).slope, 2.0 * quadratic - weight * area * area / (length * length * length)};
  }
  // Where G would vanish if all tangential directions were alike: near the root.
  double far_root() const { return (weight * free_sliding.norm() - linear) / quadratic; }
  // Beyond half of it G is positive, whatever round-off does.
  double bound() const {
    const double p = std::abs(linear) + weight * free_sliding.norm();
    const double q = std::abs(constant) + weight * adjoint_sliding.norm();
    return (p + std::sqrt(p * p + 4.0 * quadratic * q)) / quadratic;
  }
};

ConeGap cone_gap(const SlidingCurve& c) {
  const Eigen::Matrix2d& w = c.tangential;
  const Vector2d& b = c.free_sliding;
  const Vector2d adjoint(w(1, 1) * b[0] - w(0, 1) * b[1], w(0, 0) * b[1] - w(1, 0) * b[0]);
  const double determinant = w(0, 0) * w(1, 1) - w(0, 1) * w(1, 0);
  return {c.approach,
          c.approach * w.trace() + c.coupling.dot(b),
          c.approach * determinant + c.coupling.dot(adjoint),
          c.normal_mobility / c.mu,
          adjoint,
          b};
}

// Collects the roots of G piece by piece; on each piece G' is monotone.
struct RootSearch {
  const ConeGap& gap;
  SlidingRoots roots;

  void add_root(double low, double high) {
    const double at_low = gap.value(low).value, at_high = gap.value(high).value;
    if ((at_low < 0.0) == (at_high < 0.0)) return;
    const double guess = gap.far_root(), start = guess > low && guess < high ? guess : 0.5 * (low + high);
    const auto found = bracketed_newton([this](double a) { return gap.value(a); }, low, high, start, at_low < 0.0);
    roots.iterations += found.iterations;
    roots.alpha[std::size_t(roots.count++)] = found.at;
  }

  void add_piece(double low, double high) {
    const ValueAndSlope left = gap.value(low), right = gap.value(high);
    const bool same_sign = (left.value < 0.0) == (right.value < 0.0), turns = (left.slope < 0.0) != (right.slope < 0.0);
    if (!same_sign || !turns) return add_root(low, high);
    const auto turn =
        bracketed_newton([this](double a) { return gap.slope(a); }, low, high, 0.5 * (low + high), left.slope < 0.0);
    roots.iterations += turn.iterations;
    add_root(low, turn.at);
    add_root(turn.at, high);
  }
};

bool stick(const UnitProblem& problem, Vector3d& r) {
  return solve3(problem.w, -problem.b, r) && r.tail<2>().norm() <= problem.mu * r[0];
}

// Without a root, round-off has hidden the one next to sticking: the cone at α = 0.
Attempt slide(const UnitProblem& problem, const Vector3d& reference) {
  const SlidingCurve curve = sliding_curve(problem);
  SlidingRoots roots = sliding_roots(curve);
  if (roots.count == 0) roots.alpha[std::size_t(roots.count++)] = 0.0;
  Attempt found{Vector3d::Zero(), std::numeric_limits<double>::infinity(), roots.iterations};
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < roots.count; ++k) {
    Vector3d r;
    if (!curve.impulse(roots.alpha[std::size_t(k)], r)) continue;
    const double distance = (r - reference).norm();
    if (distance < nearest) nearest = distance, found.r = r;
  }
  found.residual = residual(problem, found.r);
  return found;
}

Attempt polished(const UnitProblem& problem, Attempt found) {
  if (found.residual <= problem.tolerance) return found;
  const Attempt polish = mfb(problem, polish_steps, found.r);
  found.iterations += polish.iterations;
  if (better(polish, found)) found.r = polish.r, found.residual = polish.residual;
  return found;
}

}  // namespace

SlidingCurve sliding_curve(const LocalProblem& problem) {
  const double normal = problem.w(0, 0), approach = -problem.b[0];
  const Vector2d coupling = problem.w.col(0).tail<2>();
  return {normal,
          approach,
          problem.mu,
          coupling,
          problem.w.bottomRightCorner<2, 2>() - coupling * coupling.transpose() / normal,
          problem.b.tail<2>() + (approach / normal) * coupling};
}

bool SlidingCurve::impulse(double alpha, Vector3d& r) const {
  const Vector2d& b = free_sliding;
  const Eigen::Matrix2d& w = tangential;
  const Vector2d against(w(0, 1) * b[1] - (w(1, 1) + alpha) * b[0], w(1, 0) * b[0] - (w(0, 0) + alpha) * b[1]);
  const double length = against.norm();
  if (!(length > 0.0)) return false;
  const Vector2d direction = against / length;
  const double resistance = normal_mobility + mu * coupling.dot(direction);
  if (!(resistance > 0.0)) return false;
  const double normal = approach / resistance;
  r << normal, mu * normal * direction;
  return r.allFinite();
}

SlidingRoots sliding_roots(const SlidingCurve& curve) {
  const ConeGap gap = cone_gap(curve);
  RootSearch search{gap, {}};
  const double bound = gap.bound(), speed2 = curve.free_sliding.squaredNorm();
  if (!(speed2 > 0.0) || !std::isfinite(bound)) return search.roots;
  // G is concave between the two points where |B + αb'|³ = k, and convex elsewhere (Eq. 21).
  const double k = gap.weight * gap.cross() * gap.cross() / (2.0 * gap.quadratic);
  const double nearest = -gap.adjoint_sliding.dot(gap.free_sliding) / speed2;
  const double least = gap.norm(std::max(0.0, nearest));
  double from = 0.0;
  if (least * least * least < k) {
    const double c = std::cbrt(k), area = gap.cross();
    const double half = std::sqrt(std::max(0.0, c * c - area * area / speed2) / speed2);
    for (const double inflection : {nearest - half, nearest + half})
      if (inflection > from && inflection < bound) search.add_piece(from, inflection), from = inflection;
  }
  search.add_piece(from, bound);
  return search.roots;
}

Attempt enumerative(const UnitProblem& problem, const Vector3d& reference) {
  Vector3d r = Vector3d::Zero();
  const double approach = -problem.b[0], mobility = problem.w(0, 0);
  if (!(approach > negligible_approach) || !(mobility > immobile)) return judged(problem, r, 0);
  if (problem.mu == 0.0) return judged(problem, {approach / mobility, 0.0, 0.0}, 0);
  if (stick(problem, r)) return polished(problem, judged(problem, r, 0));
  return polished(problem, slide(problem, reference));
}

}  // namespace tendril::contact::local
