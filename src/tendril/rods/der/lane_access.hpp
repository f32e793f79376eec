// One vertex of the streams of a lane group as the kernels read it, and what follows from two: edges and frames.
#pragma once

#include <cstddef>

#include "tendril/rods/der/joint.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;
constexpr int W = TENDRIL_LANES;
using V3 = Vec3<S>;

struct StateAt {
  const double* at;
  StateAt(const double* state, int k) : at(state + std::size_t(k) * StateLayout::components * W) {}
  V3 position() const { return load3<S>(at + StateLayout::position * W); }
  S theta() const { return load<S>(at + StateLayout::theta * W); }
  V3 velocity() const { return load3<S>(at + StateLayout::velocity * W); }
  S theta_velocity() const { return load<S>(at + StateLayout::theta_velocity * W); }
  V3 director() const { return load3<S>(at + StateLayout::director * W); }
  S reference_twist() const { return load<S>(at + StateLayout::reference_twist * W); }
};

struct ParametersAt {
  const double* at;
  ParametersAt(const GroupView& group, int k)
      : at(group.parameters + std::size_t(k) * ParameterLayout::components * W) {}
  TENDRIL_INLINE S operator[](int component) const { return load<S>(at + component * W); }

  TENDRIL_INLINE JointMaterial<S> joint() const {
    constexpr int k = ParameterLayout::rest_curvature;
    return {(*this)[ParameterLayout::bend1],
            (*this)[ParameterLayout::bend2],
            (*this)[ParameterLayout::twist],
            {(*this)[k], (*this)[k + 1], (*this)[k + 2], (*this)[k + 3]},
            (*this)[ParameterLayout::rest_twist]};
  }
};

struct HoldAt {
  const double* at;  // null: all free
  HoldAt(const GroupView& group, int k) : at(nullptr) {
    if (k < group.vertices && group.hold_of[k] >= 0)
      at = group.holds + std::size_t(group.hold_of[k]) * HoldLayout::components * W;
  }
  explicit operator bool() const { return at != nullptr; }
  S free(int c) const { return load<S>(at + (HoldLayout::free + c) * W); }
  S target(int c) const { return load<S>(at + (HoldLayout::target + c) * W); }
  S real_edge() const { return load<S>(at + HoldLayout::real_edge * W); }
};

// Edge k. A ghost's edge may have any length, even none: it is replaced by a unit vector, and its stiffness is zero.
TENDRIL_INLINE Edge<S> edge_at(const GroupView& group, const double* state, int k) {
  V3 vector = StateAt(state, k + 1).position() - StateAt(state, k).position();
  if (const HoldAt hold(group, k); hold) {
    const S real = hold.real_edge();
    vector = {real > 0.5 ? vector.x : S{} + 1.0, real > 0.5 ? vector.y : S{}, real > 0.5 ? vector.z : S{}};
  }
  return make_edge(vector);
}

// The edge before joint k, where a ghost's edge takes the direction of the edge after: such a joint has no stiffness,
// but a fold-back there would be infinite times zero.
TENDRIL_INLINE Edge<S> edge_before_joint(const GroupView& group, int k, const Edge<S>& before, const Edge<S>& after) {
  Edge<S> edge = before;
  if (const HoldAt hold(group, k - 1); hold) {
    const S real = hold.real_edge();
    edge.tangent = {real > 0.5 ? before.tangent.x : after.tangent.x, real > 0.5 ? before.tangent.y : after.tangent.y,
                    real > 0.5 ? before.tangent.z : after.tangent.z};
  }
  return edge;
}

TENDRIL_INLINE Frame<S> frame_at(const double* state, int k, const Edge<S>& edge) {
  const StateAt at(state, k);
  return material_frame(edge.tangent, at.director(), at.theta());
}

TENDRIL_INLINE S twist_at(const double* state, int k) {
  return StateAt(state, k).theta() - StateAt(state, k - 1).theta() + StateAt(state, k).reference_twist();
}

TENDRIL_INLINE S strain_at(const ParametersAt& parameters, const Edge<S>& edge) {
  return (edge.length - parameters[ParameterLayout::reference_length]) *
             parameters[ParameterLayout::inverse_rest_length] +
         parameters[ParameterLayout::rest_strain];
}

}  // namespace
}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
