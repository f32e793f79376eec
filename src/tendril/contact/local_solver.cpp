#include "tendril/contact/local_solver.hpp"

#include <cmath>

#include "tendril/contact/local/alart_curnier.hpp"
#include "tendril/contact/local/duriez.hpp"
#include "tendril/contact/local/enumerative.hpp"
#include "tendril/contact/local/four_sides.hpp"
#include "tendril/contact/local/mfb.hpp"

namespace tendril::contact {
namespace {

using local::Attempt;
using local::UnitProblem;

constexpr double frictionless_below = 1e-15;  // of mu: less friction than round-off in r_N
constexpr double singular_below = 1e-13;      // of the last pivot, tr w = 3: its digits are round-off
constexpr double proximal_shift = 1e-9;       // ε of Eq. 28
constexpr int proximal_rounds = 8;
constexpr int fixed_point_factor = 4;  // fixed points need more iterations than Newton

bool usable(const LocalProblem& problem, const Vector3d& start) {
  return problem.w.allFinite() && problem.b.allFinite() && start.allFinite() && std::isfinite(problem.mu) &&
         problem.mu >= 0.0;
}

// The units of Eq. 14.
struct Units {
  double mass, velocity;  // [kg], [m/s]
  double impulse() const { return mass * velocity; }
};

UnitProblem in_units(const LocalProblem& problem, const Units& units, double tolerance) {
  const double mu = problem.mu < frictionless_below ? 0.0 : problem.mu;
  return {{problem.w * units.mass, problem.b / units.velocity, mu}, tolerance / units.velocity};
}

// The smallest pivot of an LDLᵀ with diagonal pivoting: within a small factor of the smallest eigenvalue.
double last_pivot(const Matrix3d& w) {
  int first = 0;
  w.diagonal().maxCoeff(&first);
  const int i = (first + 1) % 3, j = (first + 2) % 3;
  const double pivot = w(first, first);
  const double ii = w(i, i) - w(i, first) * w(i, first) / pivot, jj = w(j, j) - w(j, first) * w(j, first) / pivot;
  const double ij = w(i, j) - w(i, first) * w(j, first) / pivot, larger = std::max(ii, jj);
  return larger > 0.0 ? std::min(ii, jj) - ij * ij / larger : larger;
}

Attempt by_method(const UnitProblem& problem, const LocalOptions& options, const Vector3d& start) {
  const int iterations = options.max_iterations;
  switch (options.method) {
    case LocalMethod::mfb: return local::mfb(problem, iterations, start);
    case LocalMethod::enumerative: return local::enumerative(problem, start);
    case LocalMethod::pac: return local::pac(problem, iterations, start);
    case LocalMethod::dac: return local::dac(problem, iterations, start);
    case LocalMethod::duriez06: return local::duriez06(problem, fixed_point_factor * iterations, start);
    case LocalMethod::duriez08: return local::duriez08(problem, fixed_point_factor * iterations, start);
    case LocalMethod::four_sides: return local::four_sides(problem);
  }
  return local::judged(problem, start, 0);
}

// What is solved comes first: a large impulse may be right to round-off and still have the larger residual.
void keep_better(const UnitProblem& problem, const Attempt& candidate, Attempt& best) {
  const int iterations = best.iterations + candidate.iterations;
  const bool candidate_solved = local::solved(problem, candidate), best_solved = local::solved(problem, best);
  if (candidate_solved != best_solved ? candidate_solved : local::better(candidate, best)) best = candidate;
  best.iterations = iterations;
}

// The enumerative solver; where round-off spoils that, Newton from its answer and from rest; else nothing at all.
Attempt rescue(const UnitProblem& problem, const LocalOptions& options, const Vector3d& start, Attempt best) {
  const Vector3d none = Vector3d::Zero();
  const Attempt enumerated = local::enumerative(problem, start);
  keep_better(problem, enumerated, best);
  for (const Vector3d& from : {enumerated.r, none}) {
    if (!local::solved(problem, best)) keep_better(problem, local::dac(problem, options.max_iterations, from), best);
    if (!local::solved(problem, best)) keep_better(problem, local::mfb(problem, options.max_iterations, from), best);
  }
  if (!local::solved(problem, best)) keep_better(problem, local::judged(problem, none, 0), best);
  return best;
}

struct Outcome {
  Attempt attempt;
  LocalOutcome outcome;
};

Outcome solve_regular(const UnitProblem& problem, const LocalOptions& options, const Vector3d& start) {
  Attempt attempt = by_method(problem, options, start);
  if (local::solved(problem, attempt)) return {attempt, LocalOutcome::converged};
  if (!options.fail_safe) return {attempt, LocalOutcome::unsolved};
  attempt = rescue(problem, options, start, attempt);
  return {attempt, local::solved(problem, attempt) ? LocalOutcome::rescued : LocalOutcome::unsolved};
}

// Proximal points: the shift vanishes where r stands still, so that the limit obeys the law of the problem as given.
Outcome solve_singular(const UnitProblem& problem, const LocalOptions& options, const Vector3d& start) {
  UnitProblem shifted = problem;
  shifted.w.diagonal().array() += proximal_shift;
  Outcome out{local::judged(problem, start, 0), LocalOutcome::unsolved};
  int iterations = 0;
  for (int round = 0; round < proximal_rounds; ++round) {
    const Vector3d old = out.attempt.r;
    shifted.b = problem.b - proximal_shift * old;
    out = solve_regular(shifted, options, old);
    iterations += out.attempt.iterations;
    out.attempt = local::judged(problem, out.attempt.r, iterations);
    if (local::solved(problem, out.attempt)) return out;
  }
  return {out.attempt, LocalOutcome::unsolved};
}

// Nothing moves: r = 0 is right if the two are not approaching.
LocalReport immovable(const LocalProblem& problem) {
  const Vector3d r = Vector3d::Zero();
  const double residual = law_residual_value(r, problem.b, problem.mu, 1.0).norm();
  return {r, problem.b[0] >= 0.0 ? LocalOutcome::converged : LocalOutcome::unsolved, 0, residual};
}

}  // namespace

double impulse_scale(const Eigen::Matrix3d& w) { return 3.0 / w.trace(); }

LocalReport solve_local(const LocalProblem& problem, const LocalOptions& options, const Vector3d& start) {
  const Vector3d none = Vector3d::Zero();
  if (!usable(problem, start)) return {none, LocalOutcome::unsolved, 0, std::numeric_limits<double>::infinity()};
  const double rho = impulse_scale(problem.w), speed = problem.b.lpNorm<Eigen::Infinity>();
  if (!(rho > 0.0) || !std::isfinite(rho)) return immovable(problem);
  if (speed == 0.0) return {none, LocalOutcome::converged, 0, 0.0};

  const Units units{rho, speed};
  const UnitProblem unit = in_units(problem, units, options.tolerance);
  Vector3d guess = start / units.impulse();
  if (!guess.allFinite()) guess.setZero();  // b is next to nothing
  const bool singular = last_pivot(unit.w) <= singular_below;
  const auto [attempt, outcome] = (singular ? solve_singular : solve_regular)(unit, options, guess);
  return {attempt.r * units.impulse(), outcome, attempt.iterations, attempt.residual * units.velocity};
}

}  // namespace tendril::contact
