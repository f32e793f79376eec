// What pulls in the edges of strands at the end of a step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// Whether a model of the world tells its tensions by itself: others have them from their strain and stiffness.
bool tells_tensions(const World& world);

// [N] of every edge of the simulated strands of part i, by first vertices, those of last vertices 0; NaN where nothing
// is known: before the first step, and of models that cannot tell.
std::vector<double> tensions(const World& world, std::size_t i, const LastStep& last, const WorldState& state);

// The same of one frame, found when they are first asked for: probes and channels share them.
class FoundTensions {
 public:
  const std::vector<double>& of_part(const World& world, std::size_t i, const LastStep& last, const WorldState& state);

 private:
  std::vector<std::optional<std::vector<double>>> parts_;
};

// Per edge of all grooms, one after the other.
void gather_tensions(const World& world, const LastStep& last, const WorldState& state, FoundTensions& found,
                     std::span<float> out);

}  // namespace tendril
