#include "tendril/linalg/bcqp/ipm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::bcqp {
namespace {

void set_side(const Problem& problem, const Vector& bound, double sign, Side& side) {
  side.sign = sign;
  side.present.resize(bound.size());
  for (Index i = 0; i < bound.size(); ++i) side.present[i] = std::isfinite(bound[i]) && !problem.fixed(i) ? 1.0 : 0.0;
  side.slack.setOnes(bound.size());
  side.dual.setZero(bound.size());
}

// How far from its bounds an entry starts: 5 % of the width of the box, or, if it has none, a tenth of what a typical
// force does to it.
double margin(const Problem& problem, const Vector& typical_force, Index i) {
  const double width = problem.upper[i] - problem.lower[i];
  return std::isfinite(width) ? 0.05 * width : 0.1 * typical_force[i] / problem.matrix.diagonal()[i];
}

void push_inside(const Problem& problem, const Vector& typical_force, Vector& x) {
  for (Index i = 0; i < problem.size(); ++i) {
    if (problem.fixed(i)) continue;
    const double away = margin(problem, typical_force, i);
    x[i] = std::clamp(x[i], problem.lower[i] + away, std::max(problem.lower[i] + away, problem.upper[i] - away));
  }
}

// Slacks are carried along by themselves: in a box of a few ulps, x - bound would be all round-off.
void start_side(const Problem& problem, const Vector& x, const Vector& bound, const Vector& typical_force,
                const Vector& g, Side& side) {
  for (Index i = 0; i < x.size(); ++i) {
    if (side.present[i] == 0.0) continue;
    side.slack[i] = std::max(side.sign * (x[i] - bound[i]), margin(problem, typical_force, i));
    side.dual[i] = std::max(side.sign * g[i], 0.0) + 0.01 * typical_force[i];
  }
}

void start(const Problem& problem, IpmWork& w, Vector& x) {
  set_side(problem, problem.lower, 1.0, w.lower);
  set_side(problem, problem.upper, -1.0, w.upper);
  for (Index i = 0; i < problem.size(); ++i) w.free[i] = problem.fixed(i) ? 0.0 : 1.0;
  w.right = problem.matrix.diagonal().cwiseSqrt();
  w.right *= w.gradient.cwiseQuotient(w.right).cwiseAbs().mean();  // the same whatever the unit of an entry is
  push_inside(problem, w.right, x);
  gradient(problem, x, w.gradient);
  start_side(problem, x, problem.lower, w.right, w.gradient, w.lower);
  start_side(problem, x, problem.upper, w.right, w.gradient, w.upper);
  w.first_complementarity = w.lower.slack.dot(w.lower.dual) + w.upper.slack.dot(w.upper.dual);
}

// Total complementarity sᵀz of the point that lies `length` along the step.
double complementarity(const Side& side, double length) {
  return (side.slack + length * side.slack_step).dot(side.dual + length * side.dual_step);
}
double complementarity(const IpmWork& w, double length) {
  return complementarity(w.lower, length) + complementarity(w.upper, length);
}

double step_product(const Side& side) { return side.slack_step.dot(side.dual_step); }

// ds and dz of a step dx (docs/theory/box-qp.md, Eq. 15).
void set_steps(const Vector& dx, Side& side) {
  side.slack_step = side.sign * side.present.cwiseProduct(dx);
  side.dual_step = side.correction - side.dual - side.dual.cwiseQuotient(side.slack).cwiseProduct(side.slack_step);
}

// The predictor's second-order term counts as much as its step could be taken.
void set_correction(double target, double weight, Side& side) {
  side.correction =
      side.present.array() * (target - weight * side.slack_step.array() * side.dual_step.array()) / side.slack.array();
}

double length_to_zero(const Vector& values, const Vector& step) {
  double length = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < values.size(); ++i)
    if (step[i] < 0.0) length = std::min(length, -values[i] / step[i]);
  return length;
}

double length_to_zero(const IpmWork& w) {
  double length = std::numeric_limits<double>::infinity();
  for (const Side* side : {&w.lower, &w.upper})
    length =
        std::min({length, length_to_zero(side->slack, side->slack_step), length_to_zero(side->dual, side->dual_step)});
  return length;
}

// (A + Σ z/s) dx = -g + Σ ± correction (docs/theory/box-qp.md, Eq. 15).
void solve_step(const Problem& problem, IpmWork& w) {
  w.right = w.free.cwiseProduct(w.lower.correction - w.upper.correction - w.gradient);
  problem.matrix.solve(w.free, w.right, w.step);
  set_steps(w.step, w.lower);
  set_steps(w.step, w.upper);
}

