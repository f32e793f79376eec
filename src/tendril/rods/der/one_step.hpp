// Discrete elastic rods behind the one-step contract: the step of stepper.hpp cut open between its linear solve and its
// advance, so that contact can act on the velocities. One block per strand, four unknowns per vertex of the user:
// (velocity of the vertex, rate of the angle of the edge that starts there).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"
#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::der {

// The matrix of one strand's step over the user's unknowns, with what is held taken out (its rows are the identity).
struct StepMatrix {
  Band<double> band;
  std::vector<char> free;  // per unknown; the dummy angle is not
};

class OneStep {
 public:
  // Linearises every strand at `state`. The arguments must outlive the object.
  OneStep(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state);

  std::size_t block_count() const { return strands_.size(); }
  std::size_t block_size(std::size_t block) const { return 4 * strands_.vertices(block); }
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const;
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const;
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse, std::span<double> out) const;
  void set_velocity(std::size_t block, std::span<const double> velocity);

  // Moves `state` by the velocities into `trial`; frames follow.
  StepReport advance(State& trial);
  double residual() const { return residual_; }

  // For models that are made of this one: the matrix K behind the inverse, A = h^2 K, and the increment of the unknowns
  // that goes with the free velocity, so that any velocity moves them by increment + h (velocity - free velocity).
  double step_length() const { return step_; }  // [s] h
  void matrix(std::size_t block, StepMatrix& out) const;
  void free_increment(std::size_t block, std::span<double> out) const;

 private:
  struct BlockFactor {  // contiguous per strand, with the ghosts of point clamps
    int vertices = 0, first = 0;
    Stream slots;
  };

  const Strands& strands_;
  const Targets& targets_;
  const StepOptions& options_;
  const State& state_;
  std::vector<BlockFactor> factors_;
  GroupStreams increments_, free_velocities_;  // [vertex][4][lane]
  StepWorkspace work_;
  double step_ = 0.0;  // [s] effective, see GroupStep
  double residual_ = 0.0;
};
static_assert(OneStepSystem<OneStep>);

}  // namespace tendril::der
