// Accelerated projected gradients on the dual, with De Saxcé's correction at every iterate: the fixed point is
// Coulomb's law, not its convex relaxation (docs/theory/contact.md, "Accelerated gradients"). All contacts at once, so
// threads share it without colours, and bits do not depend on their number.
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/contact/velocity_space.hpp"

namespace tendril::contact {

// As gauss_seidel().
template <class System>
Report accelerated_gradients(const System& system, const Options& options, double speed, Impulses& r);

extern template Report accelerated_gradients(const ExplicitDelassus&, const Options&, double, Impulses&);
extern template Report accelerated_gradients(const VelocitySpace&, const Options&, double, Impulses&);

}  // namespace tendril::contact
