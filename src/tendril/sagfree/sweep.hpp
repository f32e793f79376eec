// The direct equilibrium sweep over all strands of a set, in lanes (docs/theory/sag-free.md, "The sweep").
#pragma once

#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"

namespace tendril::sagfree {

// Whether the sweep covers a strand: clamped at its root, free everywhere else.
bool is_determinate(const der::Strands& strands, std::size_t strand);

// Gives the determinate strands the rest state that balances gravity and loads at `state`, and leaves the others
// alone. `outcomes` get what the sweep knows of its strands: mu, stiffness_factor, negative_modes, bounded or not.
Status sweep(const Options& options, const der::State& state, der::Strands& strands,
             std::vector<StrandOutcome>& outcomes);

}  // namespace tendril::sagfree
