#include "tendril/sim/contact/dives.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/clearance_kernels.hpp"

namespace tendril {
namespace {

using collide::Body;
using Eigen::Vector3d;

constexpr double most_times = 64.0;  // what is still thinner than a way is so by a scene's mistake

// [m] that no vertex goes farther than against the body.
double longest_way(const StrandGeometry& geometry, std::span<const Vector3d> ends, const Body& body) {
  constexpr std::size_t chunk = 4096;
  const Pose from_start = inverse(body.start), from_end = inverse(body.end);
  const Eigen::Matrix3d start_turn = from_start.rotation.toRotationMatrix(),
                        end_turn = from_end.rotation.toRotationMatrix();
  const Vector3d by = from_end.translation - from_start.translation;
  std::vector<double> longest((ends.size() + chunk - 1) / chunk, 0.0);
  parallel_for(longest.size(), [&](std::size_t c) {
    double square = 0.0;
    for (std::size_t v = c * chunk; v < std::min(ends.size(), (c + 1) * chunk); ++v)
      square = std::max(square, (end_turn * ends[v] - start_turn * geometry.positions[v] + by).squaredNorm());
    longest[c] = std::sqrt(square);
  });
  return longest.empty() ? 0.0 : std::ranges::max(longest);
}

// How many times of the step are looked at. Of most bodies it is enough that no vertex, and nothing that moves with the
// body as far from the origin as the vertices are, goes as far as the body is thick.
int times_for(const StrandGeometry& geometry, std::span<const Vector3d> ends, std::span<const Body> bodies) {
  constexpr double room = 1.0 + 1e-6;  // for round-off
  if (ends.empty()) return 1;
  const collide::SquaredExtent extent =
      collide::clearance_kernels(active_isa())
          .extent(geometry.positions.front().data(), ends.front().data(), ends.size());
  double times = 1.0;
  for (const Body& body : bodies) {
    if (!body.chord.empty()) continue;
    const double thickness = collide::thickness(body.shape);
    const Pose motion = compose(body.end, inverse(body.start));
    const double turn = (motion.rotation.toRotationMatrix() - Eigen::Matrix3d::Identity()).norm();
    const double way = std::sqrt(extent.way) + motion.translation.norm() + turn * std::sqrt(extent.size);
    if (room * way < thickness) continue;
    times = std::max(times, std::ceil(longest_way(geometry, ends, body) / thickness));
  }
  return int(std::min(times, most_times));
}

}  // namespace

Status DiveSearch::find(const StrandGeometry& geometry, std::span<const Vector3d> ends, std::span<const Body> bodies,
                        std::span<const char> is_driven, collide::Clearances& clearances, std::vector<Dive>& dives) {
  dives.clear();
  if (bodies.empty()) return ok();
  const int times = times_for(geometry, ends, bodies);
  for (int k = times; k >= 1; --k) {
    const double time = double(k) / times;
    places_.resize(k < times ? ends.size() : 0);
    for (std::size_t v = 0; v < places_.size(); ++v)
      places_[v] = geometry.positions[v] + time * (ends[v] - geometry.positions[v]);
    const collide::Polylines there = geometry.polylines_at(k < times ? std::span<const Vector3d>(places_) : ends);
    const collide::BodySearch search{time, {0.0, 0.0}, {}, &clearances, is_driven};
    if (Status found = collide::find_body_contacts(there, bodies, search, found_); !found) return found;
    for (const collide::Contact& contact : found_)
      if (k == times || bodies[contact.body.body].chord.empty()) dives.push_back({contact, time});
  }
  return ok();
}

}  // namespace tendril
