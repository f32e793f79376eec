// Two fixed points that split the normal impulse from friction (docs/theory/contact.md, Eq. 24, 25). That of 2006
// slides along the impulse that would stick: exact only where the tangential part of w is isotropic. That of 2008 is
// exact where it converges.
#pragma once

#include "tendril/contact/local/unit_problem.hpp"

namespace tendril::contact::local {

Attempt duriez06(const UnitProblem& problem, int max_iterations, const Vector3d& start);
Attempt duriez08(const UnitProblem& problem, int max_iterations, const Vector3d& start);

}  // namespace tendril::contact::local
