#include "tendril/linalg/bcqp/pgs.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::bcqp {
namespace {

// False: nothing moved.
bool sweep(const Problem& problem, Vector& x) {
  bool moved = false;
  for (Index i = 0; i < problem.size(); ++i) {
    const double slope = problem.matrix.row_times(i, x) - problem.b[i];
    const double next = std::clamp(x[i] - slope / problem.matrix.diagonal()[i], problem.lower[i], problem.upper[i]);
    moved |= next != x[i];
    x[i] = next;
  }
  return moved;
}

}  // namespace

Outcome pgs(Run& run, PgsWork& w, Vector& x) {
  const Problem& problem = run.problem;
  w.gradient.resize(problem.size());
  gradient(problem, x, w.gradient);
  double norm = projected_gradient_norm(problem, x, w.gradient);
  run.start(x, w.gradient, norm);
  while (!run.small(norm)) {
    if (run.at_limit()) return Outcome::iteration_limit;
    const bool moved = sweep(problem, x);
    gradient(problem, x, w.gradient);
    norm = projected_gradient_norm(problem, x, w.gradient);
    if (!std::isfinite(norm)) return Outcome::not_finite;
    run.end_iteration(x, w.gradient, norm);
    if (!moved) return run.small_or_noise(x, norm) ? Outcome::converged : Outcome::stalled;
  }
  return Outcome::converged;
}

}  // namespace tendril::bcqp
