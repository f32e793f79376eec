// How a rod measures bending at a vertex (docs/theory/der.md, "Bending").
#pragma once

#include <cstdint>

namespace tendril::der {

enum class Curvature : std::uint8_t {
  four,                 // in the frames of both edges: invariant under any turn of a frame; the default
  averaged,             // 2D, mean of the two: loses bending when neighbouring frames are turned by half a turn
  slerped,              // 2D, in the frame half-way between the two
  slerped_approximate,  // the same with a gradient that is not the energy's: for comparison only
};

}  // namespace tendril::der
