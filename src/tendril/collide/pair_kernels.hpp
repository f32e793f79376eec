// Pairs of segments in lanes: which of them cannot touch, and which cannot cross, with some room for round-off
// (docs/theory/collide.md, Most pairs). What is left is for the exact code. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::collide {

inline constexpr std::size_t pairs_per_group = 4;

// For each pair of a group a direction along which, at the start of a step, all of the first segment lies ahead of all
// of the second by more than `slack` [m]; infinite if there is none. In single precision: any direction will do.
struct alignas(64) SeparatorGroup {
  float direction[3][pairs_per_group];
  float slack[pairs_per_group];
};

struct PairView {
  const double* positions;     // [m], three numbers per vertex
  const double* motion;        // [m], likewise, or null
  const double* reach;         // [m], of every segment: its largest radius and half of the margin; null: zero
  const std::uint32_t* pairs;  // the first vertices of both segments
  std::size_t count;           // of pairs
};

struct PairKernels {
  // Of a range of groups: the separators, [m] what the pairs are apart at least, and the numbers of the pairs that may
  // touch, rising. Gives how many. There is room in `left`, and in `distances`, for one group more than there are.
  std::size_t (*may_touch)(const PairView&, std::size_t first, std::size_t end, SeparatorGroup* separators,
                           float* distances, std::uint32_t* left);
  // The pairs that may pass through each other on the way to `positions`, which are those at the end.
  std::size_t (*may_cross)(const PairView&, std::size_t first, std::size_t end, const SeparatorGroup* separators,
                           std::uint32_t* left);
};

const PairKernels& pair_kernels(Isa isa);

}  // namespace tendril::collide
