// The direct equilibrium sweep over all strands of a set, in lanes (docs/theory/sag-free.md, "The sweep").
#pragma once

#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/determinate.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"

namespace tendril::sagfree {

enum class MuChoice : std::uint8_t {
  by_options,  // given there, or lowered until the strand is stable
  kept,        // that of the outcomes
};

// Gives the determinate strands the rest state that balances gravity and loads at `state`, and leaves the others
// alone. `outcomes` get what the sweep knows of its strands: mu, negative_modes, bounded or not.
Status sweep(const Options& options, MuChoice mu, const der::State& state, der::Strands& strands,
             std::vector<StrandOutcome>& outcomes);

}  // namespace tendril::sagfree
