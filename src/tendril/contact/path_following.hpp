// Follows a curve of solutions from a convex problem to Coulomb's law, round its folds (docs/theory/contact.md, "Path
// following"): for much friction, where Newton's method circles.
#pragma once

#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// Whether it may be followed: without pushes, and with so few unknowns that a dense factorisation is bearable.
bool has_path(const NodeSpace& space);

// As accelerated_gradients(), but begins where the curve does, whatever r is.
Report follow_path(const NodeSpace& space, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
