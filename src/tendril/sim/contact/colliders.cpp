#include "tendril/sim/contact/colliders.hpp"

#include "tendril/sim/world.hpp"

namespace tendril {
namespace {

// Shapes of scenes are those of detection but for meshes, which it prepares.
struct MakeShape {
  template <class S>
  Result<collide::Shape> operator()(const S& shape) const {
    return collide::Shape(shape);
  }
  Result<collide::Shape> operator()(const std::shared_ptr<const TriangleMesh>& mesh) const { return of(*mesh); }

  static Result<collide::Shape> of(const TriangleMesh& mesh) {
    Result<collide::MeshShape> made = collide::MeshShape::make(mesh);
    if (!made) return made.error();
    return collide::Shape(std::make_shared<const collide::MeshShape>(std::move(made.value())));
  }
};

Status repair(TriangleMesh& mesh, SurfaceRepairs& repairs) {
  if (Status usable = collide::MeshShape::check(mesh); !usable) return usable;
  repairs = repair_surface(mesh);
  if (mesh.triangles.empty()) return Error{"mesh", "none of its triangles has an area"};
  return ok();
}

// Of what deforms, every frame has the triangles of the first.
Status repair_mesh(ColliderSettings& collider, SurfaceRepairs& repairs) {
  if (collider.mesh) {
    TriangleMesh first{collider.mesh->points_at(0.0), collider.mesh->triangles};
    if (Status done = repair(first, repairs); !done) return done;
    if (repairs.turned + repairs.without_area == 0) return ok();
    MeshSequence mended = *collider.mesh;
    mended.triangles = std::move(first.triangles);
    collider.mesh = std::make_shared<const MeshSequence>(std::move(mended));
  } else if (auto* drawn = std::get_if<std::shared_ptr<const TriangleMesh>>(&collider.shape)) {
    TriangleMesh mended = **drawn;
    if (Status done = repair(mended, repairs); !done) return done;
    *drawn = std::make_shared<const TriangleMesh>(std::move(mended));
  }
  return ok();
}

}  // namespace

Result<std::vector<Collider>> make_colliders(const std::vector<ColliderSettings>& settings, const World& world) {
  std::vector<Collider> out;
  for (const ColliderSettings& one : settings) {
    Collider made{one, {}, {}, {}};
    if (Status repaired = repair_mesh(made.settings, made.repairs); !repaired)
      return Error{one.name, repaired.error().message()};
    const std::shared_ptr<const MeshSequence>& moving = made.settings.mesh;
    Result<collide::Shape> shape = moving ? MakeShape::of({moving->points_at(0.0), moving->triangles})
                                          : std::visit(MakeShape{}, made.settings.shape);
    if (!shape) return Error{one.name, shape.error().message()};
    made.shape = std::move(shape.value());
    if (!one.follows.empty()) made.part = world.part_named(one.follows);
    out.push_back(std::move(made));
  }
  return out;
}

Pose collider_pose(const World& world, const Collider& collider, double time, double share, const WorldState& state) {
  if (collider.settings.mesh) return {};
  if (!collider.part) return compose(collider.settings.motion.at(time), collider.settings.place);
  std::vector<Pose> roots;
  root_poses(world, *collider.part, time, share, state, roots);
  const Pose carried = compose(roots.front(), inverse(world.parts[*collider.part].to_drawn));
  return compose(carried, collider.settings.place);
}

Status collider_bodies(const World& world, const DriveSpan& span, const WorldState& state, double time,
                       std::vector<collide::Body>& out) {
  out.clear();
  for (const Collider& collider : world.colliders) {
    if (collider.settings.mesh) {
      const MeshSequence& mesh = *collider.settings.mesh;
      Result<collide::Body> body =
          collide::animated_body({mesh.points_at(span.start), mesh.triangles}, mesh.points_at(span.end), time);
      if (!body) return Error{collider.settings.name, body.error().message()};
      out.push_back(std::move(body.value()));
    } else {
      out.push_back({collider.shape,
                     collider_pose(world, collider, span.start, span.given_start, state),
                     collider_pose(world, collider, span.end, span.given_end, state),
                     {}});
    }
  }
  return ok();
}

}  // namespace tendril
