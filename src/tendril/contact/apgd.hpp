// Accelerated projected gradients on the dual, with De Saxcé's correction at every iterate: the fixed point is
// Coulomb's law, not its convex relaxation (docs/theory/contact.md, "Accelerated gradients"). All contacts at once, so
// threads share it without colours, and bits do not depend on their number.
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_gradients.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// `speed`: what errors are relative to [m/s]. r: the start, then the best impulses that were met.
Report accelerated_gradients(const NodeSpace& space, const Options& options, double speed, Impulses& r);
// The same until no more than this share of the contacts is above the tolerance. The error is that of the iteration,
// which may be in single precision.
Report gradients_until_few(NodeGradients& engine, const Options& options, double speed, double share, Impulses& r);
NodeGradients::Precision precision_of_gradients(const NodeSpace& space, const Options& options);
Report accelerated_gradients(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
