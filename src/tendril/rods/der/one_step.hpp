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
  static constexpr bool points_follow_vertices = true;  // linearly, on each edge

  OneStep() = default;
  OneStep(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state) {
    linearise(strands, targets, options, state);
  }
  // Every strand at `state`. The arguments must outlive the step; memory of earlier ones is used again.
  StepReport linearise(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state);
  // The same step again, at an iterate that advance() has led to and that must outlive it too.
  StepReport linearise_at(const State& iterate);

  std::size_t block_count() const { return strands_->size(); }
  std::size_t block_size(std::size_t block) const { return 4 * strands_->vertices(block); }
  double step() const { return step_; }
  // False: every start velocity is zero.
  bool has_start_velocity() const { return has_start_velocity_; }
  void start_velocity(std::size_t block, std::span<double> out) const;
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const {
    solve(block, columns, false, out);
  }
  // Of each column only what follows its first number that is not zero.
  void apply_inverse_downwards(std::size_t block, std::size_t columns, std::span<double> out) const {
    solve(block, columns, true, out);
  }
  // What impulses at points of a block, from its tip to its root, do to these points (linalg/packed_rows.hpp).
  void point_compliance(std::size_t block, std::span<const MaterialPoint> points, float* rows) const;
  UnknownRange unknowns_of(const MaterialPoint& point) const { return {4 * point.element, 8}; }
  bool is_driven(const MaterialPoint& point) const;
  // Of all vertices of a block, and of the insides of its elements.
  void find_driven(std::size_t block, std::span<char> vertices, std::span<char> elements) const;
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const;
  void vertex_velocities(std::size_t block, std::span<const double> velocity, std::span<Eigen::Vector3d> out) const;
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse, std::span<double> out) const;
  void set_velocity(std::size_t block, std::span<const double> velocity);

  // Moves the state, or the iterate, by the velocities into `trial`; frames follow.
  StepReport advance(State& trial);
  // At the state that advance() has led to, which must still be there.
  double residual() const;
  // Whether that was within the tolerance, or what the rounding of positions leaves of it.
  bool is_balanced() const { return summary(work_.groups).outcome == Outcome::converged; }

  // For models that are made of this one: the matrix K behind the inverse, A = h^2 K, and the increment of the unknowns
  // that goes with the free velocity, so that any velocity moves them by increment + h (velocity - free velocity).
  void matrix(std::size_t block, StepMatrix& out) const;
  void free_increment(std::size_t block, std::span<double> out) const;

 private:
  struct BlockFactor {  // contiguous per strand, with the ghosts of point clamps
    int vertices = 0, first = 0;
    Stream slots;
  };

  StepReport linearise_groups();
  bool is_held(std::size_t block, std::size_t vertex) const;
  void solve(std::size_t block, std::size_t columns, bool downwards, std::span<double> out) const;
  void solve_column(std::size_t block, std::span<double> out) const;
  void store_velocities(std::size_t g, const class GroupStep& step);
  void store_factors(std::size_t g, const GroupScratch& scratch);
  void gather(const GroupStreams& velocities, std::size_t block, std::span<double> out) const;

  const Strands* strands_ = nullptr;
  const Targets* targets_ = nullptr;
  const StepOptions* options_ = nullptr;
  const State *state_ = nullptr, *iterate_ = nullptr, *advanced_ = nullptr;
  std::vector<BlockFactor> factors_;
  GroupStreams increments_, start_velocities_, free_velocities_;  // [vertex][4][lane]
  mutable StepWorkspace work_;
  double step_ = 0.0;  // [s] effective, see GroupStep
  bool has_start_velocity_ = false;
};
static_assert(OneStepSystem<OneStep>);

}  // namespace tendril::der
