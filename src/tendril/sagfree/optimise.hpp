// Rest shapes and stiffness under which strands keep their drawn shape: the entry point of sagfree/.
#pragma once

#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"

namespace tendril::sagfree {

// Changes the rest state of `strands` so that `state`, usually their start pose, is in equilibrium under gravity and
// their loads, and tells what became of each. Zero gravity without loads changes nothing.
Result<Outcome> optimise(const Options& options, const der::State& state, der::Strands& strands);

}  // namespace tendril::sagfree
