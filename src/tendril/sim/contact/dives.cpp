#include "tendril/sim/contact/dives.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "tendril/base/parallel.hpp"

namespace tendril {
namespace {

using collide::Body;
using Eigen::Vector3d;

constexpr double most_times = 64.0;  // what is still thinner than a way is so by a scene's mistake

// What of the strands may meet a body in the step: its ball, and how far anything does in its frame that is in it at
// some time of the step. Vertices far from a body go far against it when it turns, but not through it.
struct Surroundings {
  Vector3d centre;  // at the start
  double radius;    // [m], about the centre: at the start vertices beyond that will not be in the ball
  double way;       // [m], that vertices within it go at most against the body
};

// `strand_way`: [m], no vertex goes farther.
Surroundings surroundings_of(const Body& body, double strand_way, double strand_radius) {
  const double centre_way = (body.end.translation - body.start.translation).norm();
  const double turn = (body.end.rotation.toRotationMatrix() - body.start.rotation.toRotationMatrix()).norm();
  const double radius = collide::outer_radius(body.shape) + strand_radius + strand_way + centre_way;
  return {body.start.translation, radius, strand_way + centre_way + turn * radius};
}

// [m] that no vertex of these surroundings goes farther than against the body.
double longest_way(const StrandGeometry& geometry, std::span<const Vector3d> ends, const Body& body,
                   const Surroundings& around) {
  constexpr std::size_t chunk = 4096;
  const Pose from_start = inverse(body.start), from_end = inverse(body.end);
  const Eigen::Matrix3d start_turn = from_start.rotation.toRotationMatrix(),
                        end_turn = from_end.rotation.toRotationMatrix();
  const Vector3d by = from_end.translation - from_start.translation;
  std::vector<double> longest((ends.size() + chunk - 1) / chunk, 0.0);
  parallel_for(longest.size(), [&](std::size_t c) {
    double square = 0.0;
    for (std::size_t v = c * chunk; v < std::min(ends.size(), (c + 1) * chunk); ++v) {
      const Vector3d& x = geometry.positions[v];
      if ((x - around.centre).squaredNorm() > around.radius * around.radius) continue;
      square = std::max(square, (end_turn * ends[v] - start_turn * x + by).squaredNorm());
    }
    longest[c] = std::sqrt(square);
  });
  return longest.empty() ? 0.0 : std::ranges::max(longest);
}

// Of a mesh that deforms: what it does not do as a whole it may do against anything, and what is not in its box in the
// course of the step does not matter.
double longest_way(const StrandGeometry& geometry, std::span<const Vector3d> ends, double strand_way, double room,
                   const Body& body, const TriangleMesh& mesh) {
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& chord : body.chord) mean += chord / double(body.chord.size());
  double stray = 0.0;
  Eigen::AlignedBox3d swept;
  for (std::size_t p = 0; p < mesh.points.size(); ++p) {
    stray = std::max(stray, (body.chord[p] - mean).norm());
    swept.extend(mesh.points[p]), swept.extend(Vector3d(mesh.points[p] - body.chord[p]));
  }
  const Vector3d around = Vector3d::Constant(strand_way + room * geometry.largest_radius);
  const Eigen::AlignedBox3d near(swept.min() - around, swept.max() + around);
  double longest = 0.0;
  for (std::size_t v = 0; v < ends.size(); ++v)
    if (near.contains(geometry.positions[v]))
      longest = std::max(longest, (ends[v] - geometry.positions[v] - mean).norm() + stray);
  return longest;
}

// The mesh of what deforms, as it is at the end of the step; null: it does not.
const TriangleMesh* deforming_mesh(const Body& body) {
  return body.chord.empty() ? nullptr : &std::get<std::shared_ptr<const collide::MeshShape>>(body.shape)->mesh();
}

// How many times of the step are looked at: so many that nothing goes as far as a body is thick from one to the next.
// Of most bodies no vertex need be asked.
int times_for(const StrandGeometry& geometry, std::span<const Vector3d> ends, double strand_way,
              std::span<const Body> bodies) {
  constexpr double room = 1.0 + 1e-6;  // for round-off
  double times = 1.0;
  for (const Body& body : bodies) {
    const double thickness = collide::thickness(body.shape);
    if (!std::isfinite(thickness)) continue;
    if (const TriangleMesh* const mesh = deforming_mesh(body)) {
      times = std::max(times, std::ceil(longest_way(geometry, ends, strand_way, room, body, *mesh) / thickness));
      continue;
    }
    const Surroundings around = surroundings_of(body, strand_way, room * geometry.largest_radius);
    if (room * around.way < thickness) continue;
    times = std::max(times, std::ceil(longest_way(geometry, ends, body, around) / thickness));
  }
  return int(std::min(times, most_times));
}

}  // namespace

// What deforms has the shape of its time; the others find their place themselves.
Status DiveSearch::shape_bodies(std::span<const Body> bodies, double time) {
  shaped_.assign(bodies.begin(), bodies.end());
  for (Body& body : shaped_) {
    const TriangleMesh* const mesh = deforming_mesh(body);
    if (mesh == nullptr) continue;
    TriangleMesh start = *mesh;
    for (std::size_t p = 0; p < start.points.size(); ++p) start.points[p] -= body.chord[p];
    Result<Body> then = collide::animated_body(start, mesh->points, time);
    if (!then) return then.error();
    body.shape = std::move(then.value().shape);
  }
  return ok();
}

Status DiveSearch::find(const StrandGeometry& geometry, std::span<const Vector3d> ends, double way,
                        std::span<const Body> bodies, std::span<const char> is_driven, collide::Clearances& clearances,
                        std::vector<Dive>& dives) {
  dives.clear();
  if (bodies.empty()) return ok();
  const int times = times_for(geometry, ends, way, bodies);
  for (int k = times; k >= 1; --k) {
    const double time = double(k) / times;
    places_.resize(k < times ? ends.size() : 0);
    for (std::size_t v = 0; v < places_.size(); ++v)
      places_[v] = geometry.positions[v] + time * (ends[v] - geometry.positions[v]);
    const collide::Polylines there = geometry.polylines_at(k < times ? std::span<const Vector3d>(places_) : ends);
    // What goes no infinite way from a usable place is at one.
    const collide::BodySearch search{time, {0.0, 0.0}, {}, &clearances, is_driven, std::isfinite(way)};
    if (k < times)
      if (Status shaped = shape_bodies(bodies, time); !shaped) return shaped;
    const std::span<const Body> then = k < times ? std::span<const Body>(shaped_) : bodies;
    if (Status found = collide::find_body_contacts(there, then, search, found_); !found) return found;
    for (const collide::Contact& contact : found_) dives.push_back({contact, time});
  }
  return ok();
}

}  // namespace tendril
