#include "tendril/contact/gradient_kernels.hpp"
#include "tendril/contact/law_lanes.hpp"
#include "tendril/contact/soft_push.hpp"
#include "tendril/linalg/quads.hpp"

namespace tendril::contact {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES;
using S = Lanes<W>;
using V3 = Vec3<S>;
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

// What of it obeys the law (Eq. 43).
TENDRIL_INLINE V3 law_velocity(const GradientView& view, std::size_t g, const double* v, const S& normal_impulse) {
  V3 u = group_velocity(view, g, v);
  if (view.pushes == nullptr) return u;
  const V3 push = load3<S>(view.pushes + 3 * W * g);
  u.x -= maximum(minimum(push.x - push.z * (normal_impulse - push.y), push.x), S{});
  return u;
}

// What of it counts where errors are measured.
TENDRIL_INLINE V3 judged_velocity(const GradientView& view, std::size_t g, const double* v, const S& normal_impulse) {
  V3 u = group_velocity(view, g, v);
  if (view.pushes == nullptr) return u;
  const V3 push = load3<S>(view.pushes + 3 * W * g);
  const S least = (normal_impulse < push.y ? S{} + push_share : S{} - push_slack) * push.x;
  u.x -= minimum(maximum(u.x, least), push.x);
  return u;
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
    const S mu = group.at(L::mu), metric = group.at(L::step);
    const V3 r = load3<S>(view.r + 3 * W * g), old = load3<S>(view.old_r + 3 * W * g);
    const V3 y = r + beta * (r - old);
    const V3 u = de_saxce_velocity(law_velocity(view, g, view.velocity_y, y.x), mu);
    const V3 next = nearest_in_cone(y - (metric * step_length) * u, mu);
    const V3 moved = next - y;
    turn += metric > 0.0 ? -(dot(moved, next - r) / metric) : S{};
    length += metric > 0.0 ? dot(moved, moved) / metric : S{};
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
    const V3 r = load3<S>(view.r + 3 * W * g), u = judged_velocity(view, g, view.velocity, r.x);
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

// The sums of three vectors, and 0.
TENDRIL_INLINE Quad sums_of(const Quad (&a)[3]) {
  const Quad zero{};
  const Quad low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6) + __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  const Quad high = __builtin_shufflevector(a[2], zero, 0, 4, 2, 6) + __builtin_shufflevector(a[2], zero, 1, 5, 3, 7);
  return Quad(__builtin_shufflevector(low, high, 0, 1, 4, 5)) + Quad(__builtin_shufflevector(low, high, 2, 3, 6, 7));
}

// Of node i with `count` nodes of C's columns, 3 columns by 4 rows each, the last row empty: what their forces do to
// it, and what its force does to them, with the transpose.
template <int count>
TENDRIL_INLINE void add_coupling(const double* matrix, const Quad (&forces)[count], const Quad& force, Quad& velocity,
                                 Quad (&sums)[count][3]) {
  for (int k = 0; k < count; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const Quad c = load<Quad>(matrix + 4 * (3 * k + axis));
      velocity += forces[k][axis] * c, sums[k][axis] += force * c;
    }
}

// Nodes k to k + count and all after them: out += C force. The end of what was read of the matrix.
template <int count>
TENDRIL_INLINE const double* add_columns(const double* matrix, std::size_t k, std::size_t nodes, const double* force,
                                         double* out) {
  Quad forces[count], own[count], sums[count][3];
  for (int i = 0; i < count; ++i) {
    forces[i] = load<Quad>(force + 4 * (k + i)), own[i] = load<Quad>(out + 4 * (k + i));
    for (int axis = 0; axis < 3; ++axis) sums[i][axis] = Quad{};
  }
  for (int i = 0; i < count; ++i)  // among themselves, above the diagonal too
    for (int j = 0; j < count; ++j, matrix += 12)
      for (int axis = 0; axis < 3; ++axis) own[i] += forces[j][axis] * load<Quad>(matrix + 4 * axis);
  for (std::size_t i = k + count; i < nodes; ++i, matrix += 12 * count) {
    Quad velocity = load<Quad>(out + 4 * i);
    add_coupling<count>(matrix, forces, load<Quad>(force + 4 * i), velocity, sums);
    store(velocity, out + 4 * i);
  }
  for (int i = 0; i < count; ++i) store(Quad(own[i] + sums_of(sums[i])), out + 4 * (k + i));
  return matrix;
}

// out += C force
TENDRIL_INLINE void add_response(const double* matrix, std::size_t nodes, const double* force, double* out) {
  std::size_t k = 0;
  for (; k + 2 <= nodes; k += 2) matrix = add_columns<2>(matrix, k, nodes, force, out);
  if (k < nodes) add_columns<1>(matrix, k, nodes, force, out);
}

// As many floats as make one register.
constexpr int F = TENDRIL_LANES >= 4 ? 8 : 4;
static_assert(PackedRows::width % F == 0);
typedef float Singles __attribute__((vector_size(F * sizeof(float))));

TENDRIL_INLINE Singles load_singles(const float* from) {
  Singles value;
  __builtin_memcpy(&value, from, sizeof(Singles));
  return value;
}
TENDRIL_INLINE void store_singles(const Singles& value, float* to) { __builtin_memcpy(to, &value, sizeof(Singles)); }

// The sums of three vectors; a fourth number is written behind them.
TENDRIL_INLINE void store_sums(const Singles& a, const Singles& b, const Singles& c, float* to) {
#ifdef __AVX__
  const auto halves = [](const Singles& x) TENDRIL_INLINE_LAMBDA {
    return _mm_add_ps(_mm256_castps256_ps128(__m256(x)), _mm256_extractf128_ps(__m256(x), 1));
  };
  const __m128 ab = _mm_hadd_ps(halves(a), halves(b)), cc = _mm_hadd_ps(halves(c), _mm_setzero_ps());
  _mm_storeu_ps(to, _mm_hadd_ps(ab, cc));
#else
  for (int k = 0; k < 3; ++k) {
    const Singles& x = k == 0 ? a : k == 1 ? b : c;
    to[k] = (x[0] + x[1]) + (x[2] + x[3]);
  }
  to[3] = 0.0f;
#endif
}

// One pass over half of C: each of its numbers serves for a row and for a column. What rows sum up is kept apart from
// what columns do, since a vector that was just written number by number cannot be read at once.
void add_packed_product(const float* rows, std::size_t nodes, const double* force, double* out, float* scratch) {
  const std::size_t padded = PackedRows::padded(3 * nodes + 1);
  float *const f = scratch, *const by_columns = f + padded, *const by_rows = by_columns + padded;
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t k = 0; k < 3; ++k) f[3 * i + k] = float(force[4 * i + k]);
  for (std::size_t i = 3 * nodes; i < padded; ++i) f[i] = 0.0f;
  for (std::size_t i = 0; i < padded; ++i) by_columns[i] = 0.0f;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t stride = PackedRows::stride(i);
    const float x = f[3 * i], y = f[3 * i + 1], z = f[3 * i + 2];
    Singles sum_x{}, sum_y{}, sum_z{};
    for (std::size_t c = 0; c < stride; c += F) {
      const Singles a = load_singles(rows + c), b = load_singles(rows + stride + c),
                    d = load_singles(rows + 2 * stride + c), g = load_singles(f + c);
      sum_x += a * g, sum_y += b * g, sum_z += d * g;
      store_singles(load_singles(by_columns + c) + (x * a + y * b + z * d), by_columns + c);
    }
    store_sums(sum_x, sum_y, sum_z, by_rows + 3 * i);
    rows += 3 * stride;
  }
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[4 * i + k] += double(by_columns[3 * i + k] + by_rows[3 * i + k]);
}

