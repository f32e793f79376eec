// What strands stand on and meet, for pictures: colliders, the head of a generated hairstyle, which goes with the
// roots, and the mesh that carries roots. They are in the cache, so that it shows by itself what the scene was.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tendril/geometry/mesh.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

struct Body {
  std::string name;
  TriangleMesh mesh;     // as it was drawn, or at time 0
  std::size_t part = 0;  // whose roots it goes with, if it is no collider
  std::optional<std::size_t> collider;
  std::shared_ptr<const MeshSequence> motion;  // nothing: it is rigid
};
std::vector<Body> bodies(const World& world);

// The channels body_pose and body_points_N of docs/cache.md.
void add_body_channels(const World& world, const std::vector<Body>& bodies, const WorldState& state, Frame& frame);

}  // namespace tendril
