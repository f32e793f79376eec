#include "tendril/contact/local/alart_curnier.hpp"

#include <cmath>

#include "tendril/contact/local/solve3.hpp"

namespace tendril::contact::local {
namespace {

class AlartCurnierNewton {
 public:
  explicit AlartCurnierNewton(const UnitProblem& problem)
      : problem_(problem), rho_{1.0 / problem.w(0, 0), 2.0 / (problem.w(1, 1) + problem.w(2, 2))} {}

  template <class StepLength>
  Attempt solve(int max_iterations, Vector3d r, StepLength&& step_length) const {
    const double small = 0.25 * problem_.tolerance / (1.0 + problem_.mu);  // then f of Eq. 7 is within the tolerance
    Attempt best = judged(problem_, r, 0);
    int iteration = 0;
    for (; iteration < max_iterations; ++iteration) {
      const LawResidual f = function(r);
      Vector3d step;
      if (!(f.value.norm() > small) || !solve3(f.by_r + f.by_u * problem_.w, -f.value, step)) break;
      r += step_length(*this, r, step, 0.5 * f.value.squaredNorm()) * step;
      const Attempt next = judged(problem_, r, 0);
      const bool improves = next.residual < 0.5 * best.residual;
      if (better(next, best)) best = next;
      if (!std::isfinite(next.residual) || (!improves && solved(problem_, best))) break;
    }
    best.iterations = iteration;
    return best;
  }

  double merit(const Vector3d& r) const { return 0.5 * function(r).value.squaredNorm(); }

 private:
  LawResidual function(const Vector3d& r) const {
    return alart_curnier(r, problem_.velocity(r), problem_.mu, rho_, AlartCurnierVariant::alart_curnier);
  }

  const UnitProblem& problem_;
  AlartCurnierScales rho_;
};

// The slope of the merit along a Newton step is -2 times the merit (Eq. 23).
double goldstein_price(const AlartCurnierNewton& newton, const Vector3d& r, const Vector3d& step, double merit) {
  constexpr int trials = 40;
  constexpr double long_enough = 8.0;
  double low = 0.0, high = std::numeric_limits<double>::infinity(), length = 1.0;
  for (int trial = 0; trial < trials; ++trial) {
    const double value = newton.merit(r + length * step);
    if (!(value <= merit - 0.2 * length * merit))
      high = length;
    else if (value < merit - 1.8 * length * merit && length < long_enough)
      low = length;
    else
      return length;
    length = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * length;
  }
  return length;
}

}  // namespace

Attempt pac(const UnitProblem& problem, int max_iterations, const Vector3d& start) {
  const auto whole = [](const AlartCurnierNewton&, const Vector3d&, const Vector3d&, double) { return 1.0; };
  return AlartCurnierNewton(problem).solve(max_iterations, start, whole);
}

Attempt dac(const UnitProblem& problem, int max_iterations, const Vector3d& start) {
  return AlartCurnierNewton(problem).solve(max_iterations, start, goldstein_price);
}

}  // namespace tendril::contact::local
