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

// Where G would vanish if all tangential directions were alike: near the root.
double far_root(const ConeGap& gap) { return (gap.weight * gap.speed() - gap.linear) / gap.quadratic; }

// Collects the roots of G piece by piece; on each piece G' is monotone.
struct RootSearch {
  const ConeGap& gap;
  SlidingRoots roots;

  void add_root(double low, double high) {
    const double at_low = gap.value(low).value, at_high = gap.value(high).value;
    if ((at_low < 0.0) == (at_high < 0.0)) return;
    const double guess = far_root(gap), start = guess > low && guess < high ? guess : 0.5 * (low + high);
    const auto found = bracketed_newton([this](double a) { return gap.value(a); }, low, high, start, at_low < 0.0);
    roots.iterations += found.iterations;
    roots.alpha[std::size_t(roots.count++)] = found.at;
  }

  void add_piece(double low, double high) {
    const GapValue left = gap.value(low), right = gap.value(high);
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
  const double normal = problem.w(0, 0);
  const Vector2d coupling = problem.w.col(0).tail<2>();
  const Eigen::Matrix2d reduced = problem.w.bottomRightCorner<2, 2>() - coupling * coupling.transpose() / normal;
  const SlideFactor factor{normal,
                           {coupling[0], coupling[1]},
                           {reduced(1, 1), -reduced(0, 1), reduced(0, 0)},
                           reduced.trace(),
                           reduced(0, 0) * reduced(1, 1) - reduced(0, 1) * reduced(1, 0)};
  return {factor, cone_gap(factor, problem.b.data(), problem.mu), problem.mu};
}

bool SlidingCurve::impulse(double alpha, Vector3d& r) const {
  return sliding_impulse(factor, gap, mu, alpha, r.data());
}

SlidingRoots sliding_roots(const SlidingCurve& curve) {
  const ConeGap& gap = curve.gap;
  RootSearch search{gap, {}};
  const double bound = gap.bound(), speed2 = gap.speed() * gap.speed();
  if (!(speed2 > 0.0) || !std::isfinite(bound)) return search.roots;
  // G is concave between the two points where |B + αb'|³ = k, and convex elsewhere (Eq. 21).
  const double k = gap.weight * gap.cross() * gap.cross() / (2.0 * gap.quadratic);
  const double nearest = -(gap.adjoint[0] * gap.sliding[0] + gap.adjoint[1] * gap.sliding[1]) / speed2;
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
