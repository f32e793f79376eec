#include "tendril/collide/pair_lanes.hpp"
#include "tendril/linalg/gathered.hpp"
#include "tendril/linalg/singles.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int group = int(pairs_per_group);
constexpr int W = lanes_of_pairs;
using S = PairLanes;
using V3 = Vec3<S>;

// What the exact code calls nearly parallel, and a little more (segment_pair.hpp).
constexpr double nearly_parallel = 0.0101;
constexpr double round_off = 1e-9;           // of the size of a pair: a million times what it is
constexpr double known_normal = 1e-6;        // of the size: closer together the normal may be anything
constexpr double least_room = 3e-4;          // of the size: a separator must hold them so far apart
constexpr double single_below = 1.0 - 1e-6;  // room for single precision
constexpr double least_slack = 1e-30;        // [m], else single precision cannot tell it from nothing

// Both segments of each pair and the way from the second to the first.
struct Pairs {
  V3 u, v, r;

  TENDRIL_INLINE Pairs(const Ends<S>& p, const Ends<S>& q)
      : u{p.x1 - p.x0, p.y1 - p.y0, p.z1 - p.z0},
        v{q.x1 - q.x0, q.y1 - q.y0, q.z1 - q.z0},
        r{p.x0 - q.x0, p.y0 - q.y0, p.z0 - q.z0} {}
  TENDRIL_INLINE Pairs(const double* x, const Vertices& at) : Pairs(Ends<S>(x, at.first), Ends<S>(x, at.second)) {}
  // Not less than |u| + |v| + |r|.
  TENDRIL_INLINE S size() const { return 2.0 * square_root(S(dot(u, u) + dot(v, v) + dot(r, r))); }
  // By how much all of the first lies ahead of all of the second along a direction.
  TENDRIL_INLINE S ahead(const V3& n) const {
    const S zero{};
    return dot(n, r) + minimum(zero, dot(n, u)) - maximum(zero, dot(n, v));
  }
};

TENDRIL_INLINE S fraction(const S& value) {
  const S zero{};
  return minimum(maximum(value, zero), zero + 1.0);
}

TENDRIL_INLINE S reach_of(const PairView& view, const Vertices& at) {
  if (view.reach == nullptr) return S{};
  return gathered<S>([&](int lane) TENDRIL_INLINE_LAMBDA { return view.reach[at.first[lane]]; }) +
         gathered<S>([&](int lane) TENDRIL_INLINE_LAMBDA { return view.reach[at.second[lane]]; });
}

// Closest points, as in segment_pair.hpp but for round-off.
struct Closest {
  S s, t, squared_sine;  // times both squared lengths
  V3 apart;

  TENDRIL_INLINE explicit Closest(const Pairs& pair) {
    const auto& [u, v, r] = pair;
    const S zero{}, a = dot(u, u), e = dot(v, v), b = dot(u, v), c = dot(u, r), f = dot(v, r);
    const S per_a = a > 0.0 ? 1.0 / a : zero, per_e = e > 0.0 ? 1.0 / e : zero;
    const V3 normal = cross(u, v);
    squared_sine = dot(normal, normal);
    s = squared_sine > 0.0 ? fraction(dot(normal, cross(v, r)) / squared_sine) : zero;
    t = fraction((b * s + f) * per_e);
    s = fraction((b * t - c) * per_a);
    t = fraction((b * s + f) * per_e);
    apart.x = r.x + s * u.x - t * v.x;
    apart.y = r.y + s * u.y - t * v.y;
    apart.z = r.z + s * u.z - t * v.z;
  }
};

// A slack that single precision cannot tell from nothing is none, and neither is one that is not kept.
TENDRIL_INLINE void store_separators(const Pairs& pair, const V3& unit, const S& size, SeparatorGroup& out, int begin) {
  store_singles(unit.x, out.direction[0] + begin);
  store_singles(unit.y, out.direction[1] + begin);
  store_singles(unit.z, out.direction[2] + begin);
  const V3 n = {load_singles<S>(out.direction[0] + begin), load_singles<S>(out.direction[1] + begin),
                load_singles<S>(out.direction[2] + begin)};
  const S slack = least_room * size, none = S{} + __builtin_inf();
  const S kept = pair.ahead(n) > slack ? slack : none;
  store_singles(S(slack > least_slack ? kept : none), out.slack + begin);
}

