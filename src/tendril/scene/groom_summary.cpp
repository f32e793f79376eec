#include "tendril/scene/groom_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "tendril/base/hash.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, median, *most};
}

double angle_between(const Vector3d& a, const Vector3d& b) {
  const Vector3d cross(a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x());
  return std::atan2(cross.norm(), a.dot(b));
}

std::size_t count_duplicates(const Curves& curves) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t duplicates = 0;
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const std::span<const Vector3d> points(curves.points.data() + curves.offsets[s], curves.vertices(s));
    duplicates += !seen.insert(Hash().bytes(std::as_bytes(points)).value()).second;
  }
  return duplicates;
}

}  // namespace

GroomSummary summarise(const Groom& groom) {
  GroomSummary out;
  const Curves& curves = groom.curves;
  out.strands = curves.strands(), out.points = curves.points.size();
  out.fewest_points = out.strands == 0 ? 0 : std::numeric_limits<std::size_t>::max();
  bool any = false;
  for (const Vector3d& p : curves.points) {
    if (!p.allFinite()) continue;
    out.low = any ? out.low.cwiseMin(p) : p, out.high = any ? out.high.cwiseMax(p) : p;
    any = true;
  }
  std::vector<double> lengths, segments, turns;
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const std::size_t n = curves.vertices(s);
    out.fewest_points = std::min(out.fewest_points, n), out.most_points = std::max(out.most_points, n);
    double length = 0.0, turning = 0.0;
    for (std::size_t v = curves.offsets[s]; v + 1 < curves.offsets[s + 1]; ++v) {
      const Vector3d edge = curves.points[v + 1] - curves.points[v];
      segments.push_back(edge.norm());
      length += segments.back();
      if (v == curves.offsets[s]) continue;
      const double angle = angle_between(curves.points[v] - curves.points[v - 1], edge);
      turning += angle, out.sharpest_joint = std::max(out.sharpest_joint, angle);
    }
    if (!std::isfinite(length)) continue;
    lengths.push_back(length), turns.push_back(turning);
  }
  std::erase_if(segments, [](double s) { return !std::isfinite(s); });
  out.length = spread_of(std::move(lengths)), out.segment = spread_of(std::move(segments));
  out.turning = spread_of(std::move(turns));
  out.duplicates = count_duplicates(curves);
  Groom copy = groom;
  out.degenerate = repair(copy, 0.0);
  return out;
}

}  // namespace tendril
