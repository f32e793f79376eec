// Contacts on nodes that can feel each other (docs/theory/contact.md, "Islands"): each group a problem by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// Some contacts of a space, cut into those that share no block, in the order of their first members. What has no block
// is with the first ones.
std::vector<std::vector<std::uint32_t>> apart(const NodeSpace& space, std::span<const std::uint32_t> members);

// The islands of a packed space, the largest first; their contacts have the names of the whole, and they use its
// compliances.
std::vector<NodeSpace> node_islands(const NodeSpace& whole);

}  // namespace tendril::contact
