// One implicit step of all strands, free of contact: implicit Euler or BDF2, one Newton iteration or to convergence
// (docs/theory/der.md, "Time"). Reads the state and the targets, writes the trial state; groups run in parallel.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contracts/outcome.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {

enum class Integrator : std::uint8_t { euler, bdf2 };

struct StepOptions {
  double dt = 1.0 / 240.0;  // [s]
  Integrator integrator = Integrator::euler;
  int newton = 1;         // iterations; the first also carries the prescribed motion
  bool converge = false;  // go on to `tolerance`, with a line search, at most max_iterations
  int max_iterations = 50;
  double tolerance = 1e-8;  // largest residual over the largest vertex load; below 1e-12 round-off wins
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};     // [m/s^2]
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();  // [m/s]
  Air air;
};

// The integrator as an implicit Euler step (docs/theory/der.md, Eq. 15): effective step h, and the ratio of dt to the
// step before (0: plain Euler).
struct EffectiveStep {
  double h, ratio;
};
EffectiveStep effective_step(const StepOptions& options, const State& state);

enum class Trouble : std::uint8_t {
  none,
  not_finite,
  tangent_flip,  // an edge turned by more than 154 degrees in one step: its transport is not defined
  fold_back,     // two edges folded onto each other: infinite curvature
  not_converged,
};
const char* text(Trouble trouble);

struct StepReport {
  Outcome outcome = Outcome::converged;
  Trouble trouble = Trouble::none;
  std::size_t strand = 0;    // the first strand in trouble
  std::size_t troubled = 0;  // how many there are
  int iterations = 0;        // most Newton iterations of any group
  std::size_t clamped_pivots = 0;
  double residual = 0.0;  // largest over strands, relative as in StepOptions::tolerance; only when converging
};

// Scratch of one thread; grows to the largest group and may be thrown away at any time.
struct GroupScratch {
  Stream slots, increment, target_velocity, iterate, trial, residual, parameters, strains, drag, tension, next_tension,
      loads;
};
struct StepWorkspace {
  std::vector<GroupScratch> threads;
  std::vector<StepReport> groups;
};

// Scratch for every thread, and an empty report for every group.
void prepare(const Strands& strands, StepWorkspace& work);
// Of all groups, from left to right: the same for any thread count.
StepReport summary(std::span<const StepReport> groups);

[[nodiscard]] StepReport step(const Strands& strands, const Targets& targets, const StepOptions& options,
                              const State& state, StepWorkspace& work, State& trial);

// The second half of a step: moves `iterate`, or `state` itself if there is none, by increments of its unknowns,
// [vertex][4][lane], which the linear system gave and contact may have changed (one_step.hpp).
[[nodiscard]] StepReport advance(const Strands& strands, const Targets& targets, const StepOptions& options,
                                 const State& state, const State* iterate, const GroupStreams& increments,
                                 StepWorkspace& work, State& trial);

// Largest force residual of the step that led from `before` to `after`, over the largest vertex load; forces of contact
// are those of the targets.
double force_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                      const State& after, StepWorkspace& work);

// The same with the forces themselves, [vertex][4][lane] on the free unknowns, for whoever adds forces of his own.
double force_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                      const State& after, StepWorkspace& work, GroupStreams& forces);

// Energies of all strands together, summed in a fixed order.
Energies total_energies(const Strands& strands, const Targets& targets, const Eigen::Vector3d& gravity,
                        const State& state);

// Largest |l / rest length - 1| of any edge.
double largest_stretch(const Strands& strands, const Targets& targets, const State& state);

}  // namespace tendril::der
