// The general optimiser over strands: what the sweep does not cover, and the methods that it is compared with.
#pragma once

#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"
#include "tendril/sagfree/progress.hpp"

namespace tendril::sagfree {

// Seeks the rest state of the strands of each set, which share their stiffness if the options say so, by the mode of
// the options (sweep: full), in parallel, and writes it into `rest`. `strands` have the initial rest state; the search
// starts there, or in mode sweep and with Start::sweep from a start in balance.
void optimise_generally(const Options& options, const der::State& state, const der::Strands& strands,
                        const std::vector<std::vector<std::size_t>>& sets, Progress& progress, der::RestState& rest,
                        std::vector<StrandOutcome>& outcomes);

}  // namespace tendril::sagfree
