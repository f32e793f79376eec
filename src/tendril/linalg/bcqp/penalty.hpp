// A quadratic penalty on violated bounds in place of bounds (docs/theory/box-qp.md, Eq. 17), by Newton's method. It
// ends outside the box, the more so the smaller the weight: that is what it is compared for.
#pragma once

#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

struct PenaltyWork {
  Vector weight;                      // per entry, in the solver's units
  Vector gradient, violation, added;  // of the whole objective; x minus the nearest point of the box; w where violated
  Vector step, trial, all;
};

// x: the start; then the last iterate. `weight` of the work must be set.
[[nodiscard]] Outcome penalty(Run& run, PenaltyWork& work, Vector& x);

}  // namespace tendril::bcqp
