#include "tendril/geometry/closest_point.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "tendril/geometry/closest_triangle_point.hpp"
#include "tendril/geometry/embree.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using embree::check;
using embree::Owned;

// In the scaled mesh: corners, the point and the distance to a box are rounded, each to 2^-24 of its size or to a few
// times that. The margin is several times as much.
constexpr double margin = 1e-6;
constexpr double far_away = 1e6;  // beyond, the margin would take in the whole mesh

struct Scaling {
  Vector3d centre = Vector3d::Zero();
  double factor = 1.0;

  Vector3d apply(const Vector3d& point) const { return factor * (point - centre); }
};

// Of the points that triangles use: a stray one might be anywhere.
Scaling scaling_to_unit(const TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle) box.extend(mesh.points[corner]);
  if (box.isEmpty()) return {};
  const double half = 0.5 * box.sizes().maxCoeff();
  return {box.center(), half > 0.0 ? 1.0 / half : 1.0};
}

Owned<RTCGeometry> make_geometry(RTCDevice device, const TriangleMesh& mesh, const Scaling& scaling) {
  Owned<RTCGeometry> geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* const points = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.points.size()));
  auto* const corners = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
      geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), mesh.triangles.size()));
  check(device);
  for (std::size_t p = 0; p < mesh.points.size(); ++p)
    Eigen::Map<Eigen::Vector3f>(points + 3 * p) = scaling.apply(mesh.points[p]).cast<float>();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    std::copy(mesh.triangles[t].begin(), mesh.triangles[t].end(), corners + 3 * t);
  rtcCommitGeometry(geometry.get());
  return geometry;
}

// One search under way.
struct Search {
  const TriangleMesh& mesh;
  const Scaling& scaling;
  Vector3d point;
  double margin = 0.0;  // of the radius, in the scaled mesh
  std::uint32_t triangle = MeshQuery::no_guess;
  TrianglePoint best = {};

  // Whether the triangle is closer than all so far. The order in which they are tried does not matter.
  bool try_triangle(std::uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const TrianglePoint found = closest_point_on_triangle(point, mesh.points[a], mesh.points[b], mesh.points[c]);
    const bool closer = found.squared_distance < best.squared_distance;
    if (!closer && !(found.squared_distance == best.squared_distance && t < triangle)) return false;
    best = found, triangle = t;
    return closer;
  }

  void try_all() {
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) try_triangle(t);
  }

  float radius() const {
    if (triangle == MeshQuery::no_guess) return std::numeric_limits<float>::infinity();
    const double exact = scaling.factor * std::sqrt(best.squared_distance) + margin;
    return std::nextafter(static_cast<float>(exact), std::numeric_limits<float>::infinity());
  }
};

bool visit(RTCPointQueryFunctionArguments* arguments) {
  Search& search = *static_cast<Search*>(arguments->userPtr);
  if (!search.try_triangle(arguments->primID)) return false;
  arguments->query->radius = search.radius();
  return true;
}

void search_tree(RTCScene scene, const Vector3d& scaled, Search& search) {
  RTCPointQuery query = {};
  query.x = static_cast<float>(scaled.x());
  query.y = static_cast<float>(scaled.y());
  query.z = static_cast<float>(scaled.z());
  query.radius = search.radius();
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(scene, &query, &context, visit, &search);
}

}  // namespace

struct MeshQuery::Tree {
  TriangleMesh mesh;
  Scaling scaling;
  Owned<RTCDevice> device;
  Owned<RTCScene> scene;

  explicit Tree(const TriangleMesh& source)
      : mesh(source), scaling(scaling_to_unit(mesh)), device(embree::make_device()) {
    scene.reset(rtcNewScene(device.get()));
    rtcSetSceneFlags(scene.get(), RTC_SCENE_FLAG_ROBUST);
    const Owned<RTCGeometry> geometry = make_geometry(device.get(), mesh, scaling);
    rtcAttachGeometry(scene.get(), geometry.get());
    rtcJoinCommitScene(scene.get());
    check(device.get());
  }
};

MeshQuery::MeshQuery(const TriangleMesh& mesh) : tree_(std::make_unique<const Tree>(mesh)) {
  assert(!mesh.triangles.empty());
}
MeshQuery::MeshQuery(MeshQuery&& other) noexcept = default;
MeshQuery& MeshQuery::operator=(MeshQuery&& other) noexcept = default;
MeshQuery::~MeshQuery() = default;

MeshPoint MeshQuery::closest(const Vector3d& point, std::uint32_t guess) const {
  assert(point.allFinite());
  const Vector3d scaled = tree_->scaling.apply(point);
  const double size = scaled.norm();
  Search search{tree_->mesh, tree_->scaling, point, margin * (2.0 + size)};
  if (guess < tree_->mesh.triangles.size()) search.try_triangle(guess);
  if (size < far_away)
    search_tree(tree_->scene.get(), scaled, search);
  else
    search.try_all();
  return {search.triangle, search.best.barycentric, search.best.point, std::sqrt(search.best.squared_distance)};
}

}  // namespace tendril
