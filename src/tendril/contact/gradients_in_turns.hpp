// Accelerated gradients on all contacts until few are left that are far from the law, then on these and their
// neighbours (docs/theory/contact.md, "The last few").
#pragma once

#include "tendril/contact/node_response.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// `response`: of the space.
Report gradients_in_turns(const NodeSpace& space, const Options& options, double speed, NodeResponse& response,
                          Impulses& r);

}  // namespace tendril::contact
