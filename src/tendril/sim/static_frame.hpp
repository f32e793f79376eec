// A frame of a static run: the equilibrium of every strand with its clamps and holds where their motions have them.
#pragma once

#include <cstddef>

#include "tendril/sim/step.hpp"

namespace tendril {

// A strand counts once in each frame.
struct StaticSummary {
  std::size_t strands = 0, converged = 0, unstable = 0;
  double residual = 0.0;  // largest, over the load
  int iterations = 0;     // most of any strand

  StaticSummary& operator+=(const StaticSummary& other);
};

struct StaticFrame {
  StaticSummary summary;
  Residuals measured;
};

// Moves the state on by one frame.
StaticFrame solve_static_frame(const World& world, WorldWorkspace& work, WorldState& state);

}  // namespace tendril
