// Some contacts of a problem, with all others on their blocks, as a problem by itself in which the impulses of the rest
// stay as they are (docs/theory/contact.md, "The last few").
#pragma once

#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

struct Neighbourhood {
  NodeSpace space;                    // names of its contacts are their places in the whole
  std::vector<std::uint32_t> blocks;  // of the whole, that it moves
};

// Those that share no block are problems apart. `is_chosen`: one per contact of the space. `rings`: 1 for those that
// share a block with one of these, 2 for those too that share one with them, and so on. `v`: velocities of the nodes of
// the space under r, four numbers for each.
std::vector<Neighbourhood> neighbourhoods(const NodeSpace& space, std::span<const char> is_chosen, int rings,
                                          const Impulses& r, std::span<const double> v);

}  // namespace tendril::contact
