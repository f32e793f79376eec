// Pairs of segments, several at once, as the kernels of pairs read them.
#pragma once

#include "tendril/collide/pair_kernels.hpp"
#include "tendril/linalg/vec3.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {

inline constexpr int lanes_of_pairs = TENDRIL_LANES < int(pairs_per_group) ? TENDRIL_LANES : int(pairs_per_group);
using PairLanes = Lanes<lanes_of_pairs>;

// Segments, one per lane, by their ends. Numbers and not vectors: g++ copies structs of structs piece by piece through
// memory, which took two thirds of the time.
template <class T>
struct Ends {
  T x0, y0, z0, x1, y1, z1;

  TENDRIL_INLINE Ends(const double* x, const std::uint32_t* vertex) {
    if constexpr (lane_count<T> == 4) {
      // The two ends of a segment follow each other: x0 y0 z0 x1 and z0 x1 y1 z1 are all of it.
      const double *const p = x + 3 * std::size_t(vertex[0]), *const q = x + 3 * std::size_t(vertex[1]);
      const double *const r = x + 3 * std::size_t(vertex[2]), *const s = x + 3 * std::size_t(vertex[3]);
      const T a = load<T>(p), b = load<T>(q), c = load<T>(r), d = load<T>(s);
      const T ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
      const T ba = __builtin_shufflevector(a, b, 1, 5, 3, 7), dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
      x0 = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), z0 = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
      y0 = __builtin_shufflevector(ba, dc, 0, 1, 4, 5), x1 = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
      const T e = load<T>(p + 2), f = load<T>(q + 2), g = load<T>(r + 2), h = load<T>(s + 2);
      const T ef = __builtin_shufflevector(e, f, 0, 4, 2, 6), gh = __builtin_shufflevector(g, h, 0, 4, 2, 6);
      const T fe = __builtin_shufflevector(e, f, 1, 5, 3, 7), hg = __builtin_shufflevector(g, h, 1, 5, 3, 7);
      y1 = __builtin_shufflevector(ef, gh, 2, 3, 6, 7), z1 = __builtin_shufflevector(fe, hg, 2, 3, 6, 7);
    } else {
      constexpr int w = lane_count<T>;
      alignas(16) double lanes[6][w];
      for (int lane = 0; lane < w; ++lane)
        for (int k = 0; k < 6; ++k) lanes[k][lane] = x[3 * std::size_t(vertex[lane]) + std::size_t(k)];
      x0 = load<T>(lanes[0]), y0 = load<T>(lanes[1]), z0 = load<T>(lanes[2]);
      x1 = load<T>(lanes[3]), y1 = load<T>(lanes[4]), z1 = load<T>(lanes[5]);
    }
  }
};

// The vertices of as many pairs as there are lanes; where there are no more, the last pair again.
struct Vertices {
  std::uint32_t first[lanes_of_pairs], second[lanes_of_pairs];

  TENDRIL_INLINE Vertices(const PairView& view, std::size_t begin) {
    for (int lane = 0; lane < lanes_of_pairs; ++lane) {
      const std::size_t wanted = begin + std::size_t(lane), k = wanted < view.count ? wanted : view.count - 1;
      first[lane] = view.pairs[2 * k], second[lane] = view.pairs[2 * k + 1];
    }
  }
};

// Pairs rise by their first segments; where the second ones are in memory nobody foresees, and lanes would wait for
// them.
TENDRIL_INLINE void fetch_ahead(const PairView& view, std::size_t begin) {
  constexpr std::size_t ahead = 32;  // pairs
  for (int lane = 0; lane < lanes_of_pairs; ++lane) {
    const std::size_t wanted = begin + ahead + std::size_t(lane), k = wanted < view.count ? wanted : view.count - 1;
    const std::size_t vertex = view.pairs[2 * k + 1];
    __builtin_prefetch(view.positions + 3 * vertex), __builtin_prefetch(view.positions + 3 * vertex + 5);
    if (view.motion == nullptr) continue;
    __builtin_prefetch(view.motion + 3 * vertex), __builtin_prefetch(view.motion + 3 * vertex + 5);
    __builtin_prefetch(view.reach + vertex);
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
