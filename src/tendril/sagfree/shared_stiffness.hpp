// Stiffness in common, or smooth along a strand, for strands that the sweep covers (docs/theory/sag-free.md, "Stiffness
// in common"): their stresses do not depend on stiffness, so each element only needs to be stiff enough.
#pragma once

#include <cstddef>
#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"

namespace tendril::sagfree {

// Whether the stiffness of an element depends on that of others.
bool couples(const Options& options);

// Strands that are solved together: each alone, or those of a group. Strands that nothing holds are in none.
std::vector<std::vector<std::size_t>> strand_sets(const Options& options, const der::Strands& strands);

// The sweep, then the least stiffness that all elements of a set can have in common; sets with a strand that is out of
// balance or that the sweep does not cover are left as the sweep has them.
Status sweep_in_common(const Options& options, const der::State& state, der::Strands& strands,
                       std::vector<StrandOutcome>& outcomes);

}  // namespace tendril::sagfree
