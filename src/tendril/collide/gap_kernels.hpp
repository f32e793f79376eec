// How far apart two segments are at least, for many pairs and in single precision (docs/theory/collide.md, Neighbours):
// along any direction the gap between two segments is not wider than their distance, so that the bound holds however
// coarse the direction is. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::collide {

struct alignas(32) SingleSegment {
  float start[3], end[3];  // [m], from an origin that all have in common
  float lost;              // [m], what a gap may be wrong by for the sake of its coordinates
  float reach;             // [m]: pairs that are farther apart than this of both are of no interest
};

inline constexpr std::size_t gaps_per_register = 8;

struct GapKernels {
  // Segments from their ends, three numbers each: `count` of them, each of which begins where the one before it ends.
  void (*pack)(const double* positions, const double* origin, const float* reach, std::size_t count,
               SingleSegment* out);
  // The gaps [m] of pairs by the numbers of their segments, 0 where single precision cannot tell, and the numbers of
  // those that are not farther apart than they reach, rising. Gives how many. There is room for one register more.
  std::size_t (*within_reach)(const SingleSegment* segments, const std::uint32_t* pairs, std::size_t count, float* gaps,
                              std::uint32_t* left);
};

const GapKernels& gap_kernels(Isa isa);

}  // namespace tendril::collide
