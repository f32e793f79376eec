#include "tendril/collide/pair_lanes.hpp"
#include "tendril/collide/segment_pair_kernels.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = lanes_of_pairs;
using S = PairLanes;
using V3 = Vec3<S>;

// As of segment_pair.hpp.
constexpr double parallel_squared_sine = 1e-24, nearly_parallel_squared_sine = 0.01;

// As of std::clamp: what is neither below 0 nor above 1 stays as it is.
TENDRIL_INLINE S clamped(const S& value) {
  const S zero{}, one = zero + 1.0;
  const S not_above = one < value ? one : value;
  return value < zero ? zero : not_above;
}

TENDRIL_INLINE S fraction(const S& numerator, const S& denominator) {
  const S zero{}, quotient = clamped(numerator / denominator);
  return denominator > zero ? quotient : zero;
}

struct Products {
  V3 u, v, r;
  S a, e, b, c, f;

  TENDRIL_INLINE Products(const Ends<S>& p, const Ends<S>& q)
      : u{p.x1 - p.x0, p.y1 - p.y0, p.z1 - p.z0},
        v{q.x1 - q.x0, q.y1 - q.y0, q.z1 - q.z0},
        r{p.x0 - q.x0, p.y0 - q.y0, p.z0 - q.z0} {
    a = dot(u, u), e = dot(v, v), b = dot(u, v), c = dot(u, r), f = dot(v, r);
  }

  TENDRIL_INLINE S best_s(const S& t) const { return fraction(b * t - c, a); }
  TENDRIL_INLINE S best_t(const S& s) const { return fraction(b * s + f, e); }
};

TENDRIL_INLINE void store_points(const Products& d, const S& s, const S& t, int lane, SegmentPointsGroup& out) {
  const V3 apart = d.r + s * d.u - t * d.v;
  store(s, out.s + lane), store(t, out.t + lane);
  store(apart.x, out.apart[0] + lane), store(apart.y, out.apart[1] + lane), store(apart.z, out.apart[2] + lane);
  store(square_root(dot(apart, apart)), out.distance + lane);
}

TENDRIL_INLINE void store_closest(const Products& d, const V3& normal, const S& determinant, int lane,
                                  SegmentPointsGroup& out) {
  const S middle = 0.5 * (fraction(-d.c, d.a) + fraction(d.b - d.c, d.a));
  const S crossing = fraction(dot(normal, cross(d.v, d.r)), determinant);
  S s = determinant > parallel_squared_sine * d.a * d.e ? crossing : middle;
  S t = d.best_t(s);
  s = d.best_s(t), t = d.best_t(s), s = d.best_s(t);
  store_points(d, s, t, lane, out);
}

TENDRIL_INLINE void store_facing(const Products& d, const S& determinant, int lane, SegmentPairGroup& out) {
  const S zero{}, one = zero + 1.0;
  const S of_start = -d.c / d.a, of_end = (d.b - d.c) / d.a;
  const S low = d.b >= zero ? of_start : of_end, high = d.b >= zero ? of_end : of_start;
  const S near_end = d.b >= zero ? zero : one, far_end = d.b >= zero ? one : zero;
  const S from = low > zero ? low : zero, from_other = low > zero ? near_end : d.best_t(zero);
  const S to = high < one ? high : one, to_other = high < one ? far_end : d.best_t(one);
  store_points(d, from, from_other, lane, out.first);
  store_points(d, to, to_other, lane, out.last);
  const S begins = low < one ? one : zero, ends = high > zero ? begins : zero;
  const S is_parallel = determinant > nearly_parallel_squared_sine * d.a * d.e ? zero : ends;
  const S is_long = d.a > zero ? is_parallel : zero;
  store(S(d.e > zero ? is_long : zero), out.faces + lane);
}

void measure(const PairView& view, std::size_t first, std::size_t end, SegmentPairGroup* out) {
  for (std::size_t g = first; g < end; ++g, ++out)
    for (int lane = 0; lane < int(pairs_per_group); lane += W) {
      fetch_ahead(view, g * pairs_per_group + std::size_t(lane));
      const Vertices at(view, g * pairs_per_group + std::size_t(lane));
      const Products d(Ends<S>(view.positions, at.first), Ends<S>(view.positions, at.second));
      const V3 normal = cross(d.u, d.v);
      const S determinant = dot(normal, normal);
      store_closest(d, normal, determinant, lane, out->closest);
      store_facing(d, determinant, lane, *out);
    }
}

}  // namespace

extern const SegmentPairKernels segment_pair_table;
const SegmentPairKernels segment_pair_table = {measure};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
