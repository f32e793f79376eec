// The equilibrium sweep in lanes (docs/theory/sag-free.md, "The sweep"). A strand that is clamped at its root alone is
// statically determinate: from the tip to the root, each edge and joint has as many unknown stresses as there are
// equations that nothing behind it enters.
#include "tendril/rods/der/lane_external.hpp"
#include "tendril/sagfree/sweep_kernels.hpp"

namespace tendril::sagfree {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using namespace tendril::der;
using P = ParameterLayout;

TENDRIL_INLINE double* at(double* stream, int k, int components) {
  return stream + std::size_t(k) * std::size_t(components) * W;
}
TENDRIL_INLINE const double* at(const double* stream, int k, int components) {
  return stream + std::size_t(k) * std::size_t(components) * W;
}

// 1 where joint k has stiffness: ghosts and the clamped edge have none.
TENDRIL_INLINE S is_real(const GroupView& group, int k) {
  return ParametersAt(group, k)[P::bend1] > 0.0 ? S{} + 1.0 : S{};
}

// All that pulls on the strand beyond edge k, from the tip on: sum of the forces on vertices k + 1 and up, and what
// connectors put on both ends of edges.
struct Load {
  const GroupView& group;
  const StepTerms& terms;
  const double* state;
  V3 pull{};
  S torque{};

