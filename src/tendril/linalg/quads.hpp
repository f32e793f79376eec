// The numbers of a node or of a three-vector with one more, as rows of four, and the same by lanes: as many rows as
// there are lanes become a vector of lanes for each of the first three columns, and back.
#pragma once

#include "tendril/linalg/vec3.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

using Quad = Lanes<4>;

template <class S>
TENDRIL_INLINE Vec3<S> by_lanes(const Quad* rows) {
  constexpr int w = lane_count<S>;
  if constexpr (w == 4) {
    const S a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    const S b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    const S c = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    const S d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    return {__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(c, d, 0, 1, 4, 5),
            __builtin_shufflevector(a, b, 2, 3, 6, 7)};
  } else {
    alignas(64) double lanes[3][w];
    for (int lane = 0; lane < w; ++lane)
      for (int axis = 0; axis < 3; ++axis) lanes[axis][lane] = rows[lane][axis];
    return {load<S>(lanes[0]), load<S>(lanes[1]), load<S>(lanes[2])};
  }
}

// The fourth column is 0, or left as it is.
template <class S>
TENDRIL_INLINE void by_rows(const Vec3<S>& in, double* to) {
  constexpr int w = lane_count<S>;
  if constexpr (w == 4) {
    const S zero{};
    const S a = __builtin_shufflevector(in.x, in.y, 0, 4, 2, 6), b = __builtin_shufflevector(in.x, in.y, 1, 5, 3, 7);
    const S c = __builtin_shufflevector(in.z, zero, 0, 4, 2, 6), d = __builtin_shufflevector(in.z, zero, 1, 5, 3, 7);
    store(S(__builtin_shufflevector(a, c, 0, 1, 4, 5)), to);
    store(S(__builtin_shufflevector(b, d, 0, 1, 4, 5)), to + 4);
    store(S(__builtin_shufflevector(a, c, 2, 3, 6, 7)), to + 8);
    store(S(__builtin_shufflevector(b, d, 2, 3, 6, 7)), to + 12);
  } else {
    alignas(64) double lanes[3][w];
    store(in.x, lanes[0]), store(in.y, lanes[1]), store(in.z, lanes[2]);
    for (int lane = 0; lane < w; ++lane)
      for (int axis = 0; axis < 3; ++axis) to[4 * lane + axis] = lanes[axis][lane];
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
