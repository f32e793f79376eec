// CoRdE rods behind the one-step contract: one linearly implicit step, open between its linear solve and its advance
// (docs/theory/corde.md, "Time"). One block per strand, six unknowns per vertex: its velocity, and the spin of the edge
// that starts there about that edge's own axes; the spin of the last vertex belongs to no edge and stays zero.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"
#include "tendril/contracts/outcome.hpp"
#include "tendril/linalg/padded_band.hpp"
#include "tendril/rods/corde/strands.hpp"

namespace tendril::corde {

struct StepOptions {
  double dt = 1.0 / 240.0;                      // [s]
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};  // [m/s^2]
};

struct StepReport {
  Outcome outcome = Outcome::converged;
  std::size_t strand = 0;    // the first that failed: its matrix or its state is not finite
  std::size_t troubled = 0;  // how many did
};

using StepBand = PaddedBand<8>;

// What a step works on; grows once and may be thrown away between steps.
struct Workspace {
  std::vector<StepBand> bands;                              // per strand
  std::vector<double> free_velocities, velocities, forces;  // [vertex][6]
  std::vector<std::vector<double>> columns;                 // per thread
  std::vector<double> residuals;                            // per strand
  std::vector<char> failed;
};

class OneStep {
 public:
  static constexpr bool points_follow_vertices = true;  // linearly, on each edge

  static constexpr std::size_t per_vertex = 6;

  // Linearises every strand at `state`; roots go to `targets`. The arguments must outlive the object.
  OneStep(const Strands& strands, std::span<const Target> targets, const StepOptions& options, const State& state,
          Workspace& work);

  std::size_t block_count() const { return strands_.size(); }
  std::size_t block_size(std::size_t block) const { return per_vertex * strands_.vertices(block); }
  double step() const { return options_.dt; }
  bool has_start_velocity() const { return false; }
  void start_velocity(std::size_t, std::span<double> out) const { std::ranges::fill(out, 0.0); }
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const;
  UnknownRange unknowns_of(const MaterialPoint& point) const { return {per_vertex * point.element, 2 * per_vertex}; }
  bool is_driven(const MaterialPoint& point) const {
    const auto driven = [&](std::size_t vertex) { return !is_free(point.block, per_vertex * vertex); };
    return (point.along == 1.0 || driven(point.element)) && (point.along == 0.0 || driven(point.element + 1));
  }
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const;
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse, std::span<double> out) const;
  void set_velocity(std::size_t block, std::span<const double> velocity);

  // [N] that contact pushes the vertices with, for the residual; must outlive advance().
  void set_contact_forces(std::span<const Eigen::Vector3d> forces) { contact_ = forces; }
  // Moves `state` by the velocities into `trial`, and measures the residual there.
  StepReport advance(State& trial);
  double residual() const { return residual_; }

 private:
  bool is_free(std::size_t strand, std::size_t unknown) const;
  void linearise(std::size_t strand);
  void set_driven(std::size_t strand, std::span<double> velocity) const;
  void move(std::size_t strand, State& trial) const;
  double residual_of(std::size_t strand, const State& trial);
  std::span<double> values(std::vector<double>& of, std::size_t strand) const {
    return {&of[per_vertex * strands_.offset(strand)], per_vertex * strands_.vertices(strand)};
  }

  const Strands& strands_;
  std::span<const Target> targets_;
  const StepOptions& options_;
  const State& state_;
  Workspace& work_;
  std::span<const Eigen::Vector3d> contact_;
  double residual_ = 0.0;
};
static_assert(OneStepSystem<OneStep>);

// The whole step, free of contact.
[[nodiscard]] StepReport step(const Strands& strands, std::span<const Target> targets, const StepOptions& options,
                              const State& state, Workspace& work, State& trial);

}  // namespace tendril::corde
