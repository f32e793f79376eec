// What the kernels of pairs (pair_kernels.hpp) read, from what detection reads.
#pragma once

#include <span>

#include "tendril/collide/pair_kernels.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/segment_pairs.hpp"

namespace tendril::collide {

inline PairView pair_view(std::span<const Vector3d> positions, std::span<const Vector3d> motion,
                          std::span<const double> reach, std::span<const SegmentPair> pairs) {
  static_assert(sizeof(Vector3d) == 3 * sizeof(double) && sizeof(SegmentPair) == 2 * sizeof(std::uint32_t));
  const auto numbers = [](std::span<const Vector3d> of) { return of.empty() ? nullptr : of.front().data(); };
  const std::uint32_t* const vertices = pairs.empty() ? nullptr : &pairs.front().first;
  return {numbers(positions), numbers(motion), reach.data(), vertices, pairs.size()};
}

}  // namespace tendril::collide
