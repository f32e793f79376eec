#include "tendril/contact/gradient_kernels.hpp"
#include "tendril/contact/law_lanes.hpp"

namespace tendril::contact {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES;
using S = Lanes<W>;
using V3 = Vec3<S>;
using Quad = Lanes<4>;  // the numbers of one node
using L = GroupLayout;

struct Group {
  const double* fields;
  TENDRIL_INLINE S at(int field) const { return load<S>(fields + field * W); }
  TENDRIL_INLINE V3 row(int r) const { return load3<S>(fields + (L::frame + 3 * r) * W); }
  TENDRIL_INLINE std::uint32_t node(int k, int lane) const {
    return reinterpret_cast<const std::uint32_t*>(fields + L::nodes * W)[k * W + lane];
  }
};

TENDRIL_INLINE Group group_at(const GradientView& view, std::size_t g) { return {view.groups + g * L::fields * W}; }

// Terms of the contacts of a group, if there are any.
TENDRIL_INLINE void add_terms(const GradientView& view, std::size_t g, const double* v, double (&u)[3][W]) {
  for (int lane = 0; lane < W; ++lane)
    for (std::uint32_t t = view.term_starts[g * W + lane]; t < view.term_starts[g * W + lane + 1]; ++t) {
      const double* const x = v + 4 * std::size_t(view.terms[t].node);
      const double* const a = view.terms[t].matrix;
      for (int row = 0; row < 3; ++row)
        u[row][lane] += a[3 * row] * x[0] + a[3 * row + 1] * x[1] + a[3 * row + 2] * x[2];
    }
}

// Rows of four numbers, one per lane, to vectors over lanes and back.
template <class T>
TENDRIL_INLINE Vec3<T> by_lanes(const Quad* rows) {
  constexpr int w = lane_count<T>;
  if constexpr (w == 4) {
    const T a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    const T b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    const T c = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    const T d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    return {__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(c, d, 0, 1, 4, 5),
            __builtin_shufflevector(a, b, 2, 3, 6, 7)};
  } else {
    alignas(64) double lanes[3][w];
    for (int lane = 0; lane < w; ++lane)
      for (int axis = 0; axis < 3; ++axis) lanes[axis][lane] = rows[lane][axis];
    return {load<T>(lanes[0]), load<T>(lanes[1]), load<T>(lanes[2])};
  }
}
template <class T>
TENDRIL_INLINE void by_rows(const Vec3<T>& in, double* to) {
  constexpr int w = lane_count<T>;
  if constexpr (w == 4) {
    const T zero{};
    const T a = __builtin_shufflevector(in.x, in.y, 0, 4, 2, 6), b = __builtin_shufflevector(in.x, in.y, 1, 5, 3, 7);
    const T c = __builtin_shufflevector(in.z, zero, 0, 4, 2, 6), d = __builtin_shufflevector(in.z, zero, 1, 5, 3, 7);
    store(T(__builtin_shufflevector(a, c, 0, 1, 4, 5)), to);
    store(T(__builtin_shufflevector(b, d, 0, 1, 4, 5)), to + 4);
    store(T(__builtin_shufflevector(a, c, 2, 3, 6, 7)), to + 8);
    store(T(__builtin_shufflevector(b, d, 2, 3, 6, 7)), to + 12);
  } else {
    alignas(64) double lanes[3][w];
    store(in.x, lanes[0]), store(in.y, lanes[1]), store(in.z, lanes[2]);
    for (int lane = 0; lane < w; ++lane)
      for (int axis = 0; axis < 3; ++axis) to[4 * lane + axis] = lanes[axis][lane];
  }
}

TENDRIL_INLINE V3 group_velocity(const GradientView& view, std::size_t g, const double* v) {
  const Group group = group_at(view, g);
  Quad sum[W];
  for (int lane = 0; lane < W; ++lane) {
    sum[lane] = Quad{};
    for (int k = 0; k < 4; ++k)
      sum[lane] += group.fields[(L::weight + k) * W + lane] * load<Quad>(v + 4 * std::size_t(group.node(k, lane)));
  }
  const V3 world = by_lanes<S>(sum);
  V3 u{dot(group.row(0), world) + group.at(L::drift), dot(group.row(1), world) + group.at(L::drift + 1),
       dot(group.row(2), world) + group.at(L::drift + 2)};
  if (view.term_starts == nullptr) return u;
  alignas(64) double with_terms[3][W];
  store(u.x, with_terms[0]), store(u.y, with_terms[1]), store(u.z, with_terms[2]);
  add_terms(view, g, v, with_terms);
  return {load<S>(with_terms[0]), load<S>(with_terms[1]), load<S>(with_terms[2])};
}

TENDRIL_INLINE void store_push(const GradientView& view, std::size_t g, const V3& r) {
  const Group group = group_at(view, g);
  by_rows(r.x * group.row(0) + r.y * group.row(1) + r.z * group.row(2), view.push + 4 * W * g);
}

TENDRIL_INLINE double lane_sum(const S& a) {
  double sum = 0.0;
  for (int lane = 0; lane < W; ++lane) sum += reinterpret_cast<const double*>(&a)[lane];
  return sum;
}

void step(const GradientView& view, std::size_t first, std::size_t end, double momentum, double step_length,
          StepSums& sums) {
  const S beta = S{} + momentum;
  S turn{}, length{};
  for (std::size_t g = first; g < end; ++g) {
    const Group group = group_at(view, g);
    const S mu = group.at(L::mu), rho = group.at(L::rho);
    const V3 r = load3<S>(view.r + 3 * W * g), old = load3<S>(view.old_r + 3 * W * g);
    const V3 y = r + beta * (r - old);
    const V3 u = de_saxce_velocity(group_velocity(view, g, view.velocity_y), mu);
    const V3 next = nearest_in_cone(y - (rho * step_length) * u, mu);
    const V3 moved = next - y;
    turn += rho > 0.0 ? -(dot(moved, next - r) / rho) : S{};
    length += rho > 0.0 ? dot(moved, moved) / rho : S{};
    store3(r, view.old_r + 3 * W * g);
    store3(next, view.r + 3 * W * g);
    store_push(view, g, next);
  }
  sums.turn = lane_sum(turn), sums.length = lane_sum(length);
}

void spread(const GradientView& view, std::size_t first, std::size_t end) {
  for (std::size_t g = first; g < end; ++g) store_push(view, g, load3<S>(view.r + 3 * W * g));
}

void errors(const GradientView& view, std::size_t first, std::size_t end, double limit, ErrorSums& sums) {
  S worst{}, sum{}, above{};
  for (std::size_t g = first; g < end; ++g) {
    const Group group = group_at(view, g);
    const V3 u = group_velocity(view, g, view.velocity), r = load3<S>(view.r + 3 * W * g);
    const S error = law_error(r, u, group.at(L::mu), group.at(L::rho));
    worst = maximum(error, worst), sum += error;
    above += error > limit ? S{} + 1.0 : S{};
  }
  sums.sum = lane_sum(sum), sums.above = lane_sum(above);
  for (int lane = 0; lane < W; ++lane) {
    const double error = reinterpret_cast<const double*>(&worst)[lane];
    if (error > sums.worst) sums.worst = error;
  }
}

// Hᵀ r of a block, its contacts in a fixed order.
TENDRIL_INLINE void gather(const GradientView& view, const BlockRecord& block, double* force) {
  for (std::size_t i = 0; i < 4 * std::size_t(block.nodes); ++i) force[i] = 0.0;
  for (std::uint32_t s = block.first_segment; s < block.end_segment; ++s) {
    const SegmentRecord& segment = view.segments[s];
    Quad first{}, second{};
    for (std::uint32_t t = segment.first_touch; t < segment.end_touch; ++t) {
      const Quad f = load<Quad>(view.push + 4 * std::size_t(view.touches[t].contact));
      first += view.touches[t].weight[0] * f, second += view.touches[t].weight[1] * f;
    }
    double *const a = force + 4 * std::size_t(segment.node[0]), *const b = force + 4 * std::size_t(segment.node[1]);
    store(Quad(load<Quad>(a) + first), a);
    store(Quad(load<Quad>(b) + second), b);
  }
  for (std::uint32_t t = block.first_term_touch; t < block.end_term_touch; ++t) {
    const TermTouch& touch = view.term_touches[t];
    const double *const f = view.push + 4 * std::size_t(touch.contact), *const a = touch.matrix;
    double* const to = force + 4 * std::size_t(touch.node);
    for (int axis = 0; axis < 3; ++axis) to[axis] += a[axis] * f[0] + a[3 + axis] * f[1] + a[6 + axis] * f[2];
  }
}

// Four numbers of a matrix in either precision.
TENDRIL_INLINE Quad load_quad(const double* from) { return load<Quad>(from); }
TENDRIL_INLINE Quad load_quad(const float* from) {
#ifdef __AVX__
  return Quad(_mm256_cvtps_pd(_mm_loadu_ps(from)));  // g++ converts vectors in two halves, through memory
#else
  return Quad{from[0], from[1], from[2], from[3]};
#endif
}

// Rows [row, row + count) of free + C force, count vectors of four.
template <int count, class Number>
TENDRIL_INLINE void respond_rows(const Number* matrix, std::size_t rows, std::uint32_t nodes, const double* free,
                                 const double* force, double* out) {
  Quad sum[count];
  for (int i = 0; i < count; ++i) sum[i] = load<Quad>(free + 4 * i);
  for (std::uint32_t k = 0; k < nodes; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const double amount = force[4 * k + std::uint32_t(axis)];
      const Number* const column = matrix + (3 * std::size_t(k) + std::size_t(axis)) * rows;
      for (int i = 0; i < count; ++i) sum[i] += amount * load_quad(column + 4 * i);
    }
  for (int i = 0; i < count; ++i) store(sum[i], out + 4 * i);
}

// Some nodes of a block, `nodes` of all: v under next_force into `out`.
template <class Number>
TENDRIL_INLINE void respond_piece(const Number* matrix, std::uint32_t nodes, std::uint32_t count, const double* free,
                                  const double* force, double* out) {
  const std::size_t rows = 4 * std::size_t(nodes);
  std::uint32_t i = 0;
  for (; i + 5 <= count; i += 5) respond_rows<5>(matrix + 4 * i, rows, nodes, free + 4 * i, force, out + 4 * i);
  for (; i < count; ++i) respond_rows<1>(matrix + 4 * i, rows, nodes, free + 4 * i, force, out + 4 * i);
}

// Takes over the velocity of one node, with its next extrapolation; what it adds to dᵀWd.
TENDRIL_INLINE Quad take_over(const GradientView& view, std::size_t at, const Quad& v, double momentum) {
  const Quad f = load<Quad>(view.next_force + at);
  const Quad curvature = (v - load<Quad>(view.velocity_y + at)) * (f - load<Quad>(view.force_y + at));
  store(Quad(v + momentum * (v - load<Quad>(view.velocity + at))), view.velocity_y + at);
  store(Quad(f + momentum * (f - load<Quad>(view.force + at))), view.force_y + at);
  store(v, view.velocity + at), store(f, view.force + at);
  return curvature;
}

template <class Number>
TENDRIL_INLINE void respond_with(const Number* matrices, const GradientView& view, std::size_t first, std::size_t end,
                                 double next_momentum, StepSums& sums) {
  constexpr std::uint32_t piece = 60;  // nodes: few enough for the stack
  alignas(64) double velocity[4 * piece];
  Quad curvature{};
  for (std::size_t b = first; b < end; ++b) {
    const BlockRecord& block = view.blocks[b];
    const std::size_t at = 4 * std::size_t(block.first_node);
    gather(view, block, view.next_force + at);
    for (std::uint32_t from = 0; from < block.nodes; from += piece) {
      const std::uint32_t count = block.nodes - from < piece ? block.nodes - from : piece;
      respond_piece(matrices + block.matrix + 4 * from, block.nodes, count, view.free_velocity + at + 4 * from,
                    view.next_force + at, velocity);
      for (std::uint32_t k = 0; k < count; ++k)
        curvature += take_over(view, at + 4 * (from + k), load<Quad>(velocity + 4 * k), next_momentum);
    }
  }
  sums.curvature = curvature[0] + curvature[1] + curvature[2] + curvature[3];
}

void respond(const GradientView& view, std::size_t first, std::size_t end, double next_momentum, StepSums& sums) {
  if (view.single_matrices != nullptr)
    respond_with(view.single_matrices, view, first, end, next_momentum, sums);
  else
    respond_with(view.matrices, view, first, end, next_momentum, sums);
}

}  // namespace

extern const GradientKernels gradient_table;
const GradientKernels gradient_table = {W, step, respond, spread, errors};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
