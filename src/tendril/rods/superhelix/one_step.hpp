// Super-helices behind the one-step contract: the linearly implicit step of docs/theory/superhelix.md ("Time"), open
// between its linear solve and its advance. One block per strand: the rates of its unknowns, then velocity and spin of
// its root, which are driven.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"
#include "tendril/contracts/outcome.hpp"
#include "tendril/rods/superhelix/dynamics.hpp"
#include "tendril/rods/superhelix/strands.hpp"

namespace tendril::superhelix {

struct StepOptions {
  double dt = 1.0 / 240.0;                      // [s]
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};  // [m/s^2]
  bool velocity_terms = true;                   // centrifugal and Coriolis forces
  // [N] that contact is expected to push the vertices with: they keep taut strands taut. Empty: none.
  std::span<const Eigen::Vector3d> expected_contact = {};
};

struct StepReport {
  Outcome outcome = Outcome::converged;
  std::size_t strand = 0;    // the first that failed: its matrix or its state is not finite
  std::size_t troubled = 0;  // how many did
};

// What a step works on; grows once and may be thrown away between steps.
struct Workspace {
  struct Thread {
    std::vector<Piece> pieces;
    Quadrature quadrature;
    std::vector<double> before, force, acceleration;  // per unknown
    std::vector<PointMotion> carried;                 // per quadrature point, where the step before began
    std::vector<double> tension;                      // [N], likewise, where this one begins
    std::vector<Eigen::Vector3d> pulls;               // [N] per vertex
  };
  std::vector<Thread> threads;
  std::vector<Piece> pieces;                        // [strand][piece] where the step starts
  std::vector<ShapePoint> vertices;                 // [strand][vertex] likewise: contact asks for them again and again
  std::vector<double> factors;                      // [strand][unknowns x unknowns]
  std::vector<double> free_velocities, velocities;  // [strand][unknowns + 6]
  std::vector<RootMotion> roots;
  std::vector<Eigen::Matrix3d> chords;  // from w x d to the chord of a root that turns by w dt (Eq. 22)
  std::vector<double> residuals;
  std::vector<char> failed;
};

class OneStep {
 public:
  static constexpr std::size_t driven = 6;  // unknowns of a root

  // Linearises every strand at `state`; roots go to `targets`. The arguments must outlive the object.
  OneStep(const Strands& strands, std::span<const Pose> targets, const StepOptions& options, const State& state,
          Workspace& work);

  std::size_t block_count() const { return strands_.size(); }
  std::size_t block_size(std::size_t) const { return strands_.unknowns() + driven; }
  double step() const { return options_.dt; }
  bool has_start_velocity() const { return false; }
  void start_velocity(std::size_t, std::span<double> out) const { std::ranges::fill(out, 0.0); }
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const;
  UnknownRange unknowns_of(const MaterialPoint& point) const { return {0, block_size(point.block)}; }
  bool is_driven(const MaterialPoint& point) const { return point.element == 0 && point.along == 0.0; }
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const;
  void vertex_velocities(std::size_t block, std::span<const double> velocity, std::span<Eigen::Vector3d> out) const;
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse, std::span<double> out) const;
  void set_velocity(std::size_t block, std::span<const double> velocity);
  // [m] Where the vertices end with these velocities: along arcs, not along their tangents.
  void end_positions(std::size_t block, std::span<const double> velocity, std::span<Eigen::Vector3d> out) const;

  // Moves `state` by the velocities into `trial`, and measures the residual there.
  StepReport advance(State& trial);
  double residual() const { return residual_; }

 private:
  void linearise(std::size_t strand);
  void add_tension(std::size_t strand, Workspace::Thread& thread) const;
  void carry_momentum(std::size_t strand, Workspace::Thread& thread) const;
  RootMotion root_motion(std::size_t strand) const;
  double residual_of(std::size_t strand, const State& trial);
  Eigen::Vector3d vertex_velocity(std::size_t strand, std::size_t v, std::span<const double> velocity) const;
  void add_vertex_impulse(std::size_t strand, std::size_t v, const Eigen::Vector3d& impulse,
                          std::span<double> out) const;
  std::span<Piece> pieces(std::size_t strand) const;
  ShapePoint& vertex(std::size_t strand, std::size_t index) const;
  Eigen::Map<Eigen::MatrixXd> factor(std::size_t strand) const;

  const Strands& strands_;
  std::span<const Pose> targets_;
  const StepOptions& options_;
  const State& state_;
  Workspace& work_;
  double residual_ = 0.0;
};
static_assert(OneStepSystem<OneStep>);

// The whole step, free of contact.
[[nodiscard]] StepReport step(const Strands& strands, std::span<const Pose> targets, const StepOptions& options,
                              const State& state, Workspace& work, State& trial);

}  // namespace tendril::superhelix
