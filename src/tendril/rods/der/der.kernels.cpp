// The lane kernels of discrete elastic rods (docs/theory/der.md). Compiled once per instruction set; see layout.hpp for
// what each entry point does and linalg/isa.hpp for why everything here lives in a namespace of its own.
#include <cstddef>

#include "tendril/linalg/block_columns.hpp"
#include "tendril/rods/der/exact_joint.hpp"
#include "tendril/rods/der/lane_external.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

// Held unknowns leave the system: what their prescribed increment does to free ones goes to the right-hand side, then
// row and column become the identity, and what earlier columns sent to a held row is dropped. `extra` receives what
// belongs to later columns (rows 4..10). Out of line: only a few vertices of a strand come here.
__attribute__((noinline)) void take_out_held(const GroupView& group, const double* state, int k, Front<S>& front,
                                             S* slot, S* extra) {
  using B = BlockColumns;
  const HoldAt holds[3] = {HoldAt(group, k), HoldAt(group, k + 1), HoldAt(group, k + 2)};
  S free[11], increment[11];
  for (int r = 0; r < 11; ++r) {
    const HoldAt& hold = holds[r / 4];
    free[r] = hold ? hold.free(r % 4) : S{} + 1.0;
    increment[r] = S{};
    if (hold) {
      const double* q = state + (std::size_t(k + r / 4) * StateLayout::components + std::size_t(r % 4)) * W;
      increment[r] = free[r] > 0.5 ? S{} : hold.target(r % 4) - load<S>(q);
    }
  }
  for (int c = 0; c < 4; ++c)
    for (int r = c + 1; r < 11; ++r) {
      const S entry = slot[B::at(r, c)];
      slot[B::rhs(c)] -= entry * increment[r];
      (r < 4 ? slot[B::rhs(r)] : extra[r - 4]) -= entry * increment[c];
    }
  for (int c = 0; c < 4; ++c) {
    for (int r = c + 1; r < 11; ++r) slot[B::at(r, c)] = free[c] * free[r] > 0.5 ? slot[B::at(r, c)] : S{};
    slot[B::at(c, c)] = free[c] > 0.5 ? slot[B::at(c, c)] : S{} + 1.0;
    slot[B::rhs(c)] = free[c] > 0.5 ? slot[B::rhs(c)] : increment[c];
    front.rhs[c] = free[c] > 0.5 ? front.rhs[c] : S{};
  }
}

// The matrix of a step is positive definite: Gauss-Newton joints, no geometric stiffness from compressed edges. The
// exact one decides whether an equilibrium is stable; it is for 4D curvature.
enum class Matrix { positive, exact };

template <bool round, Matrix matrix>
TENDRIL_INLINE Joint<S> joint_at(const GroupView& group, const ParametersAt& parameters, const S& stiffening,
                                 const Edge<S>& e, const Edge<S>& f, const Frame<S>& frame_e, const Frame<S>& frame_f,
                                 const S& twist) {
  const JointMaterial<S> material = parameters.joint();
  const JointGeometry<S> geometry = joint_geometry(e, f);
  Joint<S> joint;
  if constexpr (round)
    joint = {round_joint_gradient(material, e, f, geometry, frame_e, frame_f, twist),
             round_joint_hessian(stiffening * material.bend1, stiffening * material.twist, e, f, geometry)};
  else
    joint = bend_and_twist(group.curvature, material, stiffening, e, f, frame_e, frame_f, twist);
  if constexpr (matrix == Matrix::exact)
    add_stress_terms(joint_stress(material, geometry, frame_e, frame_f, twist), e, f, geometry, joint.hessian);
  return joint;
}

TENDRIL_INLINE JointGradient<S> joint_gradient_at(const GroupView& group, const ParametersAt& parameters,
                                                  const Edge<S>& e, const Edge<S>& f, const Frame<S>& frame_e,
                                                  const Frame<S>& frame_f, const S& twist) {
  const JointMaterial<S> material = parameters.joint();
  if (group.curvature != Curvature::four || !group.round)
    return joint_gradient(group.curvature, material, e, f, frame_e, frame_f, twist);
  return round_joint_gradient(material, e, f, joint_geometry(e, f), frame_e, frame_f, twist);
}

