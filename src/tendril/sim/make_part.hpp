// One set of strands made ready to run.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/sim/world.hpp"

namespace tendril {

Result<World::Part> make_part(const StrandSet& set, const std::vector<JointSettings>& joints, std::uint64_t seed);

}  // namespace tendril
