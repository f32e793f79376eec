#include "tendril/linalg/bcqp/pdas.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "tendril/base/hash.hpp"

namespace tendril::bcqp {
namespace {

void guess(const Run& run, const Vector& x, PdasWork& w) {
  const Problem& problem = run.problem;
  w.active.assign(std::size_t(problem.size()), 0);
  for (Index i = 0; i < problem.size(); ++i) {
    const bool counts = run.options.warm_start || problem.fixed(i);
    if (counts && x[i] <= problem.lower[i]) w.active[std::size_t(i)] = -1;
    if (counts && x[i] >= problem.upper[i]) w.active[std::size_t(i)] = 1;
  }
}

// x_C at its bounds, A_FF x_F = b_F - A_FC x_C. False: A_FF is not positive definite.
bool solve_for_free(const Problem& problem, PdasWork& w) {
  for (Index i = 0; i < problem.size(); ++i) {
    const int active = w.active[std::size_t(i)];
    w.free[i] = active == 0 ? 1.0 : 0.0;
    w.solved[i] = active < 0 ? problem.lower[i] : active > 0 ? problem.upper[i] : 0.0;
  }
  gradient(problem, w.solved, w.right);
  if (!problem.matrix.factorise(w.zero, w.free)) return false;
  problem.matrix.solve(w.free, w.right, w.gradient);
  w.solved -= w.gradient;
  return true;
}

// Free entries beyond a bound go to it, active ones that the gradient pulls off their bound become free.
// False: nothing changed.
bool correct(const Problem& problem, PdasWork& w) {
  bool changed = false;
  for (Index i = 0; i < problem.size(); ++i) {
    std::int8_t& active = w.active[std::size_t(i)];
    const std::int8_t before = active;
    if (problem.fixed(i)) continue;
    if (active == 0)
      active = std::int8_t(w.solved[i] < problem.lower[i] ? -1 : w.solved[i] > problem.upper[i] ? 1 : 0);
    else if (double(active) * w.gradient[i] > 0.0)
      active = 0;
    changed |= active != before;
  }
  return changed;
}

bool met_before(PdasWork& w) {
  const std::uint64_t hash = Hash().bytes(std::as_bytes(std::span(w.active))).value();
  if (std::ranges::find(w.met, hash) != w.met.end()) return true;
  w.met.push_back(hash);
  return false;
}

// The point of the box next to the solution of the guess, with its gradient. Returns its projected gradient's norm.
double look(Run& run, PdasWork& w, Vector& x) {
  x = w.solved;
  project(run.problem, x);
  gradient(run.problem, x, w.gradient);
  w.best.offer(x, objective(run.problem, x, w.gradient));
  return projected_gradient_norm(run.problem, x, w.gradient);
}

Outcome search(Run& run, PdasWork& w, Vector& x) {
  const Problem& problem = run.problem;
  w.solved = x;
  double norm = look(run, w, x);
  run.start(x, w.gradient, norm);
  if (run.small(norm)) return Outcome::converged;
  guess(run, x, w);
  while (!run.at_limit()) {
    if (met_before(w)) return run.small_or_noise(x, norm) ? Outcome::converged : Outcome::cycled;
    if (!solve_for_free(problem, w)) return Outcome::not_positive_definite;
    gradient(problem, w.solved, w.gradient);
    const bool changed = correct(problem, w);
    norm = look(run, w, x);
    if (!std::isfinite(norm)) return Outcome::not_finite;
    run.end_iteration(x, w.gradient, norm);
    if (run.small(norm)) return Outcome::converged;
    if (!changed) return run.small_or_noise(x, norm) ? Outcome::converged : Outcome::stalled;
  }
  return Outcome::iteration_limit;
}

}  // namespace

Outcome pdas(Run& run, PdasWork& w, Vector& x) {
  const Index n = run.problem.size();
  w.best.begin(x);
  w.met.clear();
  w.zero.setZero(n);
  for (Vector* v : {&w.free, &w.right, &w.solved, &w.gradient}) v->resize(n);
  const Outcome outcome = search(run, w, x);
  if (outcome != Outcome::converged) x = w.best.x;
  return outcome;
}

}  // namespace tendril::bcqp