// What column k needs of joint k and edge k - 1, which the columns before have computed.
struct Carried {
  Edge<S> edge;         // k
  Frame<S> frame;       // of edge k
  Mat3<S> cross{};      // d2E/df de of joint k
  Sym3<S> stiffness{};  // d2E/df df of joint k
  V3 own{}, next{};     // couplings of theta_k to x_k and to x_{k+1} by joint k
  S theta{}, torque{};  // d2E/dtheta_f^2 and dE/dtheta_f of joint k
  V3 pull{};            // dE/df of joint k
  Sym3<S> behind{};     // all that edge k - 1 receives
  V3 pull_behind{};     // dE/de of edge k - 1
};

// Block column k and its right-hand side (docs/theory/der.md, Eq. 19). The strand ends with a column that has no joint
// ahead and one that has no edge ahead.
template <bool round, Matrix matrix, bool has_edge, bool has_joint>
TENDRIL_INLINE void emit_column(const GroupView& group, const StepTerms& terms, const double* state,
                                const S& stiffening, const S& mass_factor, int k, Carried& carried, S* slot) {
  using B = BlockColumns;
  const ParametersAt parameters(group, k);
  Edge<S> next_edge{};
  Frame<S> next_frame{};
  Joint<S> joint{};
  if constexpr (has_joint) {
    next_edge = edge_at(group, state, k + 1);
    next_frame = frame_at(state, k + 1, next_edge);
    joint = joint_at<round, matrix>(group, ParametersAt(group, k + 1), stiffening,
                                    edge_before_joint(group, k + 1, carried.edge, next_edge), next_edge, carried.frame,
                                    next_frame, twist_at(state, k + 1));
  }
  const JointHessian<S>& after = joint.hessian;
  Sym3<S> a{};
  V3 pull{};
  if constexpr (has_edge) {
    const Edge<S>& edge = carried.edge;
    const S strain = strain_at(parameters, edge);
    const S axial = parameters[ParameterLayout::stretch];
    const S along = stiffening * axial * parameters[ParameterLayout::inverse_rest_length];
    const S tension = axial * strain;
    const S pull_across = terms.tension != nullptr ? load<S>(terms.tension + std::size_t(k) * W) : tension;
    S across = pull_across * edge.inverse_length;
    if constexpr (matrix == Matrix::positive) across = maximum(across, S{});  // the projection (Eq. 5)
    a = identity_plus_outer(across, along - across, edge.tangent) + carried.stiffness + after.ee;
    pull = tension * edge.tangent + carried.pull + joint.gradient.e;
  }
  const S mass = parameters[ParameterLayout::mass] * mass_factor;
  const Mat3<S>&c = carried.cross, &d = after.fe;
  const Sym3<S>& b = carried.behind;
  slot[B::at(0, 0)] = b.xx + a.xx - (c.x.x + c.x.x) + mass;
  slot[B::at(1, 0)] = b.yx + a.yx - (c.x.y + c.y.x);
  slot[B::at(2, 0)] = b.zx + a.zx - (c.x.z + c.z.x);
  slot[B::at(1, 1)] = b.yy + a.yy - (c.y.y + c.y.y) + mass;
  slot[B::at(2, 1)] = b.zy + a.zy - (c.y.z + c.z.y);
  slot[B::at(2, 2)] = b.zz + a.zz - (c.z.z + c.z.z) + mass;
  const V3 own = carried.own - after.e_theta_e;
  slot[B::at(3, 0)] = own.x;
  slot[B::at(3, 1)] = own.y;
  slot[B::at(3, 2)] = own.z;
  slot[B::at(3, 3)] = carried.theta + after.theta_ee;
  if constexpr (matrix == Matrix::positive)  // a margin of stability does without the spin
    slot[B::at(3, 3)] += parameters[ParameterLayout::inertia] * mass_factor;
  slot[B::at(4, 0)] = c.x.x + d.x.x - a.xx;
  slot[B::at(4, 1)] = c.x.y + d.x.y - a.yx;
  slot[B::at(4, 2)] = c.x.z + d.x.z - a.zx;
  slot[B::at(5, 0)] = c.y.x + d.y.x - a.yx;
  slot[B::at(5, 1)] = c.y.y + d.y.y - a.yy;
  slot[B::at(5, 2)] = c.y.z + d.y.z - a.zy;
  slot[B::at(6, 0)] = c.z.x + d.z.x - a.zx;
  slot[B::at(6, 1)] = c.z.y + d.z.y - a.zy;
  slot[B::at(6, 2)] = c.z.z + d.z.z - a.zz;
  const V3 next = carried.next + after.e_theta_e - after.f_theta_e;
  slot[B::at(4, 3)] = next.x;
  slot[B::at(5, 3)] = next.y;
  slot[B::at(6, 3)] = next.z;
  slot[B::at(7, 0)] = -after.e_theta_f.x;
  slot[B::at(7, 1)] = -after.e_theta_f.y;
  slot[B::at(7, 2)] = -after.e_theta_f.z;
  slot[B::at(7, 3)] = after.theta_ef;
  slot[B::at(8, 0)] = -d.x.x;
  slot[B::at(8, 1)] = -d.x.y;
  slot[B::at(8, 2)] = -d.x.z;
  slot[B::at(9, 0)] = -d.y.x;
  slot[B::at(9, 1)] = -d.y.y;
  slot[B::at(9, 2)] = -d.y.z;
  slot[B::at(10, 0)] = -d.z.x;
  slot[B::at(10, 1)] = -d.z.y;
  slot[B::at(10, 2)] = -d.z.z;
  slot[B::at(8, 3)] = after.f_theta_e.x;
  slot[B::at(9, 3)] = after.f_theta_e.y;
  slot[B::at(10, 3)] = after.f_theta_e.z;

  const VertexForce force = vertex_force(terms, state, parameters, k);
  slot[B::rhs(0)] = force.force.x + (pull.x - carried.pull_behind.x);
  slot[B::rhs(1)] = force.force.y + (pull.y - carried.pull_behind.y);
  slot[B::rhs(2)] = force.force.z + (pull.z - carried.pull_behind.z);
  slot[B::rhs(3)] = force.torque - (carried.torque + joint.gradient.theta_e);

  carried.edge = next_edge, carried.frame = next_frame;
  carried.cross = after.fe, carried.stiffness = after.ff;
  carried.own = after.e_theta_f - after.f_theta_f, carried.next = after.f_theta_f;
  carried.theta = after.theta_ff, carried.torque = joint.gradient.theta_f;
  carried.pull = joint.gradient.f;
  carried.behind = a, carried.pull_behind = pull;
}

