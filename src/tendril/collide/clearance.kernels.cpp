#include "tendril/collide/clearance_kernels.hpp"
#include "tendril/collide/vertex_lanes.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES < 4 ? TENDRIL_LANES : 4;
using S = Lanes<W>;
using V3 = Vec3<S>;

constexpr double round_off = 1e-12;      // of coordinates: far above what it is
constexpr std::size_t block = 64;        // of segments: what is known of their vertices stays in the nearest cache
constexpr std::size_t room = block + 8;  // for the next vertex and a register

// Where W vertices were seen, and how far from the body: the numbers of clearances.hpp.
template <class T>
struct SeenLanes {
  Vec3<T> place;
  T distance;

  TENDRIL_INLINE SeenLanes(const double* seen, std::size_t begin, std::size_t count) {
    if constexpr (lane_count<T> == 4)
      if (begin + 4 <= count) {
        const double* const first = seen + 4 * begin;
        const T a = load<T>(first), b = load<T>(first + 4), c = load<T>(first + 8), d = load<T>(first + 12);
        const T xz = __builtin_shufflevector(a, b, 0, 4, 2, 6), other_xz = __builtin_shufflevector(c, d, 0, 4, 2, 6);
        const T yd = __builtin_shufflevector(a, b, 1, 5, 3, 7), other_yd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
        place = {__builtin_shufflevector(xz, other_xz, 0, 1, 4, 5), __builtin_shufflevector(yd, other_yd, 0, 1, 4, 5),
                 __builtin_shufflevector(xz, other_xz, 2, 3, 6, 7)};
        distance = __builtin_shufflevector(yd, other_yd, 2, 3, 6, 7);
        return;
      }
    place = {strided<T, 4>(seen, begin, count), strided<T, 4>(seen + 1, begin, count),
             strided<T, 4>(seen + 2, begin, count)};
    distance = strided<T, 4>(seen + 3, begin, count);
  }
};

TENDRIL_INLINE V3 apply(const AffineNumbers& a, const V3& x) {
  return {a.turn[0][0] * x.x + a.turn[0][1] * x.y + a.turn[0][2] * x.z + a.by[0],
          a.turn[1][0] * x.x + a.turn[1][1] * x.y + a.turn[1][2] * x.z + a.by[1],
          a.turn[2][0] * x.x + a.turn[2][1] * x.y + a.turn[2][2] * x.z + a.by[2]};
}

TENDRIL_INLINE S norm(const V3& x) { return square_root(S(dot(x, x))); }
TENDRIL_INLINE S size_of(const V3& x) { return magnitude(x.x) + magnitude(x.y) + magnitude(x.z); }

// What is known of the vertices of a block of segments.
struct Block {
  alignas(64) double x[room], y[room], z[room], since[room], way[room], nearest[room], radius[room];

  TENDRIL_INLINE void fill(const ClearanceView& view, std::size_t first, std::size_t vertices) {
    double shift = 0.0;
    for (const double by : view.place.by) shift += by < 0.0 ? -by : by;
    for (std::size_t k = 0; k < vertices; k += std::size_t(W)) {
      const std::size_t v = first + k;
      const V3 here = vertices_from<S>(view.positions, v, view.count);
      const SeenLanes<S> seen(view.seen, v, view.count);
      const S gone = norm(apply(view.place, here) - seen.place) + round_off * (size_of(here) + shift);
      store(here.x, x + k), store(here.y, y + k), store(here.z, z + k);
      store(gone, since + k), store(S(seen.distance - gone), nearest + k);
      S against{};
      if (view.motion != nullptr)
        against = norm(vertices_from<S>(view.motion, v, view.count) - apply(view.carry, here));
      store(against, way + k), store(numbers_from<S>(view.radius, v, view.count), radius + k);
    }
  }
};

TENDRIL_INLINE S pair_of(const double* values, std::size_t k, S& next) {
  next = load<S>(values + k + 1);
  return load<S>(values + k);
}

// Positive where all of a segment is beyond the margin, by the distances of its ends or by what was known of all of it.
TENDRIL_INLINE S is_far(const ClearanceView& view, const Block& of, std::size_t first, std::size_t k) {
  const S zero{}, one = zero + 1.0;
  S x, y, z, since, way, nearest, radius;
  const V3 along = {pair_of(of.x, k, x) - x, pair_of(of.y, k, y) - y, pair_of(of.z, k, z) - z};
  const S since_start = pair_of(of.since, k, since), way_start = pair_of(of.way, k, way);
  const S nearest_start = pair_of(of.nearest, k, nearest), widest = maximum(pair_of(of.radius, k, radius), radius);
  const S margin = view.relative * widest + view.absolute;
  const S by_ends =
      0.5 * (nearest_start - way_start + nearest - way - norm(along) - magnitude(S(way_start - way))) - widest;
  const S as_a_whole =
      numbers_from<S>(view.gap, first + k, view.count) - maximum(since_start, since) - maximum(way_start, way);
  return maximum(by_ends, as_a_whole) >= margin ? one : zero;
}

std::size_t near_segments(const ClearanceView& view, std::uint32_t* near) {
  std::size_t found = 0;
  Block of;
  for (std::size_t first = 0; first + 1 < view.count; first += block) {
    const std::size_t segments = view.count - 1 - first < block ? view.count - 1 - first : block;
    of.fill(view, first, segments + 1);
    for (std::size_t k = 0; k < segments; k += std::size_t(W)) {
      alignas(64) double far[W];
      store(is_far(view, of, first, k), far);
      for (std::size_t lane = 0; lane < std::size_t(W); ++lane) {
        near[found] = std::uint32_t(first + k + lane);
        found += !(far[lane] > 0.0) && k + lane < segments;
      }
    }
  }
  return found;
}

double largest_of(const S& values) {
  alignas(64) double lanes[W];
  store(values, lanes);
  double largest = lanes[0];
  for (const double one : lanes) largest = largest < one ? one : largest;
  return largest;
}

double squared_longest_way(const double* from, const double* to, std::size_t count) {
  const S infinite = S{} + __builtin_inf();
  S way{};
  for (std::size_t v = 0; v < count; v += std::size_t(W)) {
    const V3 by = vertices_from<S>(to, v, count) - vertices_from<S>(from, v, count);
    const S square = dot(by, by);
    way = maximum(square < infinite ? square : infinite, way);
  }
  return largest_of(way);
}

bool are_below(const double* numbers, std::size_t count, double largest) {
  const S one = broadcast<S>(1.0);
  S beyond{};
  for (std::size_t k = 0; k < count; k += std::size_t(W))
    beyond = magnitude(numbers_from<S>(numbers, k, count)) <= largest ? beyond : one;
  return largest_of(beyond) == 0.0;
}

}  // namespace

extern const ClearanceKernels clearance_table;
const ClearanceKernels clearance_table = {near_segments, squared_longest_way, are_below};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
