// One run of one method: when it may stop, whom it tells about its iterates, and what it counts.
#pragma once

#include <vector>

#include "tendril/base/timer.hpp"
#include "tendril/linalg/bcqp/bcqp.hpp"
#include "tendril/linalg/bcqp/scaling.hpp"

namespace tendril::bcqp {

// Tells the caller's observer about iterates, in the caller's units. What the observer takes is not counted as time.
class Trace {
 public:
  Trace(const Timer& timer, const Scaling& scaling, const Observer& observer, std::vector<double>& caller_x,
        bool in_box)
      : timer_(timer), scaling_(scaling), observer_(observer), caller_x_(caller_x), in_box_(in_box) {}

  bool wanted() const { return bool(observer_); }
  void tell(const Problem& problem, int iteration, const Vector& x, double norm, double value);

 private:
  Timer timer_;
  const Scaling& scaling_;
  const Observer& observer_;
  std::vector<double>& caller_x_;
  bool in_box_;
  double observing_ = 0.0;  // [s]
};

class Run {
 public:
  Run(const Problem& the_problem, const Options& the_options, double the_threshold, int limit, Report& the_report,
      Trace& trace, Vector& work)
      : problem(the_problem),
        options(the_options),
        threshold(the_threshold),
        report(the_report),
        last_(the_report.iterations + limit),
        trace_(trace),
        work_(work) {}

  const Problem& problem;
  const Options& options;
  const double threshold;  // on the norm of the projected gradient
  Report& report;

  bool at_limit() const { return report.iterations >= last_; }
  bool small(double norm) const { return norm <= threshold; }
  // Also if the gradient is what round-off makes of zero.
  bool small_or_noise(const Vector& x, double norm) const {
    return small(norm) || norm <= gradient_noise(problem, x, work_);
  }

  // The norm is that of the projected gradient at x, and g the gradient there.
  void start(const Vector& x, const Vector& g, double norm) { tell(x, norm, g); }
  void end_iteration(const Vector& x, const Vector& g, double norm) {
    ++report.iterations;
    tell(x, norm, g);
  }
  // For an objective other than that of the problem.
  void tell_value(const Vector& x, double norm, double value) {
    trace_.tell(problem, report.iterations, x, norm, value);
  }

 private:
  void tell(const Vector& x, double norm, const Vector& g) {
    if (trace_.wanted()) tell_value(x, norm, objective(problem, x, g));
  }

  int last_;  // iteration
  Trace& trace_;
  Vector& work_;
};

}  // namespace tendril::bcqp
