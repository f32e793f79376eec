// Mehrotra's predictor-corrector method of interior points (docs/theory/box-qp.md, section Interior points). A flat
// count of factorisations whatever the active set.
#pragma once

#include "tendril/linalg/bcqp/best.hpp"
#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

// All lower bounds, or all upper ones. Slacks are positive: s = ±(x - bound).
struct Side {
  double sign = 1.0;             // of ds = ± dx
  Vector present;                // 1 where the bound is finite and the entry not fixed, 0 elsewhere: there s = 1, z = 0
  Vector slack, dual;            // s, z
  Vector slack_step, dual_step;  // ds, dz
  Vector correction;             // (θμ - ω ds dz) / s, of the last predictor
};

struct IpmWork {
  Side lower, upper;
  Vector free;  // 0 where an entry is fixed
  Vector gradient, right, added, step;
  Vector snapped;
  double first_complementarity = 0.0;
  Best best;
};

// x: the start, in the box; then the result, or on failure the point of the lowest objective met.
[[nodiscard]] Outcome ipm(Run& run, IpmWork& work, Vector& x);

}  // namespace tendril::bcqp
