#include "tendril/sim/contact/geometry.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

namespace tendril {
namespace {

using Strand = std::span<const Eigen::Vector3d>;

std::weak_ordering by_points(Strand a, Strand b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (std::size_t k = 0; k < a.size(); ++k)
    for (int axis = 0; axis < 3; ++axis)
      if (a[k][axis] != b[k][axis])
        return a[k][axis] < b[k][axis] ? std::weak_ordering::less : std::weak_ordering::greater;
  return std::weak_ordering::equivalent;
}

std::vector<std::uint32_t> find_twins(const std::vector<Strand>& strands) {
  std::vector<std::uint32_t> order(strands.size()), twins(strands.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order,
                           [&](std::uint32_t a, std::uint32_t b) { return by_points(strands[a], strands[b]) < 0; });
  for (std::size_t k = 0; k < order.size(); ++k)
    twins[order[k]] =
        k > 0 && by_points(strands[order[k]], strands[order[k - 1]]) == 0 ? twins[order[k - 1]] : order[k];
  return twins;
}

}  // namespace

// A section that is not round counts with its larger semi-axis.
StrandGeometry::StrandGeometry(const World& world) : offsets(1, 0) {
  std::vector<Strand> drawn;
  for (std::uint32_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    const der::Description& d = strands.description();
    for (std::size_t s = 0; s < strands.size(); ++s) {
      const std::size_t begin = d.curves.offsets[s], count = strands.vertices(s);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t e = begin + std::min(k, count - 2);  // the tip has no edge of its own
        radius.push_back(std::max(d.semi_axis1[e], d.semi_axis2[e]));
      }
      offsets.push_back(offsets.back() + std::uint32_t(count));
      part.push_back(i);
      drawn.push_back(d.curves.strand(s));
    }
  }
  positions.resize(radius.size());
  for (const double one : radius) largest_radius = std::max(largest_radius, one);
  twins = find_twins(drawn);
}

std::size_t twin_count(const StrandGeometry& geometry) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < geometry.twins.size(); ++s) count += geometry.twins[s] != s;
  return count;
}

void StrandGeometry::set_positions(const World& world, const WorldState& state) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const std::size_t count = world.parts[i].strands.vertex_count();
    der::gather_positions(world.parts[i].strands, state.parts[i], std::span(positions).subspan(at, count));
    at += count;
  }
}

}  // namespace tendril
