// Gauss-Seidel over contacts: each by Coulomb's law exactly, with the impulses of all others as they stand
// (docs/theory/contact.md, "Gauss-Seidel").
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// As accelerated_gradients().
Report gauss_seidel(const NodeSpace& space, const Options& options, double speed, Impulses& r);
Report gauss_seidel(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