// Takes over force and velocity of one node, with its next extrapolation; what it adds to dᵀWd.
TENDRIL_INLINE Quad take_over(const GradientView& view, std::size_t at, double momentum, const Quad& f, const Quad& v) {
  const Quad curvature = (v - load<Quad>(view.velocity_y + at)) * (f - load<Quad>(view.force_y + at));
  store(Quad(v + momentum * (v - load<Quad>(view.velocity + at))), view.velocity_y + at);
  store(Quad(f + momentum * (f - load<Quad>(view.force + at))), view.force_y + at);
  store(v, view.velocity + at), store(f, view.force + at);
  return curvature;
}

TENDRIL_INLINE void add_product(const GradientView& view, const BlockRecord& block, const double* force, double* out,
                                float* scratch) {
  if (view.matrices != nullptr)
    add_response(view.matrices + block.matrix, block.nodes, force, out);
  else
    add_packed_product(view.packed_matrices + block.matrix, block.nodes, force, out, scratch);
}

void respond(const GradientView& view, std::size_t first, std::size_t end, double next_momentum,
             const BlockScratch& scratch, StepSums& sums) {
  Quad curvature{};
  for (std::size_t b = first; b < end; ++b) {
    const BlockRecord& block = view.blocks[b];
    const std::size_t at = 4 * std::size_t(block.first_node), size = 4 * std::size_t(block.nodes);
    gather(view, block, scratch.force);
    for (std::size_t i = 0; i < size; i += 4) store(load<Quad>(view.free_velocity + at + i), scratch.velocity + i);
    add_product(view, block, scratch.force, scratch.velocity, scratch.packed);
    for (std::size_t i = 0; i < size; i += 4)
      curvature +=
          take_over(view, at + i, next_momentum, load<Quad>(scratch.force + i), load<Quad>(scratch.velocity + i));
  }
  sums.curvature = curvature[0] + curvature[1] + curvature[2] + curvature[3];
}

void product(const GradientView& view, std::size_t index, const double* force, double* out, float* scratch) {
  const BlockRecord& block = view.blocks[index];
  for (std::size_t i = 0; i < 4 * std::size_t(block.nodes); ++i) out[i] = 0.0;
  add_product(view, block, force, out, scratch);
}

}  // namespace

extern const GradientKernels gradient_table;
const GradientKernels gradient_table = {W, step, respond, product, add_packed_product, spread, errors};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
