// One set of strands made ready to run.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/sim/world.hpp"

namespace tendril {

// Clamps that hold the same vertex must not be moved: they would pull it to two places.
Status check_moving_clamps(const der::Clamps& clamps, const Curves& curves);

// `gravity` is what a sag-free rest state balances.
Result<World::Part> make_part(const StrandSet& set, const std::vector<JointSettings>& joints, std::uint64_t seed,
                              const Eigen::Vector3d& gravity);

}  // namespace tendril
