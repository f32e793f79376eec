#include "tendril/collide/vertex_lanes.hpp"
#include "tendril/collide/way_kernels.hpp"
#include "tendril/linalg/singles.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES < 4 ? TENDRIL_LANES : 4;
using S = Lanes<W>;
using V3 = Vec3<S>;

constexpr double round_off = 1e-14;      // of coordinates, many times what it is
constexpr double single_room = 1e-6;     // likewise of single precision
constexpr double least = 1e-30;          // [m], else single precision may lose it
constexpr std::size_t block = 64;        // of segments: what is known of their vertices stays in the nearest cache
constexpr std::size_t room = block + 8;  // for the next vertex and a register

TENDRIL_INLINE V3 apply(const AffineNumbers& a, const V3& x) {
  return {a.turn[0][0] * x.x + a.turn[0][1] * x.y + a.turn[0][2] * x.z + a.by[0],
          a.turn[1][0] * x.x + a.turn[1][1] * x.y + a.turn[1][2] * x.z + a.by[1],
          a.turn[2][0] * x.x + a.turn[2][1] * x.y + a.turn[2][2] * x.z + a.by[2]};
}

TENDRIL_INLINE S size_of(const V3& x) { return magnitude(x.x) + magnitude(x.y) + magnitude(x.z); }
TENDRIL_INLINE S up(const S& x) { return x * (1.0 + single_room) + least; }

double largest_of(const S& values) {
  alignas(32) double lanes[W];
  store(values, lanes);
  double largest = lanes[0];
  for (const double one : lanes) largest = largest < one ? one : largest;
  return largest;
}

// What is known of the vertices of a block of segments.
struct Block {
  alignas(64) double x[room], y[room], z[room], ahead[room], since[room], radius[room];
  double lost = 0.0;  // [m], by round-off of coordinates

  // False if a number is not usable. `place` null: nobody asks for what was before, nor for radii.
  TENDRIL_INLINE bool fill(const WayView& view, const AffineNumbers* common, const double* place, std::size_t first,
                           std::size_t vertices) {
    const S zero{}, one = zero + 1.0;
    S largest = zero, unusable = zero;
    for (std::size_t k = 0; k < vertices; k += std::size_t(W)) {
      const V3 here = vertices_from<S>(view.start, first + k, view.count);
      const V3 there = vertices_from<S>(view.end, first + k, view.count), way = there - here;
      const S size = size_of(here) + size_of(there);
      largest = maximum(size, largest), unusable = size <= view.largest ? unusable : one;
      store(way.x, x + k), store(way.y, y + k), store(way.z, z + k), store(S(dot(way, way)), ahead + k);
      if (place == nullptr) continue;
      const V3 by = here - apply(*common, vertices_from<S>(place, first + k, view.count));
      const S thick = numbers_from<S>(view.radius, first + k, view.count);
      store(S(dot(by, by)), since + k), store(thick, radius + k);
      const S known = thick >= zero ? unusable : one;
      unusable = thick <= view.largest ? known : one;
    }
    lost = round_off * largest_of(largest);
    return largest_of(unusable) == 0.0;
  }
};

TENDRIL_INLINE S larger(const double* values, std::size_t k) {
  return maximum(load<S>(values + k), load<S>(values + k + 1));
}

// The first of W numbers, as many as there are left; gives what single precision has kept of them.
TENDRIL_INLINE S put(const S& value, std::size_t left, float* to) {
  if (left >= std::size_t(W)) {
    store_singles(value, to);
    return load_singles<S>(to);
  }
  float lanes[W];
  store_singles(value, lanes);
  for (std::size_t lane = 0; lane < left; ++lane) to[lane] = lanes[lane];
  return load_singles<S>(lanes);
}

TENDRIL_INLINE S get(const float* from, std::size_t left) {
  if (left >= std::size_t(W)) return load_singles<S>(from);
  float lanes[W] = {};
  for (std::size_t lane = 0; lane < left; ++lane) lanes[lane] = from[lane];
  return load_singles<S>(lanes);
}

// Nothing of those beyond.
TENDRIL_INLINE S only(const S& value, std::size_t left) {
  if (left >= std::size_t(W)) return value;
  alignas(32) double lanes[W];
  store(value, lanes);
  for (std::size_t lane = left; lane < std::size_t(W); ++lane) lanes[lane] = 0.0;
  return load<S>(lanes);
}

