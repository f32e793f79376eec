// Static equilibrium of discrete elastic rods: Newton on each strand's energy, with load stepping when the full load at
// once leads nowhere, refined beyond the rounding of positions (rods/der/static_potential.hpp).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/implicit/newton.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {

struct StaticOptions {
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};  // [m/s^2]
  double tolerance = 1e-10;                     // residual force over the load
  int max_iterations = 200;                     // of Newton, per load step
  int max_load_halvings = 10;
};

struct StaticReport {
  SolveStatus status = SolveStatus::iteration_limit;
  double residual = 0.0;  // norm of the net force on the free unknowns over that of the load
  int iterations = 0, load_steps = 0;
  int negative_modes = 0;  // of the exact Hessian there: the equilibrium is stable if 0
  bool stable() const { return status == SolveStatus::converged && negative_modes == 0; }
};

// Moves every strand of `state` to equilibrium with its clamps and holds at `targets`; velocities become zero. A strand
// that does not converge ends at its best pose, and its report says so.
std::vector<StaticReport> solve_static(const Strands& strands, const Targets& targets, const StaticOptions& options,
                                       State& state);

}  // namespace tendril::der
