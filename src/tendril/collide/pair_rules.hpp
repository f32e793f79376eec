// Which segments may touch at all: not those of one strand with at most one between them, or with less than four radii
// of strand, nor those of strands that the scene lets pass through each other.
#pragma once

#include <algorithm>
#include <span>

#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

class PairRules {
 public:
  // `strand`: of every vertex.
  PairRules(const Polylines& strands, bool within_groups, std::span<const std::uint32_t> strand)
      : strands_(strands), within_groups_(within_groups), strand_(strand) {}

  // i < j, by their first vertices.
  bool may_meet(std::uint32_t i, std::uint32_t j) const { return may_ever_meet(i, j) && are_apart(i, j); }
  // As far as it does not depend on where the strands are.
  bool may_ever_meet(std::uint32_t i, std::uint32_t j) const {
    const std::uint32_t a = strand_[i], b = strand_[j];
    if (a == b) return within_groups_ && j - i > 2;
    return (within_groups_ || strands_.group_of(a) != strands_.group_of(b)) && !strands_.are_twins(a, b);
  }
  // Whether there are four radii of strand between them, if they are of one strand.
  bool are_apart(std::uint32_t i, std::uint32_t j) const {
    if (strand_[i] != strand_[j]) return true;
    const double least = 4.0 * largest_radius(i, j);
    const double straight = (strands_.positions[j] - strands_.positions[i + 1]).squaredNorm();
    return straight > (1.0 + 1e-9) * least * least || arc_between(i, j) >= least;  // the arc is no shorter
  }

 private:
  double largest_radius(std::uint32_t i, std::uint32_t j) const {
    const auto& r = strands_.radius;
    return std::max(std::max(r[i], r[i + 1]), std::max(r[j], r[j + 1]));
  }
  // [m], as the difference of two places along the strand.
  double arc_between(std::uint32_t i, std::uint32_t j) const {
    double arc = 0.0, before = 0.0;
    for (std::uint32_t v = strands_.offsets[strand_[i]]; v < j; ++v) {
      if (v == i + 1) before = arc;
      arc += (strands_.positions[v + 1] - strands_.positions[v]).norm();
    }
    return arc - before;
  }

  const Polylines& strands_;
  bool within_groups_;
  std::span<const std::uint32_t> strand_;
};

}  // namespace tendril::collide