// One copy for every column: its bits must not depend on where in the strand a vertex is.
template <Pivots pivots>
__attribute__((noinline)) S finish_column(const GroupView& group, const double* state, int k, S* slot,
                                          Front<S>& front) {
  const bool held = HoldAt(group, k) || HoldAt(group, k + 1) || HoldAt(group, k + 2);
  if (!held) return eliminate<pivots>(slot, front);
  S extra[7] = {};
  take_out_held(group, state, k, front, slot, extra);
  const S counted = eliminate<pivots>(slot, front);
  for (int r = 0; r < 7; ++r) front.rhs[r] += extra[r];
  return counted;
}

// Visits the columns of the matrix in order, from the root: column k needs joint k + 1. `visit` gets k and its slot,
// and says where the next slot is to go.
template <bool round, Matrix matrix, class Visit>
TENDRIL_INLINE void each_column(const GroupView& group, const StepTerms& terms, const S& mass_factor,
                                const double* state, S* slot, const Visit& visit) {
  const int last = group.vertices - 1;
  const S stiffening = terms.stiffening != nullptr ? load<S>(terms.stiffening) : S{} + 1.0;
  Carried carried;
  carried.edge = edge_at(group, state, 0);
  carried.frame = frame_at(state, 0, carried.edge);
  for (int k = 0; k <= last; ++k) {
    if (k + 1 < last)
      emit_column<round, matrix, true, true>(group, terms, state, stiffening, mass_factor, k, carried, slot);
    else if (k < last)
      emit_column<round, matrix, true, false>(group, terms, state, stiffening, mass_factor, k, carried, slot);
    else
      emit_column<round, matrix, false, false>(group, terms, state, stiffening, mass_factor, k, carried, slot);
    if (terms.drag != nullptr) add_drag(group, terms, state, k, slot);
    if (terms.anchors != nullptr) add_anchor(terms, state, k, slot);
    if (group.connectors != nullptr) add_connector(group, terms, state, k, slot);
    slot = visit(k, slot);
  }
}

S inverse_square_step(const StepTerms& terms) { return S{} + terms.inverse_step * terms.inverse_step; }
bool has_round_joints(const GroupView& group) { return group.curvature == Curvature::four && group.round; }

