#include "tendril/collide/gap_kernels.hpp"
#include "tendril/linalg/vec3.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES == 1 ? 1 : TENDRIL_LANES == 2 ? 4 : 8;
static_assert(W <= int(gaps_per_register));
using S = SingleLanes<W>;
using V3 = Vec3<S>;

constexpr double lost_of_coordinates = 1e-6;  // of the sum of all: their own round-off, and that of sums of them
constexpr float single_below = 1.0f - 4e-6f;  // a direction is as long as that to the other side
constexpr float room_above = 1.0f + 1e-6f;
constexpr float least_square = 1e-30f;  // [m2]: of what is nearer no direction is known

void pack(const double* positions, const double* origin, const float* reach, std::size_t count, SingleSegment* out) {
  for (std::size_t v = 0; v < count; ++v) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double start = positions[3 * v + std::size_t(k)] - origin[k];
      const double end = positions[3 * v + 3 + std::size_t(k)] - origin[k];
      out[v].start[k] = float(start), out[v].end[k] = float(end);
      size += __builtin_fabs(start) + __builtin_fabs(end);
    }
    out[v].lost = float(lost_of_coordinates * size) + 1e-30f, out[v].reach = reach[v];
  }
}

// The eight numbers of each of W segments, a number of all in each register.
template <class T>
struct Packed {
  T x0, y0, z0, x1, y1, z1, lost, reach;

  TENDRIL_INLINE Packed(const SingleSegment* segments, const std::uint32_t* pairs) {
    constexpr int w = lane_count<T>;
    if constexpr (w == 8) {
      const auto row = [&](int lane) TENDRIL_INLINE_LAMBDA { return load<T>(segments[pairs[2 * lane]].start); };
      // Two by two, four by four, and halves.
      const T r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3), r4 = row(4), r5 = row(5), r6 = row(6), r7 = row(7);
      const T a0 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
      const T a1 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
      const T a2 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
      const T a3 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
      const T a4 = __builtin_shufflevector(r4, r5, 0, 8, 1, 9, 4, 12, 5, 13);
      const T a5 = __builtin_shufflevector(r4, r5, 2, 10, 3, 11, 6, 14, 7, 15);
      const T a6 = __builtin_shufflevector(r6, r7, 0, 8, 1, 9, 4, 12, 5, 13);
      const T a7 = __builtin_shufflevector(r6, r7, 2, 10, 3, 11, 6, 14, 7, 15);
      const T b0 = __builtin_shufflevector(a0, a2, 0, 1, 8, 9, 4, 5, 12, 13);
      const T b1 = __builtin_shufflevector(a0, a2, 2, 3, 10, 11, 6, 7, 14, 15);
      const T b2 = __builtin_shufflevector(a1, a3, 0, 1, 8, 9, 4, 5, 12, 13);
      const T b3 = __builtin_shufflevector(a1, a3, 2, 3, 10, 11, 6, 7, 14, 15);
      const T c0 = __builtin_shufflevector(a4, a6, 0, 1, 8, 9, 4, 5, 12, 13);
      const T c1 = __builtin_shufflevector(a4, a6, 2, 3, 10, 11, 6, 7, 14, 15);
      const T c2 = __builtin_shufflevector(a5, a7, 0, 1, 8, 9, 4, 5, 12, 13);
      const T c3 = __builtin_shufflevector(a5, a7, 2, 3, 10, 11, 6, 7, 14, 15);
      x0 = __builtin_shufflevector(b0, c0, 0, 1, 2, 3, 8, 9, 10, 11);
      y0 = __builtin_shufflevector(b1, c1, 0, 1, 2, 3, 8, 9, 10, 11);
      z0 = __builtin_shufflevector(b2, c2, 0, 1, 2, 3, 8, 9, 10, 11);
      x1 = __builtin_shufflevector(b3, c3, 0, 1, 2, 3, 8, 9, 10, 11);
      y1 = __builtin_shufflevector(b0, c0, 4, 5, 6, 7, 12, 13, 14, 15);
      z1 = __builtin_shufflevector(b1, c1, 4, 5, 6, 7, 12, 13, 14, 15);
      lost = __builtin_shufflevector(b2, c2, 4, 5, 6, 7, 12, 13, 14, 15);
      reach = __builtin_shufflevector(b3, c3, 4, 5, 6, 7, 12, 13, 14, 15);
    } else {
      float lanes[8][w];
      for (int lane = 0; lane < w; ++lane) {
        const SingleSegment& one = segments[pairs[2 * lane]];
        for (int k = 0; k < 3; ++k) lanes[k][lane] = one.start[k], lanes[3 + k][lane] = one.end[k];
        lanes[6][lane] = one.lost, lanes[7][lane] = one.reach;
      }
      x0 = load<T>(lanes[0]), y0 = load<T>(lanes[1]), z0 = load<T>(lanes[2]);
      x1 = load<T>(lanes[3]), y1 = load<T>(lanes[4]), z1 = load<T>(lanes[5]);
      lost = load<T>(lanes[6]), reach = load<T>(lanes[7]);
    }
  }
};

