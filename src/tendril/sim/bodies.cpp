#include "tendril/sim/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/sim/contact/collider_mesh.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

std::string unused_name(const std::string& wish, const std::vector<Body>& bodies) {
  std::string name = wish;
  for (int n = 2; std::ranges::find(bodies, name, &Body::name) != bodies.end(); ++n)
    name = fmt::format("{}-{}", wish, n);
  return name;
}

TriangleMesh head_mesh(const Head& head) {
  TriangleMesh mesh = collider_mesh(collide::Ellipsoid{head.radii});
  for (Vector3d& point : mesh.points) point += head.centre;
  return mesh;
}

TriangleMesh drawn_mesh(const Collider& collider) {
  if (collider.settings.mesh) return {collider.settings.mesh->points_at(0.0), collider.settings.mesh->triangles};
  return collider_mesh(collider.settings.shape);
}

// A collider stands for what the roots grow from, if it goes with them.
bool has_collider(const World& world, std::size_t part) {
  const StrandSet& set = world.parts[part].settings;
  return std::ranges::any_of(world.colliders, [&](const Collider& collider) {
    const auto& mesh = collider.settings.mesh;
    return collider.part == part || (mesh && set.root_mesh && mesh->name == set.root_mesh->name);
  });
}

// From where the body was drawn.
Pose body_pose(const World& world, const Body& body, const WorldState& state, std::vector<Pose>& scratch) {
  if (body.collider)
    return collider_pose(world, world.colliders[*body.collider], state.clock.time(world.run.dt()), 1.0, state);
  const World::Part& part = world.parts[body.part];
  root_poses(world, body.part, state.clock.time(world.run.dt()), 1.0, state, scratch);
  return compose(scratch.front(), inverse(part.to_drawn));
}

}  // namespace

std::vector<Body> bodies(const World& world) {
  std::vector<Body> out;
  for (std::size_t c = 0; c < world.colliders.size(); ++c) {
    const Collider& collider = world.colliders[c];
    out.push_back({unused_name(collider.settings.name, out), drawn_mesh(collider), 0, c, collider.settings.mesh});
  }
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const StrandSet& set = world.parts[i].settings;
    if (has_collider(world, i)) continue;
    if (set.root_mesh) {
      const bool seen = std::ranges::find(out, set.root_mesh, &Body::motion) != out.end();
      if (seen) continue;
      const std::string stem = std::filesystem::path(set.root_mesh->name).stem().string();
      out.push_back(
          {unused_name(stem, out), {set.root_mesh->points_at(0.0), set.root_mesh->triangles}, i, {}, set.root_mesh});
    } else if (const auto* options = std::get_if<GeneratorOptions>(&set.source);
               options && is_hairstyle(options->kind)) {
      out.push_back({unused_name("head", out), head_mesh(options->head), i, {}, nullptr});
    }
  }
  return out;
}

void add_body_channels(const World& world, const std::vector<Body>& bodies, const WorldState& state, Frame& frame) {
  if (bodies.empty()) return;
  std::vector<double> poses;
  std::vector<Pose> scratch;
  std::vector<Channel> points;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    // A given pose takes the roots off their mesh, which stays with its motion.
    const Pose pose = bodies[b].motion ? Pose{} : body_pose(world, bodies[b], state, scratch);
    const Eigen::Quaterniond& q = pose.rotation;
    poses.insert(poses.end(),
                 {pose.translation.x(), pose.translation.y(), pose.translation.z(), q.w(), q.x(), q.y(), q.z()});
    if (!bodies[b].motion) continue;
    std::vector<float> values;
    for (const Vector3d& p : bodies[b].motion->points_at(state.clock.time(world.run.dt())))
      for (const double c : p) values.push_back(float(c));
    points.push_back({fmt::format("body_points_{}", b), PerElement::counted, 3, std::move(values)});
  }
  frame.channels.push_back({"body_pose", PerElement::counted, 7, std::move(poses)});
  std::ranges::move(points, std::back_inserter(frame.channels));
}

}  // namespace tendril
