// Modified proportioning with reduced gradient projection (docs/theory/box-qp.md, section MPRGP): conjugate gradients
// on the face of x, a projected gradient step where they leave the box, and a step off the face where that promises
// more. Every iterate is in the box, to the bit, and with the fixed expansion step the objective never rises.
#pragma once

#include "tendril/linalg/bcqp/preconditioner.hpp"
#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

struct MprgpWork {
  Vector gradient, preconditioned, direction, product;  // g, z, p, A p
  Vector free;                                          // F
  Vector free_gradient, chopped_gradient;               // φ, β
  Vector work;
};

// x: the start, which must be in the box; then the last iterate, which is the best.
[[nodiscard]] Outcome mprgp(Run& run, FacePreconditioner& preconditioner, MprgpWork& work, Vector& x);

}  // namespace tendril::bcqp
