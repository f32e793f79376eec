#include "tendril/sim/contact/collider_mesh.hpp"

#include <cmath>
#include <numbers>

#include "tendril/geometry/sphere_mesh.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr int fineness = 5;            // of balls: 20 480 triangles, round to the eye
constexpr int around = 96, arcs = 24;  // of what is turned about an axis
constexpr double plane_size = 1.0;     // [m]

struct ProfilePoint {
  double radius, height;
};

// Turned about the y axis; from the bottom up.
void add_turned(const std::vector<ProfilePoint>& profile, TriangleMesh& mesh) {
  const auto base = std::uint32_t(mesh.points.size()), rings = std::uint32_t(profile.size());
  for (const ProfilePoint& p : profile)
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around;
      mesh.points.emplace_back(p.radius * std::sin(angle), p.height, p.radius * std::cos(angle));
    }
  for (std::uint32_t r = 0; r + 1 < rings; ++r)
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t next = (k + 1) % around, a = base + r * around + k, b = base + r * around + next;
      const std::uint32_t above_a = a + around, above_b = b + around;
      if (profile[r].radius > 0.0) mesh.triangles.push_back({a, b, above_b});
      if (profile[r + 1].radius > 0.0) mesh.triangles.push_back({a, above_b, above_a});
    }
}

TriangleMesh ball(const Vector3d& radii) {
  TriangleMesh mesh = sphere_mesh(fineness);
  for (Vector3d& point : mesh.points) point = point.cwiseProduct(radii);
  return mesh;
}

struct MakeMesh {
  TriangleMesh operator()(const collide::Plane&) const {
    const double s = 0.5 * plane_size;
    return {{{-s, 0, -s}, {-s, 0, s}, {s, 0, s}, {s, 0, -s}}, {{0, 1, 2}, {0, 2, 3}}};
  }
  TriangleMesh operator()(const collide::Sphere& sphere) const { return ball(Vector3d::Constant(sphere.radius)); }
  TriangleMesh operator()(const collide::Ellipsoid& ellipsoid) const { return ball(ellipsoid.radii); }
  TriangleMesh operator()(const collide::Capsule& capsule) const {
    std::vector<ProfilePoint> profile;
    for (const double end : {-1.0, 1.0})
      for (int k = 0; k <= arcs; ++k) {
        const double angle = 0.5 * std::numbers::pi * (end < 0.0 ? k - arcs : k) / arcs;
        profile.push_back({k == (end < 0.0 ? 0 : arcs) ? 0.0 : capsule.radius * std::cos(angle),
                           end * capsule.half_length + capsule.radius * std::sin(angle)});
      }
    TriangleMesh mesh;
    add_turned(profile, mesh);
    return mesh;
  }
  TriangleMesh operator()(const collide::Cylinder& cylinder) const {
    const double r = cylinder.radius, h = cylinder.half_length;
    TriangleMesh mesh;  // in three pieces: its edges are sharp
    add_turned({{0.0, -h}, {r, -h}}, mesh), add_turned({{r, -h}, {r, h}}, mesh), add_turned({{r, h}, {0.0, h}}, mesh);
    return mesh;
  }
  TriangleMesh operator()(const collide::Box& box) const {
    TriangleMesh mesh;  // every face for itself
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        const auto base = std::uint32_t(mesh.points.size());
        for (const auto& [u, v] :
             {std::pair(-1.0, -1.0), std::pair(1.0, -1.0), std::pair(1.0, 1.0), std::pair(-1.0, 1.0)}) {
          Vector3d point;
          point[axis] = side, point[(axis + 1) % 3] = side * u, point[(axis + 2) % 3] = v;
          mesh.points.push_back(point.cwiseProduct(box.half_sizes));
        }
        mesh.triangles.push_back({base, base + 1, base + 2}), mesh.triangles.push_back({base, base + 2, base + 3});
      }
    return mesh;
  }
  TriangleMesh operator()(const std::shared_ptr<const TriangleMesh>& mesh) const { return *mesh; }
};

}  // namespace

TriangleMesh collider_mesh(const ColliderShape& shape) { return std::visit(MakeMesh{}, shape); }

}  // namespace tendril
