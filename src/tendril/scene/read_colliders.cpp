#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tendril/base/text.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/scene/read_contact.hpp"
#include "tendril/scene/read_motion.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr Word<UpAxis> up_axes[] = {{"Y", UpAxis::y}, {"Z", UpAxis::z}};

double read_half_length(TableReader& table) {
  double length = 0.0;
  table.quantity("length", "of a capsule without its round ends, or of a cylinder", Dimension::length, positive,
                 length);
  if (!table.has("length")) table.missing("length", "write how long it is, such as length = \"20 cm\"");
  return 0.5 * length;
}

double read_radius(TableReader& table, std::string_view key, std::string_view meaning) {
  double radius = 0.0;
  table.quantity(key, meaning, Dimension::length, positive, radius);
  return radius;
}

ColliderShape read_ellipsoid(TableReader& table) {
  Vector3d radii = Vector3d::Ones();
  table.vector3("ellipsoid", "its three semi-axes", Dimension::length, radii);
  if (!table.describing() && !(radii.minCoeff() > 1e-6 * radii.maxCoeff()))
    table.refuse("ellipsoid", "the semi-axes of an ellipsoid must be positive, none a million times another");
  return collide::Ellipsoid{radii};
}

ColliderShape read_box(TableReader& table) {
  Vector3d sizes = Vector3d::Ones();
  table.vector3("box", "its width, height and depth", Dimension::length, sizes);
  if (!table.describing() && !(sizes.minCoeff() > 0.0)) table.refuse("box", "the sizes of a box must be positive");
  return collide::Box{0.5 * sizes};
}

ColliderShape read_mesh(TableReader& table, const std::filesystem::path& folder) {
  std::string file;
  double scale = 1.0;
  UpAxis up = UpAxis::y;
  table.text("mesh", "file of a closed surface: .obj, .ply, .stl", file);
  table.number("scale", "metres per unit of the mesh", {1e-9, 1e9}, scale);
  table.word("up", "which axis of the mesh points up", up_axes, up);
  auto mesh = std::make_shared<TriangleMesh>();
  if (table.describing() || table.failed()) return mesh;
  Result<TriangleMesh> read = read_triangle_mesh(folder / file);
  if (!read) return table.refuse("mesh", fmt::format("mesh: {}", read.error().message())), mesh;
  *mesh = std::move(read.value());
  for (Vector3d& point : mesh->points) {
    if (up == UpAxis::z) point = Vector3d(point.x(), point.z(), -point.y());
    point *= scale;
  }
  return mesh;
}

using ReadShape = ColliderShape (*)(TableReader&, const std::filesystem::path&);
struct Kind {
  std::string_view key;
  ReadShape read;
  bool has_axis;
};
constexpr std::array<Kind, 7> kinds = {{
    {"plane",
     [](TableReader& t, const std::filesystem::path&) -> ColliderShape {
       bool is_plane = true;
       t.boolean("plane", "true: all below a plane through centre, its axis pointing out of it", is_plane);
       if (!is_plane) t.refuse("plane", "plane must be true; leave it out for another shape");
       return collide::Plane{};
     },
     true},
    {"sphere",
     [](TableReader& t, const std::filesystem::path&) -> ColliderShape {
       return collide::Sphere{read_radius(t, "sphere", "its radius")};
     },
     false},
    {"ellipsoid", [](TableReader& t, const std::filesystem::path&) { return read_ellipsoid(t); }, false},
    {"capsule",
     [](TableReader& t, const std::filesystem::path&) -> ColliderShape {
       const double radius = read_radius(t, "capsule", "its radius; length is without the round ends");
       return collide::Capsule{radius, read_half_length(t)};
     },
     true},
    {"cylinder",
     [](TableReader& t, const std::filesystem::path&) -> ColliderShape {
       const double radius = read_radius(t, "cylinder", "its radius");
       return collide::Cylinder{radius, read_half_length(t)};
     },
     true},
    {"box", [](TableReader& t, const std::filesystem::path&) { return read_box(t); }, true},
    {"mesh", [](TableReader& t, const std::filesystem::path& f) { return read_mesh(t, f); }, false},
}};

