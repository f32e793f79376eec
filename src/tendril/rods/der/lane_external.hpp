// What acts on a strand from outside, in lanes: inertia, gravity, loads, anchors, connectors and air.
#pragma once

#include "tendril/linalg/block_columns.hpp"
#include "tendril/rods/der/lane_access.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

// Inertia, gravity and loads on the unknowns of vertex k: the right-hand side less what the edges do.
struct VertexForce {
  V3 force;
  S torque;
};

TENDRIL_INLINE VertexForce vertex_force(const StepTerms& terms, const double* state, const ParametersAt& parameters,
                                        int k) {
  const S mass = parameters[ParameterLayout::mass];
  VertexForce total{{mass * terms.gravity[0], mass * terms.gravity[1], mass * terms.gravity[2]}, S{}};
  if (terms.target_velocity != nullptr) {
    const double* target = terms.target_velocity + std::size_t(k) * std::size_t(terms.target_stride);
    const StateAt at(state, k);
    const S carried = S{} + terms.carried;
    total.force = total.force + (mass * terms.inverse_step) * (load3<S>(target) - carried * at.velocity());
    total.torque = (parameters[ParameterLayout::inertia] * terms.inverse_step) *
                   (load<S>(target + 3 * W) - carried * at.theta_velocity());
  }
  if (terms.loads != nullptr) {
    const double* load_k = terms.loads + std::size_t(k) * 4 * W;
    total.force = total.force + load3<S>(load_k);
    total.torque = total.torque + load<S>(load_k + 3 * W);
  }
  return total;
}

TENDRIL_INLINE V3 anchor_force(const StepTerms& terms, const double* state, int k) {
  const double* anchor = terms.anchors + std::size_t(k) * AnchorLayout::components * W;
  return load<S>(anchor + AnchorLayout::stiffness * W) * (load3<S>(anchor) - StateAt(state, k).position());
}

// The velocity that inertia aims at less the iterate's.
TENDRIL_INLINE V3 missing_velocity(const StepTerms& terms, const double* state, int k) {
  const double* target = terms.target_velocity + std::size_t(k) * std::size_t(terms.target_stride);
  return load3<S>(target) - (S{} + terms.carried) * StateAt(state, k).velocity();
}

struct ConnectorAt {
  S rotary, lever;
  ConnectorAt(const GroupView& group, int k) {
    const double* at = group.connectors + std::size_t(k) * ConnectorLayout::components * W;
    rotary = load<S>(at + ConnectorLayout::rotary * W), lever = load<S>(at + ConnectorLayout::lever * W);
  }
};

TENDRIL_INLINE V3 across(const Edge<S>& edge, const V3& v) { return v - dot(v, edge.tangent) * edge.tangent; }

// Weight and inertia of a connector beyond what its mass at the end vertex has, on both vertices of edge k. Only what
// is across the edge: an edge that stretches does not move the centre outwards (docs/theory/der.md, Eq. 21b).
struct EdgeForces {
  V3 first{}, second{};
};
TENDRIL_INLINE EdgeForces connector_forces(const GroupView& group, const StepTerms& terms, const double* state,
                                           const Edge<S>& edge, int k) {
  const ConnectorAt body(group, k);
  const S arm = ParametersAt(group, k)[ParameterLayout::reference_length] * edge.inverse_length;
  const V3 gravity = {S{} + terms.gravity[0], S{} + terms.gravity[1], S{} + terms.gravity[2]};
  const V3 weight = (body.lever * arm) * across(edge, gravity);
  EdgeForces forces{-weight, weight};
  if (terms.target_velocity == nullptr) return forces;
  const V3 a = across(edge, missing_velocity(terms, state, k)), b = across(edge, missing_velocity(terms, state, k + 1));
  const S step = S{} + terms.inverse_step;
  forces.first = forces.first + step * ((body.rotary - body.lever) * a - body.rotary * b);
  forces.second = forces.second + step * ((body.rotary + body.lever) * b - body.rotary * a);
  // The centre goes around the end vertex, and pulls outwards.
  const V3 turn = edge.inverse_length * across(edge, StateAt(state, k + 1).velocity() - StateAt(state, k).velocity());
  const S pull = body.lever * ParametersAt(group, k)[ParameterLayout::reference_length] * dot(turn, turn);
  forces.first = forces.first + minimum(pull, S{}) * edge.tangent;
  forces.second = forces.second + maximum(pull, S{}) * edge.tangent;
  return forces;
}