// Positive where a pair cannot touch: the gap is above the margin, and by the motion it stays there (narrow.cpp).
TENDRIL_INLINE S cannot_touch(const PairView& view, const Vertices& at, const Pairs& pair, const Closest& closest,
                              const S& distance, const S& size) {
  const S zero{}, one = zero + 1.0;
  const S beyond = distance - reach_of(view, at) - round_off * size;
  if (view.motion == nullptr) return beyond > 0.0 ? one : zero;
  const Pairs moves(view.motion, at);
  const auto& [du, dv, dr] = moves;
  const V3 far = dr + du, near = dr - dv, both = far - dv;
  const S fastest = maximum(maximum(dot(dr, dr), dot(far, far)), maximum(dot(near, near), dot(both, both)));
  const S u2 = dot(pair.u, pair.u), v2 = dot(pair.v, pair.v);
  const V3 relative = dr + closest.s * du - closest.t * dv;
  // The gap at the end, by the tangent, times the distance: of closest points that are well known.
  const S later = beyond * distance + dot(closest.apart, relative) - round_off * (fastest + size * size);
  const S out_of_reach = (1.0 - round_off) * beyond * beyond > fastest ? one : zero;
  const S stays = closest.squared_sine > nearly_parallel * u2 * v2 ? one : zero;
  const S known = distance > known_normal * size ? stays : zero;
  const S misses = later > 0.0 ? known : zero;
  return beyond > 0.0 ? maximum(out_of_reach, misses) : zero;
}

// Numbers of the lanes that are not ruled out.
TENDRIL_INLINE std::size_t keep(const S& ruled_out, std::size_t begin, std::size_t count, std::size_t kept,
                                std::uint32_t* left) {
  alignas(32) double lanes[W];
  store(ruled_out, lanes);
#ifdef __AVX__
  if constexpr (W == 4)
    if (_mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(lanes), _mm256_setzero_pd(), _CMP_GT_OQ)) == 15) return kept;
#endif
  for (int lane = 0; lane < W; ++lane) {
    left[kept] = std::uint32_t(begin + std::size_t(lane));
    kept += !(lanes[lane] > 0.0) && begin + std::size_t(lane) < count;
  }
  return kept;
}

std::size_t may_touch(const PairView& view, std::size_t first, std::size_t end, SeparatorGroup* out, float* distances,
                      std::uint32_t* left) {
  std::size_t kept = 0;
  for (std::size_t g = first; g < end; ++g)
    for (int begin = 0; begin < group; begin += W) {
      const std::size_t at = g * pairs_per_group + std::size_t(begin);
      fetch_ahead(view, at);
      const Vertices vertices(view, at);
      const Pairs pair(view.positions, vertices);
      const Closest closest(pair);
      const S size = pair.size(), distance = square_root(S(dot(closest.apart, closest.apart)));
      const S per_distance = distance > 0.0 ? 1.0 / distance : S{};
      store_separators(pair, closest.apart * per_distance, size, out[g], begin);
      store_singles(S(single_below * distance - round_off * size), distances + at);
      kept = keep(cannot_touch(view, vertices, pair, closest, distance, size), at, view.count, kept, left);
    }
  return kept;
}

std::size_t may_cross(const PairView& view, std::size_t first, std::size_t end, const SeparatorGroup* separators_of,
                      std::uint32_t* left) {
  std::size_t kept = 0;
  for (std::size_t g = first; g < end; ++g)
    for (int begin = 0; begin < group; begin += W) {
      const std::size_t at = g * pairs_per_group + std::size_t(begin);
      fetch_ahead(view, at);
      const SeparatorGroup& here = separators_of[g];
      const Pairs pair(view.positions, Vertices(view, at));
      const V3 n = {load_singles<S>(here.direction[0] + begin), load_singles<S>(here.direction[1] + begin),
                    load_singles<S>(here.direction[2] + begin)};
      const S room = load_singles<S>(here.slack + begin) + least_room * pair.size(), zero{};
      kept = keep(pair.ahead(n) > room ? zero + 1.0 : zero, at, view.count, kept, left);
    }
  return kept;
}

}  // namespace

extern const PairKernels pair_table;
const PairKernels pair_table = {may_touch, may_cross};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
