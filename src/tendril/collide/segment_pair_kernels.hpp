// What two segments are to each other (segment_pair.hpp), for several pairs at once: the same operations in the same
// order, without fused multiply-add, and so the same bits on every instruction set. Plain types only.
#pragma once

#include "tendril/collide/pair_kernels.hpp"

namespace tendril::collide {

struct SegmentPointsGroup {
  double s[pairs_per_group], t[pairs_per_group];
  double apart[3][pairs_per_group];  // [m], from Q(t) to P(s)
  double distance[pairs_per_group];  // [m], its length
};

struct alignas(64) SegmentPairGroup {
  SegmentPointsGroup closest;
  SegmentPointsGroup first, last;  // of the stretch along which both face each other
  double faces[pairs_per_group];   // 0: there is none
};

struct SegmentPairKernels {
  // Of a range of groups of the pairs, into the first places of `out`.
  void (*measure)(const PairView&, std::size_t first, std::size_t end, SegmentPairGroup* out);
};

const SegmentPairKernels& segment_pair_kernels(Isa isa);

}  // namespace tendril::collide
