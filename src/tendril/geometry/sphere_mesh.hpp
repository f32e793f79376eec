// Meshes of simple bodies, for pictures.
#pragma once

#include "tendril/geometry/mesh.hpp"

namespace tendril {

// The unit sphere: an icosahedron whose triangles are cut in four, `fineness` times.
TriangleMesh sphere_mesh(int fineness);

}  // namespace tendril
