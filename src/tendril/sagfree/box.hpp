// How far the parameters of a strand may go (docs/theory/sag-free.md, Eq. 3).
#pragma once

#include <Eigen/Core>

#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/strand_problem.hpp"

namespace tendril::sagfree {

struct Box {
  Eigen::VectorXd lower, upper;
};

// mu bounds each component of rest curvature, whatever the options say: a disc is no box.
Box box_of(const StrandProblem& problem, const Options& options, double mu);

// Leaves no edge that can move a strain below this one, as drawn.
void tauten(const StrandProblem& problem, double strain, Box& box);

}  // namespace tendril::sagfree
