// Polylines in the user's order: what a generator makes and a groom file holds. Vertex 0 of a strand is its root.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace tendril {

struct Curves {
  std::vector<Eigen::Vector3d> points;     // [m], strand after strand
  std::vector<std::size_t> offsets = {0};  // first point of each strand, then the total

  std::size_t strands() const { return offsets.size() - 1; }
  std::size_t vertices(std::size_t s) const { return offsets[s + 1] - offsets[s]; }
  std::span<const Eigen::Vector3d> strand(std::size_t s) const { return {&points[offsets[s]], vertices(s)}; }
};

}  // namespace tendril
