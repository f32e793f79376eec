// A rest state that balances a strand, near to the best one: the least change of rest shape alone, whatever its size,
// and then each element as much stiffer as its bounds ask for (docs/theory/sag-free.md, "A start in balance").
#pragma once

#include <Eigen/Core>
#include <array>

#include "tendril/sagfree/box.hpp"
#include "tendril/sagfree/strand_problem.hpp"

namespace tendril::sagfree {

// Factors on bending, twisting and stretching that all elements have at least; for strands that share them.
using CommonFactors = std::array<double, 3>;

// Rest shape alone, without bounds: p with the stiffness of the start. Not balanced if no rest shape is.
Eigen::VectorXd balancing_rest_shape(const StrandProblem& problem);

// The same stresses within the box: an element that is φ times as stiff needs 1/φ of its strain. `common`: raised to
// what is needed. Where a bound leaves no φ, or stiffness has a cap, the parameters are put on their bounds.
void gather_factors(const StrandProblem& problem, const Box& box, const Eigen::VectorXd& rest, CommonFactors& common);
Eigen::VectorXd stiffen(const StrandProblem& problem, const Box& box, const Eigen::VectorXd& rest,
                        const CommonFactors& least);

}  // namespace tendril::sagfree