void take_step(IpmWork& w, double length, Vector& x) {
  x += length * w.step;
  for (Side* side : {&w.lower, &w.upper}) {
    side->slack += length * side->slack_step;
    side->dual += length * side->dual_step;
  }
}

// How far to go along the step: not quite to where a slack or a multiplier vanishes, the closer to it the nearer the
// end is; and where that would raise the complementarity, to where it is least. Without that Mehrotra's steps can
// bounce between two bounds for ever.
double safe_length(const IpmWork& w, double now) {
  const double gap = std::min(0.005, now / w.first_complementarity);
  const double length = std::min(1.0, (1.0 - gap) * length_to_zero(w));
  const double ahead = complementarity(w, length), curvature = step_product(w.lower) + step_product(w.upper);
  if (ahead <= (1.0 - 0.01 * length) * now || !(curvature > 0.0)) return length;
  const double slope = (ahead - now) / length - curvature * length;
  return slope < 0.0 ? std::min(length, -0.5 * slope / curvature) : length;
}

// Predictor, then corrector. Returns how far along the step the next iterate is.
double step(const Problem& problem, IpmWork& w, double bounds) {
  w.lower.correction.setZero(problem.size());
  w.upper.correction.setZero(problem.size());
  solve_step(problem, w);
  const double now = complementarity(w, 0.0);
  if (!(now > 0.0)) return std::min(1.0, length_to_zero(w));  // no bounds
  const double affine = std::min(1.0, length_to_zero(w)), share = complementarity(w, affine) / now;
  const double target = share * share * share * now / bounds;
  set_correction(target, affine, w.lower);
  set_correction(target, affine, w.upper);
  solve_step(problem, w);
  return safe_length(w, now);
}

// The feasible point that an interior one stands for: entries whose multiplier outweighs their slack are at the bound.
void snap(const Problem& problem, const IpmWork& w, const Vector& x, Vector& snapped) {
  const auto active = [&](const Side& side, Index i) {
    return side.dual[i] > problem.matrix.diagonal()[i] * side.slack[i];
  };
  for (Index i = 0; i < problem.size(); ++i) {
    const double inside = std::clamp(x[i], problem.lower[i], problem.upper[i]);
    snapped[i] = active(w.lower, i) ? problem.lower[i] : active(w.upper, i) ? problem.upper[i] : inside;
  }
}

// Norm of the projected gradient at the snapped point; the gradient there is left in `right`.
double look(Run& run, IpmWork& w, const Vector& x) {
  snap(run.problem, w, x, w.snapped);
  gradient(run.problem, w.snapped, w.right);
  w.best.offer(w.snapped, objective(run.problem, w.snapped, w.right));
  return projected_gradient_norm(run.problem, w.snapped, w.right);
}

Outcome search(Run& run, IpmWork& w, Vector& x) {
  const Problem& problem = run.problem;
  gradient(problem, x, w.gradient);
  double norm = projected_gradient_norm(problem, x, w.gradient);
  w.best.offer(x, objective(problem, x, w.gradient));
  run.start(x, w.gradient, norm);
  w.snapped = x;
  if (run.small(norm)) return Outcome::converged;
  start(problem, w, x);
  const double bounds = std::max(1.0, w.lower.present.sum() + w.upper.present.sum());
  while (!run.at_limit()) {
    w.added = w.lower.dual.cwiseQuotient(w.lower.slack) + w.upper.dual.cwiseQuotient(w.upper.slack);
    if (!w.added.allFinite()) return Outcome::stalled;
    if (!problem.matrix.factorise(w.added, w.free)) return Outcome::not_positive_definite;
    const double length = step(problem, w, bounds);
    if (!(length > 1e-12)) return Outcome::stalled;
    take_step(w, length, x);
    if (!x.allFinite()) return Outcome::not_finite;
    gradient(problem, x, w.gradient);
    const double before = norm;
    norm = look(run, w, x);
    run.end_iteration(w.snapped, w.right, norm);
    const bool falls = norm < 0.5 * before;
    if (falls ? run.small(norm) : run.small_or_noise(w.snapped, norm)) return Outcome::converged;
  }
  return Outcome::iteration_limit;
}

}  // namespace

Outcome ipm(Run& run, IpmWork& w, Vector& x) {
  const Index n = run.problem.size();
  w.best.begin(x);
  for (Vector* v : {&w.free, &w.gradient, &w.right, &w.added, &w.step, &w.snapped}) v->resize(n);
  const Outcome outcome = search(run, w, x);
  x = outcome == Outcome::converged ? w.snapped : w.best.x;
  return outcome;
}

}  // namespace tendril::bcqp
