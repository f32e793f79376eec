// What detection reads: strands as polylines with a radius at every vertex, whatever model moves them.
// A strand of fewer than two vertices has no segment and meets nothing. A segment is named by its first vertex.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril::collide {

using Eigen::Vector3d;

struct Polylines {
  std::span<const Vector3d> positions;        // [m], strand after strand
  std::span<const std::uint32_t> offsets;     // strand s has the vertices offsets[s] .. offsets[s + 1] - 1; empty: none
  std::span<const double> radius;             // [m], one per vertex; linear along a segment
  std::span<const std::uint32_t> group;       // one per strand; empty: all in one group
  std::span<const std::uint32_t> twins = {};  // one per strand: those of one number do not meet; empty: all do

  std::size_t strand_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::uint32_t group_of(std::uint32_t strand) const { return group.empty() ? 0 : group[strand]; }
  bool are_twins(std::uint32_t a, std::uint32_t b) const { return !twins.empty() && twins[a] == twins[b]; }
};

// Contacts are found up to this gap: so far ahead of touching a solver is to see them.
struct Margin {
  double relative = 0.1;  // of the sum of both radii
  double absolute = 0.0;  // [m], for what moves many radii in a step

  double between(double radius_a, double radius_b) const { return relative * (radius_a + radius_b) + absolute; }
  // Half of the margin and the own radius: two capsules grown by it overlap where their gap is below the margin.
  double grown(double radius) const { return radius + relative * radius + 0.5 * absolute; }
};

// Beyond it the fourth powers of lengths in the kernels would overflow.
inline constexpr double largest_coordinate = 1e70;  // [m]

inline constexpr std::size_t largest_vertex_count = std::size_t{1} << 27;  // a dozen entries for each fit in 32 bits

// Whether sizes fit, positions and radii are finite and small enough, radii and margin not negative. Names strand and
// vertex.
Status check(const Polylines& strands);
Status check_sizes(const Polylines& strands);
Status check_positions(std::span<const Vector3d> positions, std::span<const std::uint32_t> offsets);
Status check(const Margin& margin);

// The strand of every vertex.
void strands_of_vertices(const Polylines& strands, std::vector<std::uint32_t>& strand);

}  // namespace tendril::collide
