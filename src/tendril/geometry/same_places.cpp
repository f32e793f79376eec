#include "tendril/geometry/same_places.hpp"

#include <algorithm>
#include <numeric>

namespace tendril {

std::vector<std::uint32_t> same_places(std::span<const Eigen::Vector3d> points) {
  std::vector<std::uint32_t> order(points.size()), same(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (std::ranges::lexicographical_compare(points[a], points[b])) return true;
    return !std::ranges::lexicographical_compare(points[b], points[a]) && a < b;
  });
  for (std::size_t k = 0; k < order.size(); ++k)
    same[order[k]] = k > 0 && points[order[k]] == points[order[k - 1]] ? same[order[k - 1]] : order[k];
  return same;
}

}  // namespace tendril
