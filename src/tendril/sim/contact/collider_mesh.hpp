// Colliders as triangles, for pictures.
#pragma once

#include "tendril/geometry/mesh.hpp"
#include "tendril/scene/contact_settings.hpp"

namespace tendril {

// In the shape's own frame. Of a plane a square of some size about its centre.
TriangleMesh collider_mesh(const ColliderShape& shape);

}  // namespace tendril
