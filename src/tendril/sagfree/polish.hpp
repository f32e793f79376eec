// The last digits of the balance (docs/theory/sag-free.md, Eq. 12).
#pragma once

#include "tendril/sagfree/coupled_problem.hpp"

namespace tendril::sagfree {

// Takes what is left of the net force away by the least change of the parameters that are off their bounds: a few
// corrections, as long as the force falls (Eq. 12). Multipliers alone would take hundreds of iterations for the same.
void polish(const CoupledProblem& problem, const Box& box, Eigen::VectorXd& p);

}  // namespace tendril::sagfree
