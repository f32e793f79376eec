// Contact without friction, and joints, as a linear complementarity problem by block pivoting (docs/theory/contact.md,
// "Active set"): exact in a few dense factorisations.
#pragma once

#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// As accelerated_gradients(). With friction, or more than most_dense_contacts: unsuitable.
Report active_set(const NodeSpace& space, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
