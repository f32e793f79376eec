// Semismooth Newton on the Alart-Curnier function (docs/theory/contact.md, Eq. 9), with full steps (PAC) or with steps
// by the rule of Goldstein and Price (DAC).
#pragma once

#include "tendril/contact/local/unit_problem.hpp"

namespace tendril::contact::local {

Attempt pac(const UnitProblem& problem, int max_iterations, const Vector3d& start);
Attempt dac(const UnitProblem& problem, int max_iterations, const Vector3d& start);

}  // namespace tendril::contact::local
