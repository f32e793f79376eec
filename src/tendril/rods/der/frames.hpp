// Frames of edges that were moved by other hands than a step's.
#pragma once

#include <cstddef>
#include <span>

namespace tendril::der {

// One lane of a state stream whose slots begin ... vertices - 1 have moved from where they are in `before`: directors
// follow their edges by parallel transport, reference twists follow the directors.
void carry_frames(std::span<const double> before, std::span<double> state, int begin, int vertices, int lanes,
                  std::size_t lane);

}  // namespace tendril::der
