// Simulated time as an integer, so that it adds up exactly however steps are cut: a sub-step is 1024 ticks, and a step
// that failed is tried again with half of its ticks, down to one.
#pragma once

#include <cstdint>

namespace tendril {

struct Clock {
  static constexpr std::int64_t ticks_per_substep = 1024;
  std::int64_t ticks = 0;

  double time(double substep) const { return double(ticks) / double(ticks_per_substep) * substep; }  // [s]
};

}  // namespace tendril
