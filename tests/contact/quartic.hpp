// The sliding solutions by the quartic of the paper and its real roots (docs/theory/contact.md, Eq. 27): a second way
// to what `enum` finds with G, slower and less robust, by which tests judge it.
#pragma once

#include "contact/real_roots.hpp"
#include "tendril/contact/local/enumerative.hpp"

namespace tendril::contact::local {

// Coefficients of P from that of 1 to that of α⁴.
std::array<double, 5> sliding_quartic(const LocalProblem& problem);

// Positive roots of P; those of the other family, on which r_N < 0, only if asked for.
RealRoots quartic_sliding_roots(const LocalProblem& problem, bool with_spurious = false);

}  // namespace tendril::contact::local
