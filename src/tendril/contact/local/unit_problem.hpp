// A local problem in the units of its solvers: tr w = 3, so that rho = 1, and the largest entry of b is one
// (docs/theory/contact.md, Eq. 14). No product overflows, and residuals are shares of |b|.
#pragma once

#include <algorithm>
#include <limits>

#include "tendril/contact/law.hpp"
#include "tendril/contact/local_problem.hpp"

namespace tendril::contact::local {

struct UnitProblem : LocalProblem {
  double tolerance;  // on |f|
  Vector3d velocity(const Vector3d& r) const { return w * r + b; }
};

struct Attempt {
  Vector3d r;
  double residual;  // |f|
  int iterations;
};

inline double residual(const UnitProblem& problem, const Vector3d& r) {
  return law_residual_value(r, problem.velocity(r), problem.mu, 1.0).norm();
}

inline Attempt judged(const UnitProblem& problem, const Vector3d& r, int iterations) {
  return {r, residual(problem, r), iterations};
}

// What round-off makes of a residual that is zero (Eq. 15).
inline double noise(const UnitProblem& problem, const Vector3d& r) {
  return 64.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, problem.mu) * (1.0 + r.norm());
}

inline bool solved(const UnitProblem& problem, const Attempt& attempt) {
  return attempt.residual <= problem.tolerance || attempt.residual <= noise(problem, attempt.r);
}

// A NaN is never better.
inline bool better(const Attempt& a, const Attempt& than) { return a.residual < than.residual; }

}  // namespace tendril::contact::local
