#include "tendril/plot/thinning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tendril::plot {
namespace {

template <class GroupOf>
std::vector<Point> extremes(std::span<const Point> points, GroupOf&& group_of) {
  std::vector<Point> kept;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first, lowest = first, highest = first;
    for (std::size_t i = first; i < points.size() && group_of(i) == group_of(first); last = i++) {
      if (points[i].y < points[lowest].y) lowest = i;
      if (points[i].y > points[highest].y) highest = i;
    }
    std::array<std::size_t, 4> chosen = {first, lowest, highest, last};
    std::ranges::sort(chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (k == 0 || chosen[k] != chosen[k - 1]) kept.push_back(points[chosen[k]]);
    first = last + 1;
  }
  return kept;
}

}  // namespace

std::vector<Point> thinned(std::span<const Point> points, std::size_t most) {
  if (points.size() <= most) return {points.begin(), points.end()};
  std::vector<Point> kept = extremes(points, [&](std::size_t i) { return std::floor(points[i].x); });
  if (kept.size() <= most) return kept;
  const std::size_t groups = std::max<std::size_t>(2, most / 4), size = (points.size() + groups - 1) / groups;
  return extremes(points, [&](std::size_t i) { return i / size; });
}

}  // namespace tendril::plot
