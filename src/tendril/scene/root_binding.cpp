#include "tendril/scene/root_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/closest_point.hpp"

namespace tendril {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Triangle = std::array<std::uint32_t, 3>;

std::optional<PlacedTriangle> place(const Triangle& triangle, const std::vector<Eigen::Vector3f>& points) {
  return place_triangle(points[triangle[0]].cast<double>(), points[triangle[1]].cast<double>(),
                        points[triangle[2]].cast<double>());
}

Quaterniond turned_part_of_the_way(const Quaterniond& a, const Quaterniond& b, double along) {
  return interpolate({a, Vector3d::Zero()}, {b, Vector3d::Zero()}, along).rotation;
}

// The mesh at time 0 without the triangles that bind no roots.
struct BindingMesh {
  TriangleMesh mesh;
  std::vector<std::uint32_t> triangles;  // of the skin, one per triangle of the mesh
};

BindingMesh binding_mesh(const MeshSequence& skin, std::size_t reference) {
  BindingMesh binding;
  binding.mesh.points = skin.points_at(0.0);
  for (std::uint32_t t = 0; t < skin.triangles.size(); ++t)
    if (place(skin.triangles[t], skin.frames[reference])) {
      binding.mesh.triangles.push_back(skin.triangles[t]);
      binding.triangles.push_back(t);
    }
  return binding;
}

}  // namespace

// What there is to know of a bond over all frames.
struct RootBinding::Scan {
  std::vector<Bridge> bridges;
  double largest_turn = 0.0;  // [rad], from one frame to the next
};

RootBinding::Scan RootBinding::scan_frames(const Bond& bond) const {
  Scan scan;
  std::optional<Quaterniond> last_sound;
  std::size_t next = 0;  // frame after the last sound one
  // Frames next to end - 1 are too narrow; then comes `after`, if it is not the end of the sequence.
  const auto bridge = [&](std::size_t end, const std::optional<Quaterniond>& after) {
    const Quaterniond before = last_sound ? *last_sound : *after, then = after ? *after : before;
    const auto pieces = static_cast<double>(end - next + 1);
    for (std::size_t f = next; f < end; ++f)
      scan.bridges.push_back({f, turned_part_of_the_way(before, then, static_cast<double>(f - next + 1) / pieces)});
    scan.largest_turn = std::max(scan.largest_turn, before.angularDistance(then) / pieces);
  };
  for (std::size_t f = 0; f < skin_->frames.size(); ++f)
    if (const auto sound = sound_rotation(bond, f)) {
      bridge(f, sound);
      last_sound = sound;
      next = f + 1;
    }
  bridge(skin_->frames.size(), std::nullopt);
  return scan;
}

std::optional<Quaterniond> RootBinding::sound_rotation(const Bond& bond, std::size_t frame) const {
  const Triangle& triangle = skin_->triangles[bond.triangle];
  const auto &points = skin_->frames[frame], &reference = skin_->frames[reference_];
  if (std::ranges::all_of(triangle, [&](std::uint32_t v) { return points[v] == reference[v]; }))
    return Quaterniond::Identity();
  const auto placed = place(triangle, points);
  if (!placed) return std::nullopt;
  return rotation_between(bond.reference, *placed);
}

Vector3d RootBinding::skin_point(const Bond& bond, const FrameTime& time) const {
  const auto& [a, b, c] = skin_->triangles[bond.triangle];
  return bond.barycentric[0] * skin_->point(a, time) + bond.barycentric[1] * skin_->point(b, time) +
         bond.barycentric[2] * skin_->point(c, time);
}

Quaterniond RootBinding::frame_rotation(const Bond& bond, std::size_t frame) const {
  if (const auto sound = sound_rotation(bond, frame)) return *sound;
  const std::span bridges = std::span(bridges_).subspan(bond.bridges_begin, bond.bridges_end - bond.bridges_begin);
  const auto found = std::ranges::lower_bound(bridges, frame, {}, &Bridge::frame);
  assert(found != bridges.end() && found->frame == frame);
  return found->rotation;
}

Quaterniond RootBinding::rotation(const Bond& bond, const FrameTime& time) const {
  const Quaterniond here = frame_rotation(bond, time.frame);
  if (time.along == 0.0) return here;
  return turned_part_of_the_way(here, frame_rotation(bond, time.frame + 1), time.along);
}

void RootBinding::keep(std::size_t root, const Scan& scan, double distance) {
  Bond& bond = bonds_[root];
  bond.bridges_begin = bridges_.size();
  bridges_.insert(bridges_.end(), scan.bridges.begin(), scan.bridges.end());
  bond.bridges_end = bridges_.size();
  bond.start_back = rotation(bond, start_).conjugate();
  largest_turn_rate_ = std::max(largest_turn_rate_, skin_->fps * scan.largest_turn);
  if (distance > largest_distance_) largest_distance_ = distance, largest_distance_root_ = root;
}

Result<RootBinding> RootBinding::bind(std::shared_ptr<const MeshSequence> skin, std::span<const Vector3d> roots) {
  for (std::size_t r = 0; r < roots.size(); ++r)
    if (!roots[r].allFinite())
      return Error{fmt::format("root {}", r), "a coordinate is not a finite number; a root needs a place to be bound"};
  RootBinding binding;
  binding.skin_ = std::move(skin);
  binding.start_ = binding.skin_->frame_time(0.0);
  binding.reference_ = binding.start_.frame + (binding.start_.along < 0.5 ? 0 : 1);
  const BindingMesh mesh = binding_mesh(*binding.skin_, binding.reference_);
  if (mesh.triangles.empty())
    return Error{binding.skin_->name,
                 fmt::format("all {} triangles are too narrow at time 0 to carry roots; a triangle needs an area",
                             binding.skin_->triangles.size())};

  const MeshQuery query(mesh.mesh);
  binding.bonds_.resize(roots.size());
  std::vector<double> distances(roots.size());
  std::vector<Scan> scans(roots.size());
  parallel_for(roots.size(), [&](std::size_t r) {
    const MeshPoint found = query.closest(roots[r]);
    Bond& bond = binding.bonds_[r];
    bond.triangle = mesh.triangles[found.triangle];
    bond.barycentric = found.barycentric;
    bond.point = binding.skin_point(bond, binding.start_);
    bond.reference = *place(binding.skin_->triangles[bond.triangle], binding.skin_->frames[binding.reference_]);
    distances[r] = found.distance;
    scans[r] = binding.scan_frames(bond);
  });
  for (std::size_t r = 0; r < roots.size(); ++r) binding.keep(r, scans[r], distances[r]);
  return binding;
}

Pose RootBinding::pose(std::size_t root, double time) const {
  const FrameTime at = skin_->frame_time(time);
  if (at == start_) return {};
  const Bond& bond = bonds_[root];
  const Quaterniond turn = rotation(bond, at) * bond.start_back;
  return {turn, skin_point(bond, at) - turn * bond.point};
}

}  // namespace tendril