  // Goes on to edge k. The force of a connector on the first vertex of its edge belongs to the next edge's pull.
  TENDRIL_INLINE void move_to(int k, const Edge<S>& edge, V3& behind) {
    const VertexForce force = vertex_force(terms, state, ParametersAt(group, k + 1), k + 1);
    pull = pull + force.force + behind;
    torque = vertex_force(terms, state, ParametersAt(group, k), k).torque;
    behind = V3{};
    if (group.connectors == nullptr) return;
    const EdgeForces body = connector_forces(group, terms, state, edge, k);
    pull = pull + body.second;
    behind = body.first;
  }
};

void tensions(const GroupView& group, const StepTerms& terms, const double* state, double* tension) {
  Load beyond{group, terms, state};
  V3 behind{};
  store(S{}, at(tension, group.vertices - 1, 1));
  for (int k = group.vertices - 2; k >= 0; --k) {
    const Edge<S> edge = edge_at(group, state, k);
    beyond.move_to(k, edge, behind);
    const S real = k > 0 ? is_real(group, k) : S{};
    store(real > 0.5 ? dot(beyond.pull, edge.tangent) : S{}, at(tension, k, 1));
  }
}

struct BoundsAt {
  const double* rows;
  TENDRIL_INLINE S operator[](BoundRow::Row row) const { return load<S>(rows + row * W); }
};

constexpr int most_newtons = 30;

// Newton's method on a convex function of the factor, kept within its bounds; `slopes(f)` gives both derivatives.
template <class Slopes>
TENDRIL_INLINE S best_factor(const S& lowest, const S& highest, const Slopes& slopes) {
  S factor = minimum(maximum(S{} + 1.0, lowest), highest);
  for (int i = 0; i < most_newtons; ++i) {
    const auto [first, second] = slopes(factor);
    const S next = minimum(maximum(factor - first / second, lowest), highest);
    const S moved = magnitude(next - factor) > 1e-16 * next ? S{} + 1.0 : S{};
    factor = next;
    double any = 0.0;
    for (int lane = 0; lane < W; ++lane) any += reinterpret_cast<const double*>(&moved)[lane];
    if (any == 0.0) break;
  }
  return factor;
}

struct Slopes {
  S first, second;
};

void realise_edges(const GroupView& group, const double* tension, const double* state, const double* weights,
                   const double* lengths, const double* bounds, double* strains, double* factors, double* capped) {
  const BoundsAt bound{bounds};
  const S shortest = load<S>(lengths), longest = load<S>(lengths + W);
  const S most = 1.0 / shortest - 1.0, least = 1.0 / longest - 1.0;  // strain at the state
  S too_low{};
  for (int k = 0; k + 1 < group.vertices; ++k) {
    const ParametersAt parameters(group, k);
    const S real = k > 0 ? is_real(group, k) : S{};
    const Edge<S> edge = edge_at(group, state, k);
    const S stretch = real > 0.5 ? parameters[P::stretch] : S{} + 1.0;
    const S unit = load<S>(at(tension, k, 1)) / stretch;  // strain at a factor of 1
    const S rest0 = 1.0 / parameters[P::inverse_rest_length], length = edge.length;
    const S weight = load<S>(at(weights, k, WeightLayout::components) + WeightLayout::stretch * W);
    const S wanted = maximum(bound[BoundRow::floor], unit > 0.0 ? unit / most : unit / least);
    const S cap = maximum(bound[BoundRow::cap], bound[BoundRow::floor]);
    too_low += real > 0.5 && wanted > cap ? S{} + 1.0 : S{};
    const S lowest = minimum(wanted, cap);
    const S factor = best_factor(lowest, cap, [&](const S& f) TENDRIL_INLINE_LAMBDA {
      const S sum = f + unit, slope = length * unit / (sum * sum);
      return Slopes{(f - 1.0) + weight * (length * f / sum - rest0) * slope, 1.0 + weight * slope * slope};
    });
    const S strain = minimum(maximum(unit / factor, least), most), reference = parameters[P::reference_length];
    const S own = parameters[P::rest_strain];
    store(real > 0.5 ? (reference - length) / length * (1.0 + strain) + strain : own, at(strains, k, 1));
    store(real > 0.5 ? factor : S{} + 1.0, at(factors, k, 1));
  }
  store(too_low, capped);
}

// Gradient of the joint's energy for unit strain towards m1, towards m2 and in twist, at the initial stiffness: a
// strain (u_0, u_1) in the frame of e is R(m) (u_0, u_1) in that of f.
struct UnitGradients {
  JointGradient<S> bend1, bend2, twist;
};

TENDRIL_INLINE JointGradient<S> sum(const S& a, const JointGradient<S>& u, const S& b, const JointGradient<S>& v,
                                    const S& c, const JointGradient<S>& w) {
  return {a * u.e + b * v.e + c * w.e, a * u.f + b * v.f + c * w.f, a * u.theta_e + b * v.theta_e + c * w.theta_e,
          a * u.theta_f + b * v.theta_f + c * w.theta_f};
}

TENDRIL_INLINE UnitGradients unit_gradients(const GroupView& group, const ParametersAt& parameters, const Edge<S>& e,
                                            const Edge<S>& f, const Frame<S>& frame_e, const Frame<S>& frame_f,
                                            const S& twist) {
  const JointGeometry<S> joint = joint_geometry(e, f);
  const Strain<S> twisting = twist_strain(e, f, joint, twist);
  const Curvature4<S> bend = curvature_strains(group.curvature, e, f, joint, frame_e, frame_f, twisting);
  const S b1 = parameters[P::bend1], b2 = parameters[P::bend2], w = parameters[P::twist], zero{};
  const auto rows = [&](int c) -> const JointGradient<S>& { return bend.component[c].gradient; };
  UnitGradients unit;
  unit.twist = sum(w, twisting.gradient, zero, twisting.gradient, zero, twisting.gradient);
  if (bend.count == 2) {
    unit.bend1 = sum(2.0 * b1, rows(0), zero, rows(0), zero, rows(0));
    unit.bend2 = sum(2.0 * b2, rows(1), zero, rows(1), zero, rows(1));
    return unit;
  }
  const auto [sine, cosine] = sine_cosine(twist);
  unit.bend1 = sum(b1, rows(0), b1 * cosine, rows(2), -(b2 * sine), rows(3));
  unit.bend2 = sum(b2, rows(1), b1 * sine, rows(2), b2 * cosine, rows(3));
  return unit;
}

void joint_strains(const GroupView& group, const StepTerms& terms, const double* state, double* strains) {
  const int last = group.vertices - 1;
  for (int c = 0; c < JointLayout::components; ++c) {
    store(S{}, at(strains, last, JointLayout::components) + c * W);
    store(S{}, at(strains, 0, JointLayout::components) + c * W);
  }
  Load beyond{group, terms, state};
  V3 behind{};
  JointGradient<S> ahead{};  // of joint k + 1
  Edge<S> edge = edge_at(group, state, last - 1);
  Frame<S> frame = frame_at(state, last - 1, edge);
  for (int k = last - 1; k > 0; --k) {
    beyond.move_to(k, edge, behind);
    const Edge<S> edge_before = edge_at(group, state, k - 1);
    const Frame<S> frame_before = frame_at(state, k - 1, edge_before);
    const UnitGradients unit =
        unit_gradients(group, ParametersAt(group, k), edge_before_joint(group, k, edge_before, edge), edge,
                       frame_before, frame, twist_at(state, k));
    // Across the edge and about it: three equations for three strains. The tension takes what is along the edge.
    const auto row = [&](const V3& force, const S& torque) TENDRIL_INLINE_LAMBDA {
      return V3{edge.length * dot(force, frame.m1), edge.length * dot(force, frame.m2), torque};
    };
    const V3 c0 = row(unit.bend1.f, unit.bend1.theta_f), c1 = row(unit.bend2.f, unit.bend2.theta_f),
             c2 = row(unit.twist.f, unit.twist.theta_f);
    const V3 n0 = cross(c1, c2), n1 = cross(c2, c0), n2 = cross(c0, c1);
    const S real = is_real(group, k);
    const S inverse = 1.0 / (real > 0.5 ? dot(c0, n0) : S{} + 1.0);
    V3 missing = row(beyond.pull - ahead.e, beyond.torque - ahead.theta_e), u{};
    for (int refinement = 0; refinement < 2; ++refinement) {
      u = u + inverse * V3{dot(missing, n0), dot(missing, n1), dot(missing, n2)};
      missing = row(beyond.pull - ahead.e, beyond.torque - ahead.theta_e) - (u.x * c0 + u.y * c1 + u.z * c2);
    }
    u = {real > 0.5 ? u.x : S{}, real > 0.5 ? u.y : S{}, real > 0.5 ? u.z : S{}};
    store3(u, at(strains, k, JointLayout::components));
    ahead = sum(u.x, unit.bend1, u.y, unit.bend2, u.z, unit.twist);
    edge = edge_before, frame = frame_before;
  }
}

// The inverse factors y for which |d - u y| <= bound, as an interval of y >= 0; empty: the upper end is below the
// lower.
struct Interval {
  S low, high;
};
constexpr double unbounded = 1e300;
// Beyond it the round-off of the curvature alone is a stress above the tolerance. A bound of zero asks for infinity.
constexpr double largest_useful_factor = 1e9;

TENDRIL_INLINE Interval component_interval(const S& d, const S& u, const S& bound) {
  const S a = (d - bound) / u, b = (d + bound) / u;
  const S low = minimum(a, b), high = maximum(a, b);
  const S within = magnitude(d) <= bound ? S{} + 1.0 : S{};
  return {u == 0.0 ? (within > 0.5 ? S{} : S{} + unbounded) : low,
          u == 0.0 ? (within > 0.5 ? S{} + unbounded : S{}) : high};
}

TENDRIL_INLINE Interval curvature_interval(CurvatureBound kind, const S* d, const S* u, const S& bound) {
  if (kind == CurvatureBound::box) {
    const Interval a = component_interval(d[0], u[0], bound), b = component_interval(d[1], u[1], bound);
    return {maximum(a.low, b.low), minimum(a.high, b.high)};
  }
  // |u|^2 y^2 - 2 d.u y + |d|^2 - bound^2 <= 0
  const S uu = u[0] * u[0] + u[1] * u[1], du = d[0] * u[0] + d[1] * u[1], dd = d[0] * d[0] + d[1] * d[1];
  const S discriminant = du * du - uu * (dd - bound * bound);
  const S root = square_root(maximum(discriminant, S{}));
  const S scale = 1.0 / (uu > 0.0 ? uu : S{} + 1.0);
  const S within = dd <= bound * bound ? S{} + 1.0 : S{}, none = discriminant < 0.0 ? S{} + 1.0 : S{};
  const S low = (du - root) * scale, high = (du + root) * scale;
  return {uu > 0.0 ? (none > 0.5 ? S{} + unbounded : low) : (within > 0.5 ? S{} : S{} + unbounded),
          uu > 0.0 ? (none > 0.5 ? S{} : high) : (within > 0.5 ? S{} + unbounded : S{})};
}

// The factor that changes stiffness and rest strain least, within the interval where the rest strain keeps its bound.
// Counts where that cannot be; there the factor that violates it least in the limit is the largest allowed.
TENDRIL_INLINE S choose_factor(const Interval& inverse, const S& floor, const S& cap, const S& weight, const S& uu,
                               const S& du, S& violated) {
  const S lowest = maximum(floor, 1.0 / maximum(inverse.high, S{} + 1.0 / unbounded));
  const S highest = minimum(cap, 1.0 / maximum(inverse.low, S{} + 1.0 / unbounded));
  const S useful = lowest <= largest_useful_factor ? S{} + 1.0 : S{};
  const S possible = lowest <= highest ? useful : S{};
  violated += possible > 0.5 ? S{} : S{} + 1.0;
  const S limit = useful > 0.5 ? minimum(lowest, cap) : minimum(maximum(S{} + 1.0, floor), cap);
  const S low = possible > 0.5 ? lowest : limit, high = possible > 0.5 ? highest : low;
  return best_factor(low, high, [&](const S& f) TENDRIL_INLINE_LAMBDA {
    const S y = 1.0 / f, slope = (du - uu * y) * y * y;  // of |d - u y|^2 / 2 by f
    return Slopes{(f - 1.0) + weight * slope, 1.0 + weight * maximum((3.0 * uu * y - 2.0 * du) * y * y * y, S{})};
  });
}

// The change of rest strain d - u/f, cut to its bound where the factor could not be chosen large enough.
TENDRIL_INLINE S cut(const S& change, const S& bound) { return minimum(maximum(change, -bound), bound); }

TENDRIL_INLINE void cut(CurvatureBound kind, const S& bound, S* change) {
  if (kind == CurvatureBound::box) {
    for (int c = 0; c < 2; ++c) change[c] = cut(change[c], bound);
    return;
  }
  const S square = change[0] * change[0] + change[1] * change[1], most = bound * bound * (1.0 + 1e-12);
  const S share = square > most ? bound / square_root(square > most ? square : S{} + 1.0) : S{} + 1.0;
  for (int c = 0; c < 2; ++c) change[c] = share * change[c];
}

void realise_joints(const GroupView& group, CurvatureBound kind, const double* measures, const double* strains,
                    const double* weights, const double* bounds, double* parameters, double* factors, double* capped) {
  const BoundsAt bound{bounds};
  S violated{};
  for (int k = 1; k + 1 < group.vertices; ++k) {
    const ParametersAt initial(group, k);
    const S real = is_real(group, k);
    const double* const measure = at(measures, k, MeasureLayout::components);
    const double* const strain = at(strains, k, JointLayout::components);
    const double* const weight = at(weights, k, WeightLayout::components);
    double* const to = at(parameters, k, P::components);
    double* const factor = at(factors, k, FactorLayout::components);
    S curvature[4], d[2], u[2];
    for (int c = 0; c < 4; ++c) curvature[c] = load<S>(measure + (MeasureLayout::curvature + c) * W);
    for (int c = 0; c < 2; ++c) {
      u[c] = load<S>(strain + c * W);
      d[c] = curvature[c] - initial[P::rest_curvature + c];
    }
    const S twist = load<S>(measure + MeasureLayout::twist * W), nu = load<S>(strain + JointLayout::twist * W);
    const S wound = twist - initial[P::rest_twist];
    const S floor = bound[BoundRow::floor], cap = maximum(bound[BoundRow::cap], floor);
    S missed{};
    const S bend = choose_factor(curvature_interval(kind, d, u, bound[BoundRow::curvature]), floor, cap,
                                 load<S>(weight + WeightLayout::bend * W), u[0] * u[0] + u[1] * u[1],
                                 d[0] * u[0] + d[1] * u[1], missed);
    const S turn = choose_factor(component_interval(wound, nu, bound[BoundRow::twist]), floor, cap,
                                 load<S>(weight + WeightLayout::twist * W), nu * nu, wound * nu, missed);
    violated += real > 0.5 ? missed : S{};
    store(real > 0.5 ? bend : S{} + 1.0, factor + FactorLayout::bend * W);
    store(real > 0.5 ? turn : S{} + 1.0, factor + FactorLayout::twist * W);
    const S inverse = 1.0 / bend;
    S change[2] = {d[0] - u[0] * inverse, d[1] - u[1] * inverse};
    cut(kind, bound[BoundRow::curvature], change);
    // In the frame of f the strain is turned by the twist; 2D measures have no such frame.
    const auto [sine, cosine] = sine_cosine(group.curvature == Curvature::four ? twist : S{});
    const S s0 = d[0] - change[0], s1 = d[1] - change[1];
    const S strained[4] = {s0, s1, cosine * s0 + sine * s1, cosine * s1 - sine * s0};
    store(bend * initial[P::bend1], to + P::bend1 * W);
    store(bend * initial[P::bend2], to + P::bend2 * W);
    store(turn * initial[P::twist], to + P::twist * W);
    for (int c = 0; c < 4; ++c) {
      const S own = initial[P::rest_curvature + c];
      store(real > 0.5 ? curvature[c] - strained[c] : own, to + (P::rest_curvature + c) * W);
    }
    const S wrung = wound - cut(wound - nu / turn, bound[BoundRow::twist]);
    store(real > 0.5 ? twist - wrung : initial[P::rest_twist], to + P::rest_twist * W);
  }
  store(violated, capped);
}

}  // namespace

extern const SweepKernels kernel_table;
const SweepKernels kernel_table = {tensions, realise_edges, joint_strains, realise_joints};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::sagfree
