// Places along a polyline, by the length of the way to them.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tendril {

// From the first point to each; the last one is the whole length.
inline std::vector<double> arc_lengths(std::span<const Eigen::Vector3d> points) {
  std::vector<double> s(points.size(), 0.0);
  for (std::size_t i = 1; i < points.size(); ++i) s[i] = s[i - 1] + (points[i] - points[i - 1]).norm();
  return s;
}

struct Spot {
  std::size_t before;  // the point before it
  double along;        // share of the way to the next one
};

// `lengths` are the arc_lengths() of two points or more; what lies beyond an end is taken to that end.
inline Spot spot_at(std::span<const double> lengths, double at) {
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, at);
  const auto i = std::size_t(after - lengths.begin()) - 1;
  return {i, std::clamp((at - lengths[i]) / (lengths[i + 1] - lengths[i]), 0.0, 1.0)};
}

inline Eigen::Vector3d point_at(std::span<const Eigen::Vector3d> points, const Spot& spot) {
  return points[spot.before] + spot.along * (points[spot.before + 1] - points[spot.before]);
}

}  // namespace tendril