template <bool round>
void factorise_columns(const GroupView& group, const StepTerms& terms, const double* state, double* slots,
                       double* clamped) {
  Front<S> front;
  S clamps{};
  each_column<round, Matrix::positive>(group, terms, inverse_square_step(terms), state, reinterpret_cast<S*>(slots),
                                       [&](int k, S* slot) TENDRIL_INLINE_LAMBDA {
                                         clamps +=
                                             finish_column<Pivots::clamp_to_positive>(group, state, k, slot, front);
                                         return slot + SlotLayout::components;
                                       });
  store(clamps, clamped);
}

void linearise(const GroupView& group, const StepTerms& terms, const double* state, double* slots, double* clamped) {
  if (has_round_joints(group))
    factorise_columns<true>(group, terms, state, slots, clamped);
  else
    factorise_columns<false>(group, terms, state, slots, clamped);
}

template <bool round>
void assemble_columns(const GroupView& group, const StepTerms& terms, const double* state, double* slots) {
  each_column<round, Matrix::positive>(group, terms, inverse_square_step(terms), state, reinterpret_cast<S*>(slots),
                                       [](int, S* slot)
                                           TENDRIL_INLINE_LAMBDA { return slot + SlotLayout::components; });
}

void assemble(const GroupView& group, const StepTerms& terms, const double* state, double* slots) {
  if (has_round_joints(group))
    assemble_columns<true>(group, terms, state, slots);
  else
    assemble_columns<false>(group, terms, state, slots);
}

// What is zero but for rounding, such as the turning of a strand about the pin that it hangs from, must not count.
template <bool round>
void count_negative(const GroupView& group, const StepTerms& terms, const double* margin, const double* state,
                    double* count) {
  constexpr double neutral = 64.0 * 0x1p-52;
  Front<S> front;
  S negative{}, slot[SlotLayout::components];
  each_column<round, Matrix::exact>(group, terms, -load<S>(margin), state, slot,
                                    [&](int k, S* column) TENDRIL_INLINE_LAMBDA {
                                      for (int c = 0; c < 4; ++c) {
                                        S& diagonal = column[BlockColumns::at(c, c)];
                                        diagonal += neutral * magnitude(diagonal);
                                      }
                                      negative += finish_column<Pivots::as_they_come>(group, state, k, column, front);
                                      return column;
                                    });
  store(negative, count);
}

void negative_pivots(const GroupView& group, const StepTerms& terms, const double* margin, const double* state,
                     double* count) {
  if (group.round)
    count_negative<true>(group, terms, margin, state, count);
  else
    count_negative<false>(group, terms, margin, state, count);
}

void back_substitute(const GroupView& group, const double* slots, double* increment) {
  S below[8] = {};  // x, theta of vertex k + 1, x of vertex k + 2
  for (int k = group.vertices - 1; k >= 0; --k) {
    const S* slot = reinterpret_cast<const S*>(slots + std::size_t(k) * SlotLayout::components * W);
    S q[4];
    for (int c = 0; c < 4; ++c) q[c] = slot[BlockColumns::rhs(c)];
    substitute_backward(slot, below, q);
    for (int c = 0; c < 4; ++c) {
      store(q[c], increment + (std::size_t(k) * 4 + std::size_t(c)) * W);
      below[c + 4] = below[c], below[c] = q[c];
    }
  }
}

void solve_columns(int vertices, const double* slots, double* columns) {
  S carried[7] = {};
  for (int k = 0; k < vertices; ++k) {
    S rhs[4];
    double* const column = columns + std::size_t(k) * 4 * W;
    for (int c = 0; c < 4; ++c) rhs[c] = load<S>(column + c * W);
    substitute_forward(slots + std::size_t(k) * SlotLayout::components, rhs, carried);
    for (int c = 0; c < 4; ++c) store(rhs[c], column + c * W);
  }
  S below[8] = {};
  for (int k = vertices - 1; k >= 0; --k) {
    S q[4];
    double* const column = columns + std::size_t(k) * 4 * W;
    for (int c = 0; c < 4; ++c) q[c] = load<S>(column + c * W);
    substitute_backward(slots + std::size_t(k) * SlotLayout::components, below, q);
    for (int c = 0; c < 4; ++c) {
      store(q[c], column + c * W);
      below[c + 4] = below[c], below[c] = q[c];
    }
  }
}

