// Which strands of a set hang on which (scene key `parent`).
#pragma once

#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/chain/trees.hpp"
#include "tendril/rods/curves.hpp"
#include "tendril/scene/scene.hpp"

namespace tendril {

// Roots must have been drawn where they hang, to a thousandth of their first edge, and are put there to the last bit.
Result<std::vector<chain::Tie>> ties_of(const ParentSettings& settings, Curves& curves);

}  // namespace tendril
