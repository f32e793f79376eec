// Projected Gauss-Seidel: each entry in turn goes to its own minimum in the box (docs/theory/box-qp.md, Eq. 16). Simple
// and monotone, but it needs as many sweeps as the condition number is large.
#pragma once

#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

struct PgsWork {
  Vector gradient;
};

// x: the start, in the box; then the last iterate.
[[nodiscard]] Outcome pgs(Run& run, PgsWork& work, Vector& x);

}  // namespace tendril::bcqp
