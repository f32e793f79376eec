// Newton's method with a backtracking line search on any incremental potential.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tendril/contracts/incremental_potential.hpp"

namespace tendril {

enum class SolveStatus : std::uint8_t { converged, iteration_limit, step_too_small, not_positive_definite, not_finite };

struct NewtonOptions {
  int max_iterations = 50;
  double gradient_tolerance = 1e-8;  // on the potential's residual(g), no unit; below 1e-12 round-off wins
  double min_step = 1e-12;           // the line search gives up below this
};

struct SolveReport {
  SolveStatus status = SolveStatus::iteration_limit;
  int iterations = 0;
  double residual = std::numeric_limits<double>::infinity();  // same scale as gradient_tolerance
};

struct NewtonWorkspace {
  Eigen::VectorXd gradient, descent, trial;  // grow once, then the loop never allocates
};

// `residual` turns a gradient into the number that the tolerance is about. x ends at the best iterate.
template <IncrementalPotential P, class Residual>
[[nodiscard]] SolveReport newton(P& potential, const NewtonOptions& options, Residual&& residual, NewtonWorkspace& work,
                                 Eigen::VectorXd& x) {
  SolveReport report;
  const auto stop = [&report](SolveStatus why) { return report.status = why, report; };
  for (;; ++report.iterations) {
    potential.gradient(x, work.gradient);
    if (!work.gradient.allFinite()) return stop(SolveStatus::not_finite);
    report.residual = residual(work.gradient);
    if (report.residual <= options.gradient_tolerance) return stop(SolveStatus::converged);
    if (report.iterations == options.max_iterations) return stop(SolveStatus::iteration_limit);

    if (!potential.factorise(x)) return stop(SolveStatus::not_positive_definite);
    potential.solve(work.gradient, work.descent);
    const double value = potential.value(x), slope = -work.gradient.dot(work.descent);
    double step = 1.0;
    const auto enough = [&] {  // slack: round-off stalls the search without it; a NaN is never enough
      return potential.value(work.trial) <= value + 1e-4 * step * slope + 1e-13 * std::abs(value);
    };
    for (work.trial = x - work.descent; !enough(); work.trial = x - step * work.descent)
      if ((step *= 0.5) < options.min_step) return stop(SolveStatus::step_too_small);
    x.swap(work.trial);
  }
}

}  // namespace tendril
