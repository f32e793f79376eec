// Global solvers of frictional contact problems, by name (docs/theory/contact.md, "Global solvers").
//
// Whatever the problem, solve() comes back with one of the outcomes below and with impulses that obey the cone of every
// contact. What it calls converged has been measured on the full problem: Error is how far the worst contact is from
// Coulomb's law, as a velocity over that without contact.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/local_solver.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/problem.hpp"
#include "tendril/contact/report.hpp"

namespace tendril::contact {

struct Sample {
  int sweep = 0;
  double seconds = 0.0, error = 0.0;
};

struct Options {
  Solver solver = Solver::automatic;
  double tolerance = 1e-3;          // on Report::error
  double velocity_floor = 1e-6;     // [m/s] what the error is relative to if everything rests
  int max_sweeps = 0;               // or iterations, of each solver; 0: as many as is usual for it
  Effort effort = Effort::limited;  // of auto
  // Of gs. Nothing: the closed form, and MFB with the fail-safe where that is not defined; else as in the literature.
  std::optional<LocalOptions> local;
  bool freezing = true;                         // of gs: contacts that hardly change sleep for ten sweeps
  bool block_velocities = true;                 // whether Solution::v is asked for
  std::function<void(const Sample&)> observer;  // called when the error is measured
  std::function<bool()> interrupted;            // asked then, too: once true, each solver ends with what it has
};

struct Solution {
  Impulses r, u;               // impulses, and relative velocities under them beyond what pushes have achieved
  std::vector<double> pushes;  // [m/s] that each push has achieved
  Eigen::VectorXd v;           // end velocities of the blocks; empty if not asked for, or if the problem came as W
  Report report;
};

// Memory from one problem to the next; nothing of it shows in results.
struct Workspace {
  std::vector<NodeSpace> spaces;
  NodeSpace coarse;
  double coarse_speed = 0.0;  // [m/s] that its errors are relative to
};

// `start`: impulses to begin with, in the frames of the contacts; empty: none.
Solution solve(const Problem& problem, const Options& options, const Impulses& start = {}, Workspace* memory = nullptr);
// To coarse_tolerance or above, by gradients in turns alone; many contacts are one island. What has not converged is
// for the general form of the problem.
Solution solve(const NodeProblem& problem, const Options& options, const Impulses& start, Workspace& memory);
// The error of impulses for that problem, as it was solved last, with velocities of its nodes that were found
// otherwise: four numbers for each, and before them four zeros.
double error_with(const Workspace& memory, const Impulses& r, std::span<const double> node_velocities);
Solution solve(const ExplicitDelassus& problem, const Options& options, const Impulses& start = {});

}  // namespace tendril::contact