TENDRIL_INLINE Sym3<S> drag_at(const StepTerms& terms, int k) {
  const double* at = terms.drag + std::size_t(k) * 6 * W;
  return {load<S>(at),         load<S>(at + W),     load<S>(at + 2 * W),
          load<S>(at + 3 * W), load<S>(at + 4 * W), load<S>(at + 5 * W)};
}

// Half of the drag of edge k, which each of its ends takes: -D (mean velocity - wind) / 2.
TENDRIL_INLINE V3 half_drag(const StepTerms& terms, const double* state, const Sym3<S>& drag, int k) {
  const S half_carried = S{} + 0.5 * terms.carried;
  const V3 wind = {S{} + terms.wind[0], S{} + terms.wind[1], S{} + terms.wind[2]};
  const V3 mean = half_carried * (StateAt(state, k).velocity() + StateAt(state, k + 1).velocity());
  return (S{} + 0.5) * (drag * (wind - mean));
}

// Drag of the edges before and after vertex k; out of line, as most runs have no air.
inline __attribute__((noinline)) void add_drag(const GroupView& group, const StepTerms& terms, const double* state,
                                               int k, S* slot) {
  using B = BlockColumns;
  const S quarter = S{} + 0.25 * terms.inverse_step;
  for (const int edge : {k - 1, k}) {
    if (edge < 0 || edge + 1 >= group.vertices) continue;
    const Sym3<S> d = drag_at(terms, edge);
    const V3 force = half_drag(terms, state, d, edge);
    slot[B::rhs(0)] += force.x, slot[B::rhs(1)] += force.y, slot[B::rhs(2)] += force.z;
    const S m[3][3] = {{d.xx, d.yx, d.zx}, {d.yx, d.yy, d.zy}, {d.zx, d.zy, d.zz}};
    for (int c = 0; c < 3; ++c) {
      for (int r = c; r < 3; ++r) slot[B::at(r, c)] += quarter * m[r][c];
      for (int r = 0; edge == k && r < 3; ++r) slot[B::at(4 + r, c)] += quarter * m[r][c];
    }
  }
}

inline __attribute__((noinline)) void add_anchor(const StepTerms& terms, const double* state, int k, S* slot) {
  using B = BlockColumns;
  const S stiffness =
      load<S>(terms.anchors + (std::size_t(k) * AnchorLayout::components + AnchorLayout::stiffness) * W);
  const V3 force = anchor_force(terms, state, k);
  slot[B::rhs(0)] += force.x, slot[B::rhs(1)] += force.y, slot[B::rhs(2)] += force.z;
  for (int c = 0; c < 3; ++c) slot[B::at(c, c)] += stiffness;
}

// The projection keeps the matrix definite: a body that stands on its strand adds no geometric stiffness.
inline __attribute__((noinline)) void add_connector(const GroupView& group, const StepTerms& terms, const double* state,
                                                    int k, S* slot) {
  using B = BlockColumns;
  const S inverse_square_step = S{} + terms.inverse_step * terms.inverse_step;
  const V3 gravity = {S{} + terms.gravity[0], S{} + terms.gravity[1], S{} + terms.gravity[2]};
  for (const int k_edge : {k - 1, k}) {
    if (k_edge < 0 || k_edge + 1 >= group.vertices) continue;
    const Edge<S> edge = edge_at(group, state, k_edge);
    const ConnectorAt body(group, k_edge);
    const S arm = ParametersAt(group, k_edge)[ParameterLayout::reference_length] * edge.inverse_length;
    const S hanging = maximum(body.lever * arm * dot(gravity, edge.tangent) * edge.inverse_length, S{});
    const S coupling = body.rotary * inverse_square_step + hanging;
    const S own = coupling + (k_edge == k ? -body.lever : body.lever) * inverse_square_step;
    const Sym3<S> projection = identity_plus_outer(S{} + 1.0, S{} - 1.0, edge.tangent);
    const S p[3][3] = {{projection.xx, projection.yx, projection.zx},
                       {projection.yx, projection.yy, projection.zy},
                       {projection.zx, projection.zy, projection.zz}};
    const EdgeForces forces = connector_forces(group, terms, state, edge, k_edge);
    const V3 force = k_edge == k ? forces.first : forces.second;
    slot[B::rhs(0)] += force.x, slot[B::rhs(1)] += force.y, slot[B::rhs(2)] += force.z;
    for (int c = 0; c < 3; ++c) {
      for (int r = c; r < 3; ++r) slot[B::at(r, c)] += own * p[r][c];
      for (int r = 0; k_edge == k && r < 3; ++r) slot[B::at(4 + r, c)] -= coupling * p[r][c];
    }
  }
}

}  // namespace
}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
