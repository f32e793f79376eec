// The rival of figure 5: rest shapes alone, with the box of their bounds as a penalty,
//   min over p   R(p) + 1/2 rho |c(p)|^2 + 1/2 w |p - box(p)|^2,
// box(p) the point of the box next to p, by Newton's method with a banded factorisation and a line search. As any
// penalty it ends outside, the more so the smaller w.
#pragma once

#include "tendril/sagfree/augmented_lagrangian.hpp"

namespace tendril::experiments::sagfree {

struct BoxPenaltyReport {
  int iterations = 0;
  bool converged = false;
};

// p: the start, then the result. Of the options the weights, rho, the cap on iterations and the tolerance on a step.
BoxPenaltyReport minimise_with_box_penalty(const tendril::sagfree::StrandProblem& problem,
                                           const tendril::sagfree::Box& box,
                                           const tendril::sagfree::LagrangianOptions& options, double box_weight,
                                           Eigen::VectorXd& p);

}  // namespace tendril::experiments::sagfree