// The pose that takes the y axis to `axis` and the origin to `centre`.
Pose read_place(TableReader& table, bool has_axis) {
  Pose place;
  table.vector3("centre", "where its centre is; a point of a plane", Dimension::length, place.translation);
  if (!has_axis && !table.describing()) return place;
  Vector3d axis = Vector3d::UnitY();
  table.vector3("axis", "of a capsule, cylinder or box where its y axis points, of a plane the way out",
                Dimension::none, axis);
  if (!(axis.norm() > 0.0 && std::isfinite(axis.norm())))
    return table.refuse("axis", "axis must be a direction, but its length is 0"), place;
  place.rotation = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), axis.normalized());
  return place;
}

void read_shape(TableReader& owner, const std::filesystem::path& folder, ColliderSettings& collider) {
  auto table = owner.table("shape", "of the body, as it was drawn");
  if (!table)
    return owner.missing("shape",
                         "write what it is, such as shape = { sphere = \"10 cm\" } or { mesh = \"head.obj\" }");
  const auto given = std::ranges::count_if(kinds, [&](const Kind& kind) { return table->has(kind.key); });
  if (given != 1 && !table->describing())
    table->missing("plane, sphere, ellipsoid, capsule, cylinder, box or mesh", "exactly one of them says what it is");
  bool has_axis = false;
  for (const Kind& kind : kinds)
    if (table->has(kind.key) || table->describing()) {
      collider.shape = kind.read(*table, folder);
      has_axis = has_axis || kind.has_axis;
    }
  collider.place = read_place(*table, has_axis);
  table->finish();
}

void read_follows(TableReader& table, const std::vector<StrandSet>& sets, std::string& follows) {
  table.text("follows", "name of strands whose roots carry it along, in place of motion", follows);
  if (table.describing() || table.failed() || follows.empty()) return;
  std::vector<std::string_view> known;
  for (const StrandSet& set : sets) {
    known.push_back(set.name);
    if (set.name != follows) continue;
    if (set.root_mesh)
      table.refuse("follows", fmt::format("the roots of '{}' go with a mesh, each for itself; write motion = {{ mesh = "
                                          "... }} here too",
                                          follows));
    if (table.has("motion")) table.refuse("follows", "write either follows or motion, not both");
    if (set.clamps.root == der::Clamp::free)
      table.refuse("follows", fmt::format("the roots of '{}' are free: they carry nothing", follows));
    return;
  }
  table.refuse("follows", fmt::format("there are no strands named '{}'{}", follows, did_you_mean(follows, known)));
}

}  // namespace

std::vector<ColliderSettings> read_colliders(TableReader& root, const std::filesystem::path& folder,
                                             const std::vector<StrandSet>& sets) {
  std::vector<ColliderSettings> colliders;
  for (TableReader& table : root.tables("colliders", "bodies that strands meet")) {
    ColliderSettings collider;
    collider.name = colliders.empty() ? "collider" : fmt::format("collider{}", colliders.size() + 1);
    table.text("name", "of the body; for friction, and in pictures", collider.name);
    const bool deforms = table.is_table_with("motion", "mesh") && !table.describing();
    if (deforms || table.describing()) collider.mesh = read_mesh_motion(table, "motion", folder);
    if (deforms) {
      if (table.has("shape")) table.refuse("shape", "motion = { mesh = ... } is the shape already; leave out shape");
    } else {
      read_shape(table, folder, collider);
      collider.motion = read_motion(table, "motion", "of the body", folder);
    }
    read_follows(table, sets, collider.follows);
    const auto same = [&](const auto& other) { return other.name == collider.name; };
    if (std::ranges::any_of(colliders, same) || std::ranges::any_of(sets, same))
      table.refuse("name",
                   fmt::format("name '{}' is that of earlier strands or of an earlier collider", collider.name));
    table.finish();
    colliders.push_back(std::move(collider));
  }
  return colliders;
}

}  // namespace tendril
