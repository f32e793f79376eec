#include "tendril/collide/mesh_shape.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/geometry/same_places.hpp"

namespace tendril::collide {
namespace {

Vector3d unit_or_zero(const Vector3d& v) {
  const double length = v.norm();
  return length > 0.0 ? Vector3d(v / length) : Vector3d::Zero();
}

double angle_between(const Vector3d& a, const Vector3d& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

struct HalfEdge {
  std::uint32_t low, high, triangle, opposite;  // ends in order; the corner opposite

  auto ends() const { return std::pair(low, high); }
};

std::vector<HalfEdge> half_edges(const TriangleMesh& mesh, const std::vector<std::uint32_t>& same) {
  std::vector<HalfEdge> edges;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = same[mesh.triangles[t][(k + 1) % 3]], b = same[mesh.triangles[t][(k + 2) % 3]];
      edges.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  std::ranges::stable_sort(edges, {}, &HalfEdge::ends);
  return edges;
}

}  // namespace

Status MeshShape::check(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return Error{"mesh", "there is no triangle"};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t corner : mesh.triangles[t]) {
      if (corner >= mesh.points.size())
        return Error{fmt::format("triangle {}", t), fmt::format("corner {} of {} points", corner, mesh.points.size())};
      if (!mesh.points[corner].allFinite())
        return Error{fmt::format("triangle {}", t), fmt::format("point {} is not finite", corner)};
    }
  return ok();
}

Result<MeshShape> MeshShape::make(TriangleMesh mesh) {
  if (Status usable = check(mesh); !usable) return usable.error();
  return MeshShape(std::move(mesh));
}

MeshShape::MeshShape(TriangleMesh mesh) : mesh_(std::move(mesh)), query_(mesh_) {
  const auto same = same_places(mesh_.points);
  vertex_.assign(mesh_.points.size(), Vector3d::Zero());
  for (const auto& corners : mesh_.triangles)
    for (const std::uint32_t corner : corners) outer_radius_ = std::max(outer_radius_, mesh_.points[corner].norm());
  double volume = 0.0, area = 0.0;  // six and two times
  for (const auto& corners : mesh_.triangles) {
    const Vector3d &a = mesh_.points[corners[0]], &b = mesh_.points[corners[1]], &c = mesh_.points[corners[2]];
    face_.push_back(unit_or_zero((b - a).cross(c - a)));
    const Vector3d& origin = mesh_.points[mesh_.triangles[0][0]];
    volume += (a - origin).cross(b - origin).dot(c - origin), area += (b - a).cross(c - a).norm();
    vertex_[same[corners[0]]] += angle_between(b - a, c - a) * face_.back();
    vertex_[same[corners[1]]] += angle_between(c - b, a - b) * face_.back();
    vertex_[same[corners[2]]] += angle_between(a - c, b - c) * face_.back();
  }
  for (std::size_t p = 0; p < vertex_.size(); ++p)
    vertex_[p] = same[p] == p ? unit_or_zero(vertex_[p]) : vertex_[same[p]];

  edge_.resize(mesh_.triangles.size());
  const std::vector<HalfEdge> edges = half_edges(mesh_, same);
  bool closed = true;
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    Vector3d sum = Vector3d::Zero();
    for (; end < edges.size() && edges[end].ends() == edges[begin].ends(); ++end) sum += face_[edges[end].triangle];
    for (std::size_t e = begin; e < end; ++e) edge_[edges[e].triangle][edges[e].opposite] = unit_or_zero(sum);
    closed = closed && end - begin == 2;
  }
  if (closed && area > 0.0) thickness_ = std::abs(volume) / area;
}

// The closest point says by its zero weights on which feature it lies.
Vector3d MeshShape::pseudo_normal(const MeshPoint& at) const {
  std::array<int, 3> used = {};
  int count = 0;
  for (int k = 0; k < 3; ++k)
    if (at.barycentric[k] > 0.0) used[static_cast<std::size_t>(count++)] = k;
  const auto& corners = mesh_.triangles[at.triangle];
  if (count == 1) return vertex_[corners[static_cast<std::size_t>(used[0])]];
  if (count == 2) return edge_[at.triangle][static_cast<std::size_t>(3 - used[0] - used[1])];
  return face_[at.triangle];
}

MeshSurfacePoint MeshShape::nearest(const Vector3d& place, std::uint32_t guess) const {
  const MeshPoint at = query_.closest(place, guess);
  const Vector3d outward = pseudo_normal(at), away = place - at.point;
  const double sign = away.dot(outward) < 0.0 ? -1.0 : 1.0, length = away.norm();
  // On the surface itself, to round-off, the way from it has no direction.
  const bool on_surface = !(length > 1e-14 * (place.norm() + at.point.norm()));
  MeshSurfacePoint found;
  found.distance = sign * at.distance;
  found.normal = on_surface ? (outward.isZero(0.0) ? Vector3d::UnitY() : outward) : Vector3d(sign * away / length);
  found.closest = at.point;
  found.feature = at.triangle;
  found.barycentric = at.barycentric;
  return found;
}

}  // namespace tendril::collide