// EA times the strain that edge k has by the linearised equations after the increment (docs/theory/der.md, Eq. 18).
TENDRIL_INLINE S predicted_tension(const GroupView& group, const StepTerms& terms, const double* increment,
                                   const Edge<S>& edge, const S& length, int k) {
  const ParametersAt parameters(group, k);
  const V3 change = load3<S>(increment + std::size_t(k + 1) * 4 * W) - load3<S>(increment + std::size_t(k) * 4 * W);
  const S axial = parameters[ParameterLayout::stretch], strain = strain_at(parameters, edge);
  const S linear = axial * (strain + dot(change, edge.tangent) * parameters[ParameterLayout::inverse_rest_length]);
  const S old = terms.tension != nullptr ? load<S>(terms.tension + std::size_t(k) * W) : axial * strain;
  return old + length * (linear - old);
}

void advance(const GroupView& group, const StepTerms& terms, const double* state, const double* increment,
             const double* step_length, double* out, double* tension, double* report) {
  const S length = load<S>(step_length);
  const S carried = S{} + terms.carried, speed = length * terms.inverse_step;
  S least_turn = S{} + 1.0, least_chi = S{} + 2.0, not_finite{};
  const auto move_vertex = [&](int k) TENDRIL_INLINE_LAMBDA {
    const HoldAt hold(group, k);
    for (int c = 0; c < 4; ++c) {
      const std::size_t at = (std::size_t(k) * StateLayout::components + std::size_t(c)) * W;
      const S q = load<S>(state + at), v = load<S>(state + at + 4 * W);
      const S move = load<S>(increment + (std::size_t(k) * 4 + std::size_t(c)) * W);
      S moved = q + length * move;
      if (hold) moved = hold.free(c) > 0.5 ? moved : hold.target(c);
      const S velocity = carried * v + speed * move;
      not_finite += 0.0 * (moved + velocity);
      store(moved, out + at);
      store(velocity, out + at + 4 * W);
    }
  };
  const int last = group.vertices - 1;
  move_vertex(0);
  Edge<S> edge_behind{};
  V3 director_behind{};
  for (int k = 0; k <= last; ++k) {
    const std::size_t at = std::size_t(k) * StateLayout::components * W;
    const StateAt old(state, k);
    if (k == last) {
      store3(old.director(), out + at + StateLayout::director * W);
      store(old.reference_twist(), out + at + StateLayout::reference_twist * W);
      break;
    }
    move_vertex(k + 1);
    const Edge<S> before = edge_at(group, state, k), after = edge_at(group, out, k);
    const V3 director = transport_director(before.tangent, after.tangent, old.director());
    least_turn = minimum(dot(before.tangent, after.tangent), least_turn);
    if (tension != nullptr)
      store(predicted_tension(group, terms, increment, before, length, k), tension + std::size_t(k) * W);
    store3(director, out + at + StateLayout::director * W);
    S twist = old.reference_twist();
    if (k > 0) {
      const S moved = reference_twist(edge_behind.tangent, director_behind, after.tangent, director, twist);
      S chi = 1.0 + dot(edge_behind.tangent, after.tangent);
      if (const HoldAt hold(group, k - 1); hold) {  // a ghost's edge carries no frame
        twist = hold.real_edge() > 0.5 ? moved : twist;
        chi = hold.real_edge() > 0.5 ? chi : S{} + 2.0;
      } else {
        twist = moved;
      }
      least_chi = minimum(chi, least_chi);
    }
    not_finite += 0.0 * (twist + director.x + after.length);
    store(twist, out + at + StateLayout::reference_twist * W);
    edge_behind = after, director_behind = director;
  }
  store(least_turn, report + AdvanceReport::least_turn * W);
  store(least_chi, report + AdvanceReport::least_chi * W);
  store(not_finite, report + AdvanceReport::not_finite * W);
}

