// Proximal semismooth Newton in the velocities (docs/theory/contact.md, "Proximal Newton"): few, dear steps, for
// tolerances that gradients do not reach.
#pragma once

#include <cstdint>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// Whether it ends where it has come to circle, or goes on for all of its steps: it passes by solutions at a distance,
// again and again, and sooner or later near enough (docs/theory/contact.md, "Proximal Newton").
enum class Patience : std::uint8_t { usual, endless };

constexpr double usual_rounding = 0.03;

// As accelerated_gradients().
// `rounding`: of |u_T|, as a share of the error at hand; some problems need little of it, others much.
Report proximal_newton(const NodeSpace& space, const Options& options, double speed, Impulses& r,
                       double rounding = usual_rounding, Patience patience = Patience::usual);
Report proximal_newton(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r);

// The factor of W may fill up: more than that take too much memory.
constexpr std::size_t most_stored_contacts = 3000;
bool has_newton(const ExplicitDelassus& system);

// Of one of its steps: multiplications of the factorisation.
double newton_operations(const NodeSpace& space);
double newton_operations(const ExplicitDelassus& system);

}  // namespace tendril::contact
