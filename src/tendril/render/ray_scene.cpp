#include "tendril/render/ray_scene.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tendril/geometry/embree.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector3f;
using embree::Owned;

// A strand of n points becomes n + 2 control points, the outer two mirrored at its ends, and n - 1 segments.
struct CurveSet {
  std::vector<std::uint32_t> first_point;  // per segment: its first vertex among the set's points
  std::vector<std::uint32_t> strand;       // per segment
};

void set_control_points(const StrandSet& set, const std::vector<Vector3f>& points, float* out) {
  const auto put = [&](const Vector3f& p, float radius) {
    out[0] = p.x(), out[1] = p.y(), out[2] = p.z(), out[3] = radius;
    out += 4;
  };
  for (std::size_t s = 0; s + 1 < set.offsets.size(); ++s) {
    const std::size_t begin = set.offsets[s], end = set.offsets[s + 1];
    put(2.0f * points[begin] - points[begin + 1], set.radius[begin]);
    for (std::size_t v = begin; v < end; ++v) put(points[v], set.radius[v]);
    put(2.0f * points[end - 1] - points[end - 2], set.radius[end - 1]);
  }
}

Owned<RTCGeometry> curve_geometry(RTCDevice device, const StrandSet& set, CurveSet& curves) {
  // Ribbons that face the ray stand in for hair, which is thinner than a pixel: they are met several times as fast.
  const bool ribbon = set.look != Look::rod;
  Owned<RTCGeometry> geometry(rtcNewGeometry(
      device, ribbon ? RTC_GEOMETRY_TYPE_FLAT_CATMULL_ROM_CURVE : RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE));
  const std::size_t strands = set.offsets.size() - 1, points = set.points.size() + 2 * strands;
  const bool moves = !set.later_points.empty();
  rtcSetGeometryTimeStepCount(geometry.get(), moves ? 2 : 1);
  for (unsigned slot = 0; slot < (moves ? 2u : 1u); ++slot) {
    auto* const controls = static_cast<float*>(rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, slot,
                                                                       RTC_FORMAT_FLOAT4, 4 * sizeof(float), points));
    embree::check(device);
    set_control_points(set, slot == 0 ? set.points : set.later_points, controls);
  }
  for (std::size_t s = 0; s < strands; ++s)
    for (std::uint32_t v = set.offsets[s]; v + 1 < set.offsets[s + 1]; ++v) {
      curves.first_point.push_back(v);
      curves.strand.push_back(std::uint32_t(s));
    }
  auto* const index = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
      geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(std::uint32_t), curves.first_point.size()));
  embree::check(device);
  for (std::size_t i = 0; i < curves.first_point.size(); ++i) index[i] = curves.first_point[i] + 2 * curves.strand[i];
  rtcCommitGeometry(geometry.get());
  return geometry;
}

Owned<RTCGeometry> surface_geometry(RTCDevice device, const Surface& surface) {
  Owned<RTCGeometry> geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* const points = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), surface.points.size()));
  auto* const corners = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
      geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), surface.triangles.size()));
  embree::check(device);
  for (std::size_t p = 0; p < surface.points.size(); ++p) std::copy_n(surface.points[p].data(), 3, points + 3 * p);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) std::ranges::copy(surface.triangles[t], corners + 3 * t);
  rtcCommitGeometry(geometry.get());
  return geometry;
}

std::vector<Vector3f> smooth_normals(const Surface& surface) {
  std::vector<Vector3f> normals(surface.points.size(), Vector3f::Zero());
  for (const auto& [a, b, c] : surface.triangles) {
    const Vector3f n = (surface.points[b] - surface.points[a]).cross(surface.points[c] - surface.points[a]);
    normals[a] += n, normals[b] += n, normals[c] += n;  // weighted by area
  }
  return normals;
}

RTCRay embree_ray(const Ray& ray, float to) {
  RTCRay r{};
  r.org_x = ray.origin.x(), r.org_y = ray.origin.y(), r.org_z = ray.origin.z();
  r.dir_x = ray.direction.x(), r.dir_y = ray.direction.y(), r.dir_z = ray.direction.z();
  r.tnear = ray.from, r.tfar = to, r.time = ray.time;
  r.mask = ~0u;
  return r;
}

// Derivative of the Catmull-Rom segment from b to c at u.
Vector3f curve_tangent(const Vector3f& a, const Vector3f& b, const Vector3f& c, const Vector3f& d, float u) {
  return 0.5f *
         ((c - a) + 2.0f * u * (2.0f * a - 5.0f * b + 4.0f * c - d) + 3.0f * u * u * (3.0f * b - a - 3.0f * c + d));
}

