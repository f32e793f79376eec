// TressFX .tfx files, read only, little-endian. All strands have the same number of vertices.
//
//   version 4.0 (header of 160 bytes)            version 3.0 (header of 296 bytes)
//   0    f32  4.0                                0    f32  3.0
//   4    u32  strands                            4    u32  strands
//   8    u32  vertices of each                   8    u32  vertices of each
//   12   u32  byte offset of positions           12   u32  followers of each strand, not in the file
//   16   u32  ... of strand texture coordinates  16   u32  1 = both ends are fixed
//   20   u32  ... of vertex texture coordinates  20   u32  unused[31]
//   24   u32  ... of strand thickness            144  u32  byte offset of positions
//   28   u32  ... of vertex colour               148  u32  five more offsets
//   32   u32  unused[32]                         168  u32  unused[32]
//
// Offsets of 0 say that there is no such array. Positions are f32 x y z w in version 4, where w = 0 marks a pinned
// vertex, and f32 x y z in version 3. Strand texture coordinates are f32 u v, thickness is an f32 factor per strand,
// colour is f32 r g b a: they become the attributes "uv", "thickness", "color" and "alpha".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

Result<Groom> decode_tfx(std::span<const std::byte> bytes, const std::string& name);

}  // namespace tendril
