// The closest chain where lanes do not reach: with points held anywhere and joints that resist bending, with compliant
// links, and with links that may go slack (docs/theory/chain.md, "Any chain"). One chain as a whole, in double
// precision.
#pragma once

#include <span>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

// `positions` is how the same chain was projected without bending, compliance and slack, and where this starts from.
// Between held points that are too far apart for their links, or too near, it stays like that, unless links there are
// soft; all else is solved beside it. Writes points and multipliers.
Outcome project_general(const Chains& chains, std::uint32_t chain, const Options& options,
                        std::span<Vector3d> positions, std::span<double> multipliers);

}  // namespace tendril::chain
