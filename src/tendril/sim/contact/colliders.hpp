// Bodies that strands meet, as they are at some time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/body.hpp"
#include "tendril/geometry/surface_repair.hpp"
#include "tendril/scene/contact_settings.hpp"

namespace tendril {

struct World;
struct WorldState;
struct DriveSpan;

struct Collider {
  ColliderSettings settings;
  collide::Shape shape;             // as drawn; of what deforms: at time 0
  std::optional<std::size_t> part;  // whose roots carry it
  SurfaceRepairs repairs;           // of a mesh
};
Result<std::vector<Collider>> make_colliders(const std::vector<ColliderSettings>& settings, const World& world);

// From the shape's own frame; `share` of the way to a given pose of the roots that carry it.
Pose collider_pose(const World& world, const Collider& collider, double time, double share, const WorldState& state);

// Over a step; what deforms has the shape that it has at `time` of the step (0: start, 1: end).
Status collider_bodies(const World& world, const DriveSpan& span, const WorldState& state, double time,
                       std::vector<collide::Body>& out);

}  // namespace tendril
