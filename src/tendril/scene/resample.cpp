#include "tendril/scene/resample.hpp"

#include <cassert>
#include <cmath>

namespace tendril {
namespace {

using Eigen::Vector3d;

// How far along the segment a -> b the distance from `centre` becomes `radius`; a lies within, b does not.
double exit_from_sphere(const Vector3d& centre, double radius, const Vector3d& a, const Vector3d& b) {
  const Vector3d segment = b - a, offset = a - centre;
  const double along = offset.dot(segment), square = segment.squaredNorm();
  const double inside = radius * radius - offset.squaredNorm();
  return (std::sqrt(along * along + square * inside) - along) / square;
}

struct Walk {
  Vector3d at;
  std::size_t next = 1;  // the sample ahead; their number: past the end
};

void step(std::span<const Vector3d> samples, double chord, Walk& walk) {
  const Vector3d centre = walk.at;
  Vector3d from = walk.at;  // the last point of the curve within reach
  for (; walk.next < samples.size() && (samples[walk.next] - centre).norm() < chord; ++walk.next)
    from = samples[walk.next];
  const bool past_end = walk.next == samples.size();
  const Vector3d to =
      past_end ? from + 2.0 * chord * (samples.back() - samples[samples.size() - 2]).normalized() : samples[walk.next];
  walk.at = from + exit_from_sphere(centre, chord, from, to) * (to - from);
}

}  // namespace

void walk_with_chord(std::span<const Vector3d> samples, double chord, std::size_t vertices,
                     std::vector<Vector3d>& out) {
  assert(samples.size() >= 2 && vertices >= 2 && chord > 0.0);
  Walk walk{samples.front()};
  out.push_back(walk.at);
  for (std::size_t v = 1; v < vertices; ++v) {
    step(samples, chord, walk);
    out.push_back(walk.at);
  }
}

double fitting_chord(std::span<const Vector3d> samples, std::size_t vertices) {
  assert(samples.size() >= 2 && vertices >= 2);
  double length = 0.0;
  for (std::size_t i = 1; i < samples.size(); ++i) length += (samples[i] - samples[i - 1]).norm();
  const auto reaches_past_end = [&](double chord) {
    Walk walk{samples.front()};
    for (std::size_t v = 1; v < vertices && walk.next < samples.size(); ++v) step(samples, chord, walk);
    return walk.next == samples.size();
  };
  // No polyline on the curve is longer than the curve, so this is the upper end; then halve to the last bit.
  double low = 0.0, high = length / static_cast<double>(vertices - 1);
  for (double middle = high / 2.0; middle > low && middle < high; middle = low + (high - low) / 2.0)
    (reaches_past_end(middle) ? high : low) = middle;
  return low;
}

}  // namespace tendril
