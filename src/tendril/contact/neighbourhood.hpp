// Some contacts of a problem, with all others on their blocks, as a problem by itself in which the impulses of the rest
// stay as they are (docs/theory/contact.md, "The last few").
#pragma once

#include <span>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// `is_chosen`: one per contact of the space. `v`: velocities of its nodes under r, four numbers for each. Names of the
// contacts are their places in the space.
NodeSpace neighbourhood(const NodeSpace& space, std::span<const char> is_chosen, const Impulses& r,
                        std::span<const double> v);

}  // namespace tendril::contact