// Of the round fibre that a ribbon stands for: from one edge of the ribbon (v = -1) to the other it turns by half a
// circle.
Vector3f fibre_normal(const Vector3f& tangent, const Vector3f& ray, float v) {
  Vector3f side = ray.cross(tangent);
  const float across = side.norm();
  side = across > 1e-6f ? Vector3f(side / across) : tangent.unitOrthogonal();
  Vector3f facing = side.cross(tangent);
  if (facing.dot(ray) > 0.0f) facing = -facing;
  v = std::clamp(v, -1.0f, 1.0f);
  return v * side + std::sqrt(1.0f - v * v) * facing;
}

}  // namespace

struct RayScene::Tree {
  const Stage& stage;
  std::vector<CurveSet> curves;                // per strand set: geometry of the same number
  std::vector<std::vector<Vector3f>> normals;  // per surface: geometries after those
  Owned<RTCDevice> device = embree::make_device();
  Owned<RTCScene> scene;

  explicit Tree(const Stage& what) : stage(what), scene(rtcNewScene(device.get())) {
    unsigned id = 0;
    curves.resize(stage.strands.size());
    for (std::size_t i = 0; i < stage.strands.size(); ++i)
      rtcAttachGeometryByID(scene.get(), curve_geometry(device.get(), stage.strands[i], curves[i]).get(), id++);
    for (const Surface& surface : stage.surfaces) {
      rtcAttachGeometryByID(scene.get(), surface_geometry(device.get(), surface).get(), id++);
      normals.push_back(smooth_normals(surface));
    }
    rtcJoinCommitScene(scene.get());
    embree::check(device.get());
  }

  Vector3f point(const StrandSet& set, std::uint32_t v, float time) const {
    if (set.later_points.empty()) return set.points[v];
    return set.points[v] + time * (set.later_points[v] - set.points[v]);
  }

  Hit strand_hit(const RTCRayHit& found, const Ray& ray) const {
    const StrandSet& set = stage.strands[found.hit.geomID];
    const CurveSet& curve = curves[found.hit.geomID];
    Hit hit;
    hit.on_strand = true, hit.part = found.hit.geomID, hit.strand = curve.strand[found.hit.primID];
    const std::uint32_t b = curve.first_point[found.hit.primID], begin = set.offsets[hit.strand],
                        end = set.offsets[hit.strand + 1];
    const Vector3f pb = point(set, b, ray.time), pc = point(set, b + 1, ray.time);
    const Vector3f pa = b > begin ? point(set, b - 1, ray.time) : Vector3f(2.0f * pb - pc);
    const Vector3f pd = b + 2 < end ? point(set, b + 2, ray.time) : Vector3f(2.0f * pc - pb);
    const float u = found.hit.u;
    hit.tangent = curve_tangent(pa, pb, pc, pd, u);
    const float length = hit.tangent.norm();
    hit.tangent = length > 0.0f ? Vector3f(hit.tangent / length) : Vector3f((pc - pb).normalized());
    hit.radius = set.radius[b] + u * (set.radius[b + 1] - set.radius[b]);
    if (!set.vertex_colour.empty())
      hit.vertex_colour = set.vertex_colour[b] + u * (set.vertex_colour[b + 1] - set.vertex_colour[b]);
    const Vector3f geometric(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z);
    hit.normal = set.look == Look::rod ? Vector3f(geometric.normalized())
                                       : fibre_normal(hit.tangent, ray.direction, found.hit.v);
    return hit;
  }

  Hit surface_hit(const RTCRayHit& found, const Ray& ray) const {
    Hit hit;
    hit.part = found.hit.geomID - unsigned(stage.strands.size());
    const auto& [a, b, c] = stage.surfaces[hit.part].triangles[found.hit.primID];
    const std::vector<Vector3f>& n = normals[hit.part];
    const float u = found.hit.u, v = found.hit.v;
    const Vector3f flat = Vector3f(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z).normalized();
    const Vector3f smooth = (1.0f - u - v) * n[a].normalized() + u * n[b].normalized() + v * n[c].normalized();
    hit.normal = smooth.norm() > 1e-6f ? Vector3f(smooth.normalized()) : flat;
    if (hit.normal.dot(ray.direction) > 0.0f) hit.normal = flat.dot(ray.direction) > 0.0f ? Vector3f(-flat) : flat;
    return hit;
  }
};

RayScene::RayScene(const Stage& stage) : tree_(std::make_unique<const Tree>(stage)) {}
RayScene::RayScene(RayScene&&) noexcept = default;
RayScene::~RayScene() = default;

std::optional<Hit> RayScene::nearest(const Ray& ray) const {
  RTCRayHit found;
  found.ray = embree_ray(ray, std::numeric_limits<float>::infinity());
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(tree_->scene.get(), &context, &found);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  Hit hit =
      found.hit.geomID < tree_->stage.strands.size() ? tree_->strand_hit(found, ray) : tree_->surface_hit(found, ray);
  hit.distance = found.ray.tfar;
  return hit;
}

bool RayScene::blocked(const Ray& ray, float distance) const {
  RTCRay r = embree_ray(ray, distance);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(tree_->scene.get(), &context, &r);
  return r.tfar < 0.0f;
}

}  // namespace tendril::render
