// The three cases of the law in turn (docs/theory/contact.md, Eq. 18 to 22): take-off, stick, and slide by the roots of
// one scalar function. With w positive definite there always is an answer.
#pragma once

#include <array>

#include "tendril/contact/cone_gap.hpp"
#include "tendril/contact/local/unit_problem.hpp"

namespace tendril::contact::local {

// The sliding impulses are a curve over α = |u_T|/|r_T|, from which u_N = 0 has been eliminated (Eq. 18).
struct SlidingCurve {
  SlideFactor factor;
  ConeGap gap;
  double mu;  // > 0

  // The impulse on the cone whose direction the curve has at α and which makes u_N = 0. False: r_N would be negative.
  bool impulse(double alpha, Vector3d& r) const;
};
SlidingCurve sliding_curve(const LocalProblem& problem);

// Every α > 0 at which the curve meets the cone, ascending (Eq. 20, 21).
struct SlidingRoots {
  std::array<double, 6> alpha;
  int count = 0, iterations = 0;
};
SlidingRoots sliding_roots(const SlidingCurve& curve);

// Of several sliding solutions the one nearest to `reference`.
Attempt enumerative(const UnitProblem& problem, const Vector3d& reference);

}  // namespace tendril::contact::local
