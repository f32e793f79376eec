// Alternating directions with one factorisation (docs/theory/contact.md, "ADMM"): for comparison, and for many steps
// with the same matrix.
#pragma once

#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// As accelerated_gradients().
Report alternating_directions(const NodeSpace& space, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
