// STL: loose triangles, whose equal points are made one again.
//
// Binary layout; numbers are little-endian. n triangles:
//
//   byte      size    what
//   0         80      any text
//   80        4       u32  n
//   84        50 n    triangles, each
//     + 0     12        f32  normal, passed over
//     + 12    36        f32  three points, x y z
//     + 48    2         u16  passed over
//
// A file of exactly 84 + 50 n bytes is binary, even if it begins with "solid", as many do. Any other one has to be
// text:
//
//   solid NAME
//     facet normal NX NY NZ
//       outer loop
//         vertex X Y Z              three times
//       endloop
//     endfacet                      any number of facets
//   endsolid NAME                   any number of solids
//
// Keywords may have capitals. Points are one if all bits of their coordinates are equal, where -0 counts as 0.
// Triangles that have a point twice are left out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"

namespace tendril {

Result<TriangleMesh> read_stl(std::span<const std::byte> bytes, const std::string& name);  // `name` stands in errors

std::vector<std::byte> encode_stl(const TriangleMesh& mesh);  // binary; coordinates are rounded to float32

}  // namespace tendril