TENDRIL_INLINE S fraction(const S& value) {
  const S zero{};
  return minimum(maximum(value, zero), zero + 1.0f);
}

// The gap along the line between what are about the closest points (segment_pair.hpp).
TENDRIL_INLINE S gap_between(const Packed<S>& p, const Packed<S>& q) {
  const V3 u = {p.x1 - p.x0, p.y1 - p.y0, p.z1 - p.z0}, v = {q.x1 - q.x0, q.y1 - q.y0, q.z1 - q.z0};
  const V3 r = {p.x0 - q.x0, p.y0 - q.y0, p.z0 - q.z0};
  const S zero{}, a = dot(u, u), e = dot(v, v), b = dot(u, v), c = dot(u, r), f = dot(v, r);
  const S per_a = a > 0.0f ? 1.0f / a : zero, per_e = e > 0.0f ? 1.0f / e : zero;
  const S determinant = a * e - b * b;  // what is lost here makes the direction coarse, not wrong
  S s = determinant > 0.0f ? fraction((b * f - c * e) / determinant) : zero;
  const S t = fraction((b * s + f) * per_e);
  s = fraction((b * t - c) * per_a);
  const V3 n = {r.x + s * u.x - t * v.x, r.y + s * u.y - t * v.y, r.z + s * u.z - t * v.z};
  const S square = dot(n, n);
  const S ahead = dot(n, r) + minimum(zero, dot(n, u)) - maximum(zero, dot(n, v));
  const S gap = single_below * ahead / square_root(square) - (p.lost + q.lost);
  const S known = square > least_square ? gap : zero;
  return known > 0.0f ? known : zero;  // nor where it is no number
}

// Of W pairs, as many of which count as are there.
TENDRIL_INLINE std::size_t look(const SingleSegment* segments, const std::uint32_t* pairs, std::size_t first,
                                std::size_t there, float* gaps, std::uint32_t* left) {
  const Packed<S> p(segments, pairs), q(segments, pairs + 1);
  const S gap = gap_between(p, q), beyond = gap - room_above * (p.reach + q.reach);
  store(gap, gaps + first);
  float lanes[W];
  store(beyond, lanes);
  std::size_t kept = 0;
  for (std::size_t lane = 0; lane < there; ++lane) {
    left[kept] = std::uint32_t(first + lane);
    kept += !(lanes[lane] > 0.0f);
  }
  return kept;
}

std::size_t within_reach(const SingleSegment* segments, const std::uint32_t* pairs, std::size_t count, float* gaps,
                         std::uint32_t* left) {
  std::size_t k = 0, kept = 0;
  for (; k + std::size_t(W) <= count; k += std::size_t(W))
    kept += look(segments, pairs + 2 * k, k, std::size_t(W), gaps, left + kept);
  if (k == count) return kept;
  std::uint32_t last[2 * W];  // and the last pair again
  for (std::size_t lane = 0; lane < std::size_t(W); ++lane) {
    const std::size_t at = k + lane < count ? k + lane : count - 1;
    last[2 * lane] = pairs[2 * at], last[2 * lane + 1] = pairs[2 * at + 1];
  }
  return kept + look(segments, last, k, count - k, gaps, left + kept);
}

}  // namespace

extern const GapKernels gap_table;
const GapKernels gap_table = {pack, within_reach};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
