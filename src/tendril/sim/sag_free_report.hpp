// What a sag-free start came to, for reports and for people.
#pragma once

#include <string>

#include "tendril/sagfree/outcome.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril {

// An object with the keys of docs/commands/sagfree.md.
std::string sag_free_json(const sagfree::Summary& summary);

// Largest displacement of a stable strand from its start pose, over the strand's length.
double largest_drift(const der::Strands& strands, const sagfree::Outcome& outcome, const der::State& state);

}  // namespace tendril
