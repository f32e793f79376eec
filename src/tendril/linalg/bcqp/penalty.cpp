#include "tendril/linalg/bcqp/penalty.hpp"

#include <cmath>
#include <limits>

namespace tendril::bcqp {
namespace {

// Value of ½ xᵀA x - bᵀx + ½ Σ w_i v_i², v the violation, with its gradient.
double evaluate(const Problem& problem, PenaltyWork& w, const Vector& x) {
  w.violation = x;
  project(problem, w.violation);
  w.violation = x - w.violation;
  gradient(problem, x, w.gradient);
  const double value = objective(problem, x, w.gradient);
  w.gradient += w.weight.cwiseProduct(w.violation);
  return value + 0.5 * w.weight.dot(w.violation.cwiseAbs2());
}

// Round-off of the gradient: that of the quadratic and that of the penalty.
double noise(const Problem& problem, PenaltyWork& w, const Vector& x) {
  const double of_penalty = 16.0 * std::numeric_limits<double>::epsilon() * w.added.cwiseProduct(x).norm();
  return gradient_noise(problem, x, w.trial) + of_penalty;
}

// Backtracking; the slack is needed because round-off stalls the search without it. False: no step goes down.
bool search_line(const Problem& problem, PenaltyWork& w, Vector& x, double& value) {
  const double slope = -w.gradient.dot(w.step), slack = 1e-13 * std::abs(value);
  for (double length = 1.0; length > 1e-9; length *= 0.5) {
    w.trial = x - length * w.step;
    const double tried = evaluate(problem, w, w.trial);
    if (!(tried <= value + 1e-4 * length * slope + slack)) continue;
    value = tried;
    x.swap(w.trial);
    return true;
  }
  evaluate(problem, w, x);
  return false;
}

}  // namespace

Outcome penalty(Run& run, PenaltyWork& w, Vector& x) {
  const Problem& problem = run.problem;
  const Index n = problem.size();
  for (Vector* v : {&w.gradient, &w.violation, &w.step, &w.trial}) v->resize(n);
  w.all.setOnes(n);
  double value = evaluate(problem, w, x);
  run.tell_value(x, w.gradient.norm(), value);
  for (;;) {
    if (!w.gradient.allFinite()) return Outcome::not_finite;
    w.added = (w.violation.array() != 0.0).select(w.weight, 0.0);
    const double norm = w.gradient.norm();
    if (run.small(norm) || norm <= noise(problem, w, x)) return Outcome::converged;
    if (run.at_limit()) return Outcome::iteration_limit;
    if (!problem.matrix.factorise(w.added, w.all)) return Outcome::not_positive_definite;
    problem.matrix.solve(w.all, w.gradient, w.step);
    if (!search_line(problem, w, x, value)) return Outcome::stalled;
    ++run.report.iterations;
    run.tell_value(x, w.gradient.norm(), value);
  }
}

}  // namespace tendril::bcqp
