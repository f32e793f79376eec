// The pyramid |r_1|, |r_2| <= μ r_N in place of the cone (docs/theory/contact.md, Eq. 26), by its nine states. Exact
// for the pyramid; for the cone only where the contact sticks or takes off.
#pragma once

#include "tendril/contact/local/unit_problem.hpp"

namespace tendril::contact::local {

Attempt four_sides(const UnitProblem& problem);

}  // namespace tendril::contact::local
