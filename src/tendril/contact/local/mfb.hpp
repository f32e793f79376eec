// Semismooth Newton on the Fischer-Burmeister function f of Eq. 7 (docs/theory/contact.md, Eq. 16, 17): a few steps
// from a good start, but it may fail, the more often the larger mu and the condition of w are.
#pragma once

#include "tendril/contact/local/unit_problem.hpp"

namespace tendril::contact::local {

// The best point that was met.
Attempt mfb(const UnitProblem& problem, int max_iterations, const Vector3d& start);

}  // namespace tendril::contact::local
