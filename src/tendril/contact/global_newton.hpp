// Newton's method on the laws of all contacts at once (docs/theory/contact.md, "Global Newton"): on the
// Fischer-Burmeister function, or on Alart and Curnier's. From far it may stall; from near it converges in a few steps.
#pragma once

#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// As accelerated_gradients(); `function` is newton_mfb, newton_ac or newton_jm.
Report global_newton(const NodeSpace& space, const Options& options, Solver function, double speed, Impulses& r);

}  // namespace tendril::contact
