// What all global solvers have in common: the best impulses they have met, errors as they are measured, and when to
// give up.
#pragma once

#include <cmath>
#include <limits>

#include "tendril/base/timer.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

class Progress {
 public:
  Progress(Solver solver, const Options& options, double speed) : options_(options), speed_(speed) {
    report.solver = solver;
    report.error = std::numeric_limits<double>::infinity();
  }

  Report report;

  // The error [m/s] of the impulses as they stand: true if they are the best so far.
  bool note(double error) {
    const double relative = error / speed_;
    if (options_.observer) options_.observer({report.sweeps, timer_.seconds(), relative});
    is_finite_ = std::isfinite(relative);
    if (!is_finite_ || relative >= report.error) return false;
    report.error = relative;
    return true;
  }

  // Whether there is nothing left to do, with the outcome in the report.
  bool ends(int most_sweeps) {
    if (!is_finite_) return report.outcome = Outcome::not_finite, true;
    if (report.error <= options_.tolerance) return report.outcome = Outcome::converged, true;
    return is_over(most_sweeps) && (report.outcome = Outcome::iteration_limit, true);
  }
  // Whether no more may be done, by the limit or by who asked to end.
  bool is_over(int most_sweeps) const {
    return report.sweeps >= most_sweeps || (options_.interrupted && options_.interrupted());
  }

  // Whether the error has kept more than `share` of what it was the last time that this was asked.
  bool stalls(double share) {
    const bool stalled = report.error > share * error_then_;
    error_then_ = report.error;
    if (stalled) report.outcome = Outcome::stalled;
    return stalled;
  }

 private:
  const Options& options_;
  const double speed_;
  const Timer timer_;
  double error_then_ = std::numeric_limits<double>::infinity();
  bool is_finite_ = true;
};

}  // namespace tendril::contact