void residual(const GroupView& group, const StepTerms& terms, const double* state, double* out) {
  const int last = group.vertices - 1;
  Edge<S> edge = edge_at(group, state, 0);
  Frame<S> frame = frame_at(state, 0, edge);
  V3 pull_behind{}, air_behind{};
  EdgeForces body_behind{};
  JointGradient<S> bent{};
  for (int k = 0; k <= last; ++k) {
    const ParametersAt parameters(group, k);
    VertexForce force = vertex_force(terms, state, parameters, k);
    JointGradient<S> after{};
    V3 pull{}, air{};
    EdgeForces body{};
    Edge<S> next_edge = edge;
    Frame<S> next_frame = frame;
    if (k < last) {
      if (k + 1 < last) {
        next_edge = edge_at(group, state, k + 1);
        next_frame = frame_at(state, k + 1, next_edge);
        after = joint_gradient_at(group, ParametersAt(group, k + 1), edge_before_joint(group, k + 1, edge, next_edge),
                                  next_edge, frame, next_frame, twist_at(state, k + 1));
      }
      pull = (parameters[ParameterLayout::stretch] * strain_at(parameters, edge)) * edge.tangent + bent.f + after.e;
      if (terms.drag != nullptr) air = half_drag(terms, state, drag_at(terms, k), k);
      if (group.connectors != nullptr) body = connector_forces(group, terms, state, edge, k);
    }
    force.force = force.force + (pull - pull_behind) + air + air_behind + body.first + body_behind.second;
    if (terms.anchors != nullptr) force.force = force.force + anchor_force(terms, state, k);
    force.torque = force.torque - (bent.theta_f + after.theta_e);
    double* const to = out + std::size_t(k) * 4 * W;
    store3(force.force, to);
    store(force.torque, to + 3 * W);
    bent = after, pull_behind = pull, air_behind = air, body_behind = body;
    edge = next_edge, frame = next_frame;
  }
}

TENDRIL_INLINE V3 velocity_above_target(const StepTerms& terms, const double* state, int k) {
  const V3 velocity = StateAt(state, k).velocity();
  if (terms.target_velocity == nullptr) return velocity;
  return velocity - load3<S>(terms.target_velocity + std::size_t(k) * std::size_t(terms.target_stride));
}

TENDRIL_INLINE S anchor_energy(const StepTerms& terms, const double* state, int k) {
  const double* anchor = terms.anchors + std::size_t(k) * AnchorLayout::components * W;
  const V3 away = load3<S>(anchor) - StateAt(state, k).position();
  return 0.5 * load<S>(anchor + AnchorLayout::stiffness * W) * dot(away, away);
}

void energy(const GroupView& group, const StepTerms& terms, const double* state, const double* base, double* report) {
  const int last = group.vertices - 1;
  S stretch{}, bend{}, twist{}, inertia{}, external{};
  Edge<S> edge = edge_at(group, state, 0);
  Frame<S> frame = frame_at(state, 0, edge);
  for (int k = 0; k <= last; ++k) {
    const ParametersAt parameters(group, k);
    const StateAt at(state, k);
    const S mass = parameters[ParameterLayout::mass], spin = parameters[ParameterLayout::inertia];
    const V3 velocity = velocity_above_target(terms, state, k);
    S theta_velocity = at.theta_velocity();
    if (terms.target_velocity != nullptr) {
      const double* target = terms.target_velocity + std::size_t(k) * std::size_t(terms.target_stride);
      theta_velocity = theta_velocity - load<S>(target + 3 * W);
    }
    inertia += 0.5 * mass * dot(velocity, velocity) + 0.5 * spin * theta_velocity * theta_velocity;
    V3 moved = at.position();
    S turned = at.theta();
    if (base != nullptr) moved = moved - StateAt(base, k).position(), turned = turned - StateAt(base, k).theta();
    V3 force = {mass * terms.gravity[0], mass * terms.gravity[1], mass * terms.gravity[2]};
    if (terms.loads != nullptr) {
      const double* load_k = terms.loads + std::size_t(k) * 4 * W;
      force = force + load3<S>(load_k);
      external -= load<S>(load_k + 3 * W) * turned;
    }
    external -= dot(force, moved);
    if (terms.anchors != nullptr) external += anchor_energy(terms, state, k);
    if (k == last) break;
    if (group.connectors != nullptr) {
      const ConnectorAt body(group, k);
      const V3 first = across(edge, velocity), second = across(edge, velocity_above_target(terms, state, k + 1));
      inertia +=
          0.5 * ((body.rotary - body.lever) * dot(first, first) + (body.rotary + body.lever) * dot(second, second)) -
          body.rotary * dot(first, second);
      const V3 gravity = {S{} + terms.gravity[0], S{} + terms.gravity[1], S{} + terms.gravity[2]};
      external -= body.lever * parameters[ParameterLayout::reference_length] * dot(gravity, edge.tangent);
    }
    const S strain = strain_at(parameters, edge);
    stretch +=
        0.5 * parameters[ParameterLayout::stretch] * strain * strain / parameters[ParameterLayout::inverse_rest_length];
    if (terms.drag != nullptr) {  // (h/2) (v - wind) . D (v - wind): its derivative by q is the drag
      const V3 wind = {S{} + terms.wind[0], S{} + terms.wind[1], S{} + terms.wind[2]};
      const V3 slip = (S{} + 0.5) * (at.velocity() + StateAt(state, k + 1).velocity()) - wind;
      external += (0.5 / terms.inverse_step) * dot(slip, drag_at(terms, k) * slip);
    }
    if (k + 1 < last) {
      const Edge<S> next_edge = edge_at(group, state, k + 1);
      const Frame<S> next_frame = frame_at(state, k + 1, next_edge);
      const JointEnergy<S> joint = joint_energy(group.curvature, ParametersAt(group, k + 1).joint(),
                                                edge_before_joint(group, k + 1, edge, next_edge), next_edge, frame,
                                                next_frame, twist_at(state, k + 1));
      bend += joint.bend;
      twist += joint.twist;
      edge = next_edge, frame = next_frame;
    }
  }
  store(stretch, report + EnergyReport::stretch * W);
  store(bend, report + EnergyReport::bend * W);
  store(twist, report + EnergyReport::twist * W);
  store(inertia, report + EnergyReport::inertia * W);
  store(external, report + EnergyReport::external * W);
}

