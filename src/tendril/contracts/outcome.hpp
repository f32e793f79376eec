// How a step ended.
#pragma once

#include <cstdint>

namespace tendril {

enum class Outcome : std::uint8_t {
  converged,
  usable,  // finite and bounded, a residual above tolerance: committed, counted, marked
  failed,  // the state is untouched: the caller halves the step
};

}  // namespace tendril
