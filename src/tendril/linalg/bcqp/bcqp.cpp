// From the caller's problem to the solver's units, to a method, and back.
#include "tendril/linalg/bcqp/bcqp.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tendril/linalg/bcqp/band_matrix.hpp"
#include "tendril/linalg/bcqp/best.hpp"
#include "tendril/linalg/bcqp/ipm.hpp"
#include "tendril/linalg/bcqp/mprgp.hpp"
#include "tendril/linalg/bcqp/pdas.hpp"
#include "tendril/linalg/bcqp/penalty.hpp"
#include "tendril/linalg/bcqp/pgs.hpp"
#include "tendril/linalg/bcqp/sparse_matrix.hpp"

namespace tendril::bcqp {

struct Workspace::Parts {
  BandMatrix band;
  SparseMatrix sparse;
  Scaling scaling;
  Vector diagonal, b, lower, upper;  // of A as given; then in the solver's units
  Vector start, x, gradient, work;
  std::array<std::unique_ptr<FacePreconditioner>, 8> preconditioners;
  MprgpWork mprgp;
  PdasWork pdas;
  IpmWork ipm;
  PgsWork pgs;
  PenaltyWork penalty;
  Best best;
  std::vector<double> observed;
};

Workspace::Workspace() : parts_(std::make_unique<Parts>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {

using Numbers = std::span<const double>;

bool all_finite(Numbers values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

bool has_points(Numbers lower, Numbers upper) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (!(lower[i] <= upper[i]) || lower[i] == infinity || upper[i] == -infinity) return false;
  return true;
}

void read_diagonal(const Band<double>& a, Vector& out) {
  out.resize(Index(a.size));
  for (std::size_t j = 0; j < a.size; ++j) out[Index(j)] = a.at(j, j);
}
void read_diagonal(const Eigen::SparseMatrix<double>& a, Vector& out) { out = a.diagonal(); }

Matrix& load(const Band<double>& a, Workspace::Parts& parts) {
  parts.band.load(a, parts.scaling.scale);
  return parts.band;
}
Matrix& load(const Eigen::SparseMatrix<double>& a, Workspace::Parts& parts) {
  parts.sparse.load(a, parts.scaling.scale);
  return parts.sparse;
}

int limit_of(Method method, int asked) {
  if (asked > 0) return asked;
  return method == Method::mprgp || method == Method::pgs ? 10000 : method == Method::pdas ? 30 : 100;
}

FacePreconditioner& preconditioner(Workspace::Parts& parts, Preconditioner kind) {
  auto& held = parts.preconditioners[std::size_t(kind)];
  if (!held) held = make_preconditioner(kind);
  return *held;
}

// A problem in the solver's units, and all that the methods need to run on it.
struct Session {
  const Problem& problem;
  const Options& options;
  Workspace::Parts& parts;
  Report& report;
  Trace& trace;
  double threshold;

  Outcome run(Method method, Preconditioner kind, int limit) {
    Run one(problem, options, threshold, limit, report, trace, parts.work);
    parts.x = parts.start;
    report.method = method;
    switch (method) {
      case Method::mprgp: return mprgp(one, preconditioner(parts, kind), parts.mprgp, parts.x);
      case Method::pdas: return pdas(one, parts.pdas, parts.x);
      case Method::ipm: return ipm(one, parts.ipm, parts.x);
      case Method::pgs: return pgs(one, parts.pgs, parts.x);
      case Method::penalty:
        parts.penalty.weight = options.box_weight * parts.scaling.scale.cwiseAbs2();
        return penalty(one, parts.penalty, parts.x);
      case Method::automatic: break;
    }
    return run_chain();
  }

  // Each starts anew: what a method leaves behind after a failure is no better start than the caller's.
  Outcome run_chain() {
    constexpr int mprgp_limit = 500;
    const int asked = options.max_iterations;
    Outcome outcome = run(Method::pdas, Preconditioner::none, limit_of(Method::pdas, asked));
    if (outcome == Outcome::converged) return outcome;
    outcome = run(Method::mprgp, Preconditioner::asc, asked > 0 ? asked : mprgp_limit);
    if (outcome == Outcome::converged) return outcome;
    parts.best.begin(parts.x);
    parts.best.offer(parts.x, value());
    const Outcome last = run(Method::ipm, Preconditioner::none, limit_of(Method::ipm, asked));
    if (last == Outcome::converged || value() < parts.best.value) return last;
    report.method = Method::mprgp;
    parts.x = parts.best.x;
    return outcome;
  }

  double value() {
    gradient(problem, parts.x, parts.gradient);
    return objective(problem, parts.x, parts.gradient);
  }
};

// Projected gradient at the point of the box that is next to 0: what a residual is compared with. It does not depend on
// the start, so that a good one is worth something.
double reference_norm(const Problem& problem, Workspace::Parts& parts) {
  parts.x.setZero(problem.size());
  project(problem, parts.x);
  parts.gradient.resize(problem.size());
  gradient(problem, parts.x, parts.gradient);
  return projected_gradient_norm(problem, parts.x, parts.gradient);
}

void measure(const Problem& problem, Workspace::Parts& parts, double reference, std::span<double> x, Report& report) {
  const bool in_box = report.method != Method::penalty;
  if (!parts.x.allFinite()) parts.x = parts.start, report.outcome = Outcome::not_finite;
  gradient(problem, parts.x, parts.gradient);
  const double norm =
      in_box ? projected_gradient_norm(problem, parts.x, parts.gradient) : parts.penalty.gradient.norm();
  report.projected_gradient = norm * parts.scaling.gradient_unit;
  report.residual = reference > 0.0 ? norm / reference : norm;
  report.objective = objective(problem, parts.x, parts.gradient) * parts.scaling.objective_unit();
  report.factorisations = problem.matrix.factorisations();
  if (in_box)
    parts.scaling.to_caller(problem, parts.x, x);
  else
    parts.scaling.to_caller_unbounded(parts.x, x);
}

void look_at_box(Numbers lower, Numbers upper, Numbers x, Report& report) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    report.active += x[i] == lower[i] || x[i] == upper[i];
    report.violation = std::max({report.violation, lower[i] - x[i], x[i] - upper[i]});
  }
}

// The start in the box; false if it has no numbers.
bool set_start(Numbers lower, Numbers upper, const Options& options, std::span<double> x) {
  const bool given = options.warm_start && all_finite(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(given ? x[i] : 0.0, lower[i], upper[i]);
  return given || !options.warm_start;
}

// What is wrong with the problem as it was given, if anything. Sets x to the start, and reads the diagonal.
template <class A>
std::optional<Outcome> refusal(const A& a, Numbers b, Numbers lower, Numbers upper, const Options& options,
                               Vector& diagonal, std::span<double> x) {
  if (!has_points(lower, upper)) return std::ranges::fill(x, 0.0), Outcome::infeasible_box;
  if (!set_start(lower, upper, options, x) || !all_finite(b)) return Outcome::not_finite;
  read_diagonal(a, diagonal);
  if (!diagonal.allFinite()) return Outcome::not_finite;
  if (!(diagonal.array() > 0.0).all()) return Outcome::not_positive_definite;
  return std::nullopt;
}

// To the solver's units: the matrix, b, the bounds and the start.
template <class A>
Problem converted(const A& a, Numbers b, Numbers lower, Numbers upper, Numbers start, bool jacobi,
                  Workspace::Parts& parts) {
  parts.scaling.set_scale(parts.diagonal, jacobi);
  Matrix& matrix = load(a, parts);
  parts.scaling.convert(b, lower, upper, parts.b, parts.lower, parts.upper);
  parts.x.setOnes(matrix.size());
  const double bound = eigenvalue_bound(matrix, parts.x, parts.work);
  const Problem problem{matrix, parts.b, parts.lower, parts.upper, bound};
  parts.start.resize(matrix.size());
  parts.scaling.from_caller(start, parts.start);
  project(problem, parts.start);
  return problem;
}

template <class A>
Report solve_any(const A& a, Numbers b, Numbers lower, Numbers upper, const Options& options, Workspace::Parts& parts,
                 std::span<double> x) {
  assert(b.size() == x.size() && lower.size() == x.size() && upper.size() == x.size());
  const Timer timer;
  Report report;
  report.method = options.method;
  const auto end = [&report](Outcome why) { return report.outcome = why, report; };
  if (x.empty()) return end(Outcome::converged);
  report.projected_gradient = report.residual = report.objective = std::numeric_limits<double>::quiet_NaN();
  if (const auto why = refusal(a, b, lower, upper, options, parts.diagonal, x)) return end(*why);
  const Problem problem = converted(a, b, lower, upper, x, options.jacobi_scaling, parts);
  if (!std::isfinite(problem.eigenvalue_bound) || !parts.b.allFinite()) return end(Outcome::not_finite);

  const double reference = reference_norm(problem, parts);
  const double asked = options.absolute_tolerance / parts.scaling.gradient_unit;
  Trace trace(timer, parts.scaling, options.observer, parts.observed, options.method != Method::penalty);
  Session session{problem, options, parts, report, trace, std::max(asked, options.tolerance * reference)};
  report.outcome =
      session.run(options.method, options.preconditioner, limit_of(options.method, options.max_iterations));
  measure(problem, parts, reference, x, report);
  look_at_box(lower, upper, x, report);
  return report;
}

}  // namespace

Report solve(const Band<double>& a, std::span<const double> b, std::span<const double> lower,
             std::span<const double> upper, const Options& options, Workspace& work, std::span<double> x) {
  return solve_any(a, b, lower, upper, options, work.parts(), x);
}

Report solve(const Eigen::SparseMatrix<double>& a, std::span<const double> b, std::span<const double> lower,
             std::span<const double> upper, const Options& options, Workspace& work, std::span<double> x) {
  return solve_any(a, b, lower, upper, options, work.parts(), x);
}

}  // namespace tendril::bcqp
