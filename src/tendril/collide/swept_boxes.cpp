#include "tendril/collide/swept_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 1024;
constexpr double round_off = 8.0 * std::numeric_limits<double>::epsilon();  // of coordinates

}  // namespace

Bounds swept_box(const Polylines& start, std::span<const Vector3d> end, const Margin& margin, std::size_t v) {
  const auto& x = start.positions;
  const std::span<const Vector3d> y = end.empty() ? x : end;
  const double grown = grown_radius(start, margin, v);
  Bounds box;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = std::min(std::min(x[v][axis], x[v + 1][axis]), std::min(y[v][axis], y[v + 1][axis]));
    const double high = std::max(std::max(x[v][axis], x[v + 1][axis]), std::max(y[v][axis], y[v + 1][axis]));
    const double by = grown + round_off * std::max(std::abs(low), std::abs(high));
    box.low[axis] = low - by, box.high[axis] = high + by;
  }
  return box;
}

void list_segments(const Polylines& strands, std::vector<std::uint32_t>& segments) {
  segments.clear();
  for (std::size_t s = 0; s < strands.strand_count(); ++s)
    for (std::uint32_t v = strands.offsets[s]; v + 1 < strands.offsets[s + 1]; ++v) segments.push_back(v);
}

void make_swept_boxes(const Polylines& start, std::span<const Vector3d> end, const Margin& margin,
                      std::span<const std::uint32_t> segments, std::vector<Bounds>& boxes) {
  boxes.resize(start.positions.size());
  parallel_for((segments.size() + chunk - 1) / chunk, [&](std::size_t c) {
    for (const std::uint32_t v : segments.subspan(c * chunk, std::min(chunk, segments.size() - c * chunk)))
      boxes[v] = swept_box(start, end, margin, v);
  });
}

}  // namespace tendril::collide
