// Cem Yuksel's .hair files, little-endian:
//
//   byte  size  what
//   0     4     "HAIR"
//   4     4     u32  strands
//   8     4     u32  points of all strands
//   12    4     u32  flags, one for each array that follows:
//                    1 segments, 2 points, 4 thickness, 8 transparency, 16 colour
//   16    4     u32  segments of a strand, if there is no such array
//   20    4     f32  thickness, likewise
//   24    4     f32  transparency, likewise
//   28    12    f32  colour, likewise
//   40    88         text
//   128         u16  segments[strands]
//               f32  points[3 points], thickness[points], transparency[points], colour[3 points],
//                    each only if flagged
//
// A strand of n segments has n + 1 points, and these add up to `points`. Thickness is a diameter. The default thickness
// is no radius: most writers leave a number there that means nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

Result<Groom> decode_hair(std::span<const std::byte> bytes, const std::string& name);
// Positions, radius, and the attributes "transparency" and "color".
Result<std::vector<std::byte>> encode_hair(const Groom& groom, const std::string& name);

}  // namespace tendril
