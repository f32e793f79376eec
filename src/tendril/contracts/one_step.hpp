// Contract between models and contact: one implicit step, linearised at the current iterate.
//
// A *block* is a set of unknowns that its model couples: a strand, a ring, a body. At the current iterate a block's end
// velocity is  v = v_free + A^-1 Jᵀ impulse,  with A symmetric positive semidefinite. Driven unknowns are part of v:
// they have the velocity of their drive in v_free, and A^-1 never changes them. A contact solver sees nothing else, so
// a new model gets contact, friction and joints for free.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <span>

namespace tendril {

// Unknowns of a block, one after the other.
struct UnknownRange {
  std::size_t first = 0, count = 0;
};

// A point of a block's material: on `element` (an edge of a strand), a fraction `along` of its way.
struct MaterialPoint {
  std::size_t block = 0, element = 0;
  double along = 0.0;
};

template <class M>
concept OneStepSystem = requires(M& system, const M& fixed, std::size_t block, const MaterialPoint& point,
                                 std::size_t columns, std::span<const double> velocity, std::span<double> out,
                                 const Eigen::Vector3d& impulse) {
  { fixed.block_count() } -> std::convertible_to<std::size_t>;
  { fixed.block_size(block) } -> std::convertible_to<std::size_t>;  // unknowns
  // In the step a point goes by (its end velocity - its start velocity) times step(); the start velocity is zero but
  // for integrators of several steps.
  { fixed.step() } -> std::convertible_to<double>;  // [s]
  { fixed.start_velocity(block, out) } -> std::same_as<void>;
  // The end velocity without contact, of one block.
  { fixed.free_velocity(block, out) } -> std::same_as<void>;
  // out := A^-1 out on `columns` columns of the block's size, one after the other.
  { fixed.apply_inverse(block, columns, out) } -> std::same_as<void>;
  // J v and out += Jᵀ impulse for the velocity of a material point, which depends on no unknowns but these.
  { fixed.unknowns_of(point) } -> std::same_as<UnknownRange>;
  { fixed.is_driven(point) } -> std::same_as<bool>;  // no impulse moves it
  { fixed.point_velocity(point, velocity) } -> std::same_as<Eigen::Vector3d>;
  { fixed.add_point_impulse(point, impulse, out) } -> std::same_as<void>;
  // The block's end velocity for advance(), once contact has been resolved.
  { system.set_velocity(block, velocity) } -> std::same_as<void>;
  // Residual of the model's own equations at the advanced state, relative to its loads.
  { fixed.residual() } -> std::convertible_to<double>;
};

}  // namespace tendril