void measure(const GroupView& group, const double* state, double* out) {
  const int last = group.vertices - 1;
  Edge<S> behind{};
  Frame<S> frame_behind{};
  for (int k = 0; k <= last; ++k) {
    double* const to = out + std::size_t(k) * MeasureLayout::components * W;
    for (int c = 0; c < MeasureLayout::components; ++c) store(S{}, to + c * W);
    if (k == last) break;
    const Edge<S> edge = edge_at(group, state, k);
    const Frame<S> frame = frame_at(state, k, edge);
    store(edge.length, to + MeasureLayout::length * W);
    if (k > 0) {
      behind = edge_before_joint(group, k, behind, edge);
      const JointGeometry<S> joint = joint_geometry(behind, edge);
      const Strain<S> twist = twist_strain(behind, edge, joint, twist_at(state, k));
      const Curvature4<S> curvature =
          curvature_strains(group.curvature, behind, edge, joint, frame_behind, frame, twist);
      for (int c = 0; c < 4; ++c) store(curvature.component[c].value, to + (MeasureLayout::curvature + c) * W);
      store(twist.value, to + MeasureLayout::twist * W);
    }
    behind = edge, frame_behind = frame;
  }
}

void drag(const GroupView& group, const Air& air, const double* wind, const double* state, double* out) {
  constexpr double pi = 3.14159265358979323846;
  const V3 wind_velocity = {S{} + wind[0], S{} + wind[1], S{} + wind[2]};
  for (int k = 0; k < group.vertices; ++k) {
    Sym3<S> matrix{};
    if (k + 1 < group.vertices) {
      const Edge<S> edge = edge_at(group, state, k);
      const V3 slip = (S{} + 0.5) * (StateAt(state, k).velocity() + StateAt(state, k + 1).velocity()) - wind_velocity;
      const S along = dot(slip, edge.tangent);
      const V3 across = slip - along * edge.tangent;
      const S area = ParametersAt(group, k)[ParameterLayout::width] * edge.length;
      const S normal = (0.5 * air.density * air.normal) * area * square_root(dot(across, across));
      const S tangential = (0.5 * pi * air.density * air.tangential) * area * magnitude(along);
      matrix = identity_plus_outer(normal, tangential - normal, edge.tangent);
    }
    double* const to = out + std::size_t(k) * 6 * W;
    store(matrix.xx, to), store(matrix.yx, to + W), store(matrix.yy, to + 2 * W);
    store(matrix.zx, to + 3 * W), store(matrix.zy, to + 4 * W), store(matrix.zz, to + 5 * W);
  }
}

}  // namespace

extern const Kernels kernel_table;
const Kernels kernel_table = {
    W, linearise, assemble, negative_pivots, back_substitute, solve_columns, advance, residual, energy, measure, drag};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
