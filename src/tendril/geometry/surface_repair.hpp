// A mesh made fit to have an inside and an outside: triangles without area are left out, neighbours turn the same way,
// and what is closed has its outside outside. What cannot be mended (holes, edges at which more than two triangles
// meet, strips that turn round once) is counted. Points stay as they are; those at the same place count as one.
#pragma once

#include <cstddef>
#include <string>

#include "tendril/geometry/mesh.hpp"

namespace tendril {

struct SurfaceRepairs {
  std::size_t without_area = 0;  // triangles, left out
  std::size_t turned = 0;        // triangles, turned round
  std::size_t open = 0;          // edges of one triangle only
  std::size_t branching = 0;     // edges of three triangles or more
  std::size_t twisted = 0;       // edges at which two triangles cannot be made to turn the same way

  bool any() const { return without_area + turned + open + branching + twisted > 0; }
  std::string text() const;  // "3 triangles without area left out, 12 turned round"; empty: nothing
};

SurfaceRepairs repair_surface(TriangleMesh& mesh);

}  // namespace tendril
