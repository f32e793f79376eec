// Vertices of a strand that follow each other, one per lane.
#pragma once

#include <cstddef>

#include "tendril/linalg/gathered.hpp"
#include "tendril/linalg/vec3.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {

// Numbers `stride` apart, from place `begin` on; beyond the last one that again.
template <class S, std::size_t stride>
TENDRIL_INLINE S strided(const double* from, std::size_t begin, std::size_t count) {
  return gathered<S>([&](int lane) TENDRIL_INLINE_LAMBDA {
    const std::size_t k = begin + std::size_t(lane);
    return from[stride * (k < count ? k : count - 1)];
  });
}

// Numbers side by side, likewise.
template <class S>
TENDRIL_INLINE S numbers_from(const double* from, std::size_t begin, std::size_t count) {
  return begin + std::size_t(lane_count<S>) <= count ? load<S>(from + begin) : strided<S, 1>(from, begin, count);
}

// Likewise of three numbers each.
template <class S>
TENDRIL_INLINE Vec3<S> vertices_from(const double* from, std::size_t begin, std::size_t count) {
  if constexpr (lane_count<S> == 4)
    if (begin + 4 <= count) {
      const double* const first = from + 3 * begin;
      const S a = load<S>(first), b = load<S>(first + 4), c = load<S>(first + 8);
      const S xy = __builtin_shufflevector(a, b, 0, 1, 6, 7), zx = __builtin_shufflevector(a, c, 2, 3, 4, 5),
              yz = __builtin_shufflevector(b, c, 0, 1, 6, 7);
      return {__builtin_shufflevector(xy, zx, 0, 5, 2, 7), __builtin_shufflevector(xy, yz, 1, 4, 3, 6),
              __builtin_shufflevector(zx, yz, 0, 5, 2, 7)};
    }
  return {strided<S, 3>(from, begin, count), strided<S, 3>(from + 1, begin, count),
          strided<S, 3>(from + 2, begin, count)};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