// Drifts of W segments one after the other.
TENDRIL_INLINE void put_drifts(const V3& mean, const S& spread, std::size_t left, float* to) {
  float lanes[4][W];
  store_singles(mean.x, lanes[0]), store_singles(mean.y, lanes[1]);
  store_singles(mean.z, lanes[2]), store_singles(spread, lanes[3]);
#ifdef __SSE__
  if constexpr (W == 4) {
    __m128 x = _mm_loadu_ps(lanes[0]), y = _mm_loadu_ps(lanes[1]), z = _mm_loadu_ps(lanes[2]),
           s = _mm_loadu_ps(lanes[3]);
    _MM_TRANSPOSE4_PS(x, y, z, s);
    if (left >= 4) {
      _mm_storeu_ps(to, x), _mm_storeu_ps(to + 4, y), _mm_storeu_ps(to + 8, z), _mm_storeu_ps(to + 12, s);
      return;
    }
  }
#endif
  for (std::size_t lane = 0; lane < std::size_t(W) && lane < left; ++lane)
    for (int k = 0; k < 4; ++k) to[4 * lane + std::size_t(k)] = lanes[k][lane];
}

// Of segments k .. of the block: ahead in single precision, and the drift with its spread.
struct Ahead {
  S ahead, spread;
  V3 mean;

  TENDRIL_INLINE Ahead(const Block& of, std::size_t k) {
    const V3 a = {load<S>(of.x + k), load<S>(of.y + k), load<S>(of.z + k)};
    const V3 b = {load<S>(of.x + k + 1), load<S>(of.y + k + 1), load<S>(of.z + k + 1)};
    const S one_half = broadcast<S>(0.5);
    const V3 half = one_half * (b - a);
    mean = one_half * (a + b);
    ahead = up(square_root(larger(of.ahead, k)) + of.lost);
    spread = up(square_root(S(dot(half, half))) + single_room * size_of(mean) + of.lost);
  }
};

bool measure(const WayView& view, const AffineNumbers& common, double relative, double absolute, double* place,
             const Ways& out) {
  Block of;
  bool is_usable = true;
  for (std::size_t first = 0; first == 0 || first + 1 < view.count; first += block) {
    const std::size_t segments = view.count - 1 - first < block ? view.count - 1 - first : block;
    is_usable &= of.fill(view, &common, place, first, segments + 1);
    for (std::size_t k = 0; k < segments; k += std::size_t(W)) {
      const std::size_t at = first + k, left = segments - k;
      const Ahead made(of, k);
      const S before = get(out.gone + at, left), widest = larger(of.radius, k);
      const S gone = put(up(before + square_root(larger(of.since, k)) + of.lost), left, out.gone + at);
      const S ahead = put(made.ahead, left, out.ahead + at);
      const S reach = put(up(widest + relative * widest + 0.5 * absolute), left, out.reach + at);
      put(up(gone + ahead + reach), left, out.need + at);
      put_drifts(made.mean, made.spread, left, out.drift + 4 * at);
      put_drifts(made.mean, up(gone + reach + up(made.spread)), left, out.approach + 4 * at);
    }
  }
  __builtin_memcpy(place, view.start, 3 * view.count * sizeof(double));
  return is_usable;
}

bool measure_again(const WayView& view, const float* budget, const Ways& out) {
  Block of;
  bool is_usable = true;
  S beyond{};
  for (std::size_t first = 0; first == 0 || first + 1 < view.count; first += block) {
    const std::size_t segments = view.count - 1 - first < block ? view.count - 1 - first : block;
    is_usable &= of.fill(view, nullptr, nullptr, first, segments + 1);
    for (std::size_t k = 0; k < segments; k += std::size_t(W)) {
      const std::size_t at = first + k, left = segments - k;
      const Ahead made(of, k);
      const S way = get(out.gone + at, left) + put(made.ahead, left, out.ahead + at);
      put_drifts(made.mean, made.spread, left, out.drift + 4 * at);
      const S by_need = way - get(out.need + at, left);
      const S by_budget = way - get(budget + at, left) - get(out.reach + at, left);
      beyond = maximum(only(maximum(by_need, by_budget), left), beyond);
    }
  }
  return is_usable && largest_of(beyond) <= 0.0;
}

}  // namespace

extern const WayKernels way_table;
const WayKernels way_table = {measure, measure_again};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
