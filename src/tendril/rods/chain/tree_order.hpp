// The order in which trees are walked: each from its root outwards, a held node being the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tendril/rods/chain/tree.hpp"

namespace tendril::chain {

// Trees one after the other. A node is followed by its first child.
struct TreeOrder {
  std::vector<std::uint32_t> nodes;   // their numbers in the input
  std::vector<std::uint32_t> parent;  // places in `nodes`, counted from the root of the tree
  std::vector<std::uint32_t> link;    // the node in the input that has the numbers of the link to this parent
  std::vector<std::size_t> offsets;   // tree t has the places offsets[t] .. offsets[t + 1] - 1
};

// Nothing if the input is bad.
std::optional<TreeOrder> order_of(const Tree& tree);

}  // namespace tendril::chain
