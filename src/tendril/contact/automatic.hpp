// `auto`: which solver when (docs/theory/contact.md, "Which one").
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// `response`: of the space.
Report solve_in_turn(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r);
Report solve_in_turn(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r);

}  // namespace tendril::contact
