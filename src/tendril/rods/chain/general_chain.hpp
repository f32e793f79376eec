// The closest chain where lanes do not reach: with points held anywhere and joints that resist bending, with compliant
// links, and with links that may go slack (docs/theory/chain.md, "Any chain"). One chain as a whole, in double
// precision.
#pragma once

#include <span>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

// `plain` is how the same chain was projected without bending, compliance and slack, which stands in `positions` and is
// where this starts from: a chain that could not be stays as it is, unless its links are soft. Writes its points and
// multipliers.
Outcome project_general(const Chains& chains, std::uint32_t chain, const Options& options, const Outcome& plain,
                        std::span<Vector3d> positions, std::span<double> multipliers);

}  // namespace tendril::chain
