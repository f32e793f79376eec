#include "tendril/contact/island_solver.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "tendril/contact/active_set.hpp"
#include "tendril/contact/admm.hpp"
#include "tendril/contact/apgd.hpp"
#include "tendril/contact/automatic.hpp"
#include "tendril/contact/dense_delassus.hpp"
#include "tendril/contact/gauss_seidel.hpp"
#include "tendril/contact/global_newton.hpp"
#include "tendril/contact/newton.hpp"
#include "tendril/contact/path_following.hpp"
#include "tendril/contact/rungs.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

constexpr double jam_error = 1e-2;  // below that nobody is being pressed together

Vector3d allowed(Law law, double mu, double scale, const Vector3d& r) {
  if (scale == 0.0) return Vector3d::Zero();
  return law == Law::bilateral ? r : project_on_cone(r, mu);
}

double sum_of_squares(std::span<const double> errors) {
  return std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0);
}

// errors(r): of all contacts. All in all, since the worst contact is often one that is new and has no impulse either
// way.
template <class Errors>
void keep_if_nearer(const Errors& errors, Impulses& r) {
  const Impulses none(r.size(), Vector3d::Zero());
  if (r == none) return;
  const double without = sum_of_squares(errors(none));
  if (!(sum_of_squares(errors(r)) < without)) r = none;
}

void choose_start(const ExplicitDelassus& system, Impulses& r) {
  const std::vector<double> scales = impulse_scales(system);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = allowed(system.law(i), system.mu(i), scales[i], r[i]);
  Impulses u;
  keep_if_nearer(
      [&](const Impulses& at) {
        system.apply(at, u);
        return errors_of(system, scales, at, u);
      },
      r);
}

Report solve_by(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r) {
  switch (options.solver) {
    case Solver::automatic: return solve_in_turn(space, options, speed, response, r);
    case Solver::gauss_seidel: return by_rung(gauss_seidel(space, options, speed, r));
    case Solver::apgd: return by_rung(accelerated_gradients(space, options, speed, r));
    case Solver::newton: return by_rung(proximal_newton(space, options, speed, r));
    case Solver::newton_mfb:
    case Solver::newton_ac:
    case Solver::newton_jm: return by_rung(global_newton(space, options, options.solver, speed, r));
    case Solver::path: return by_rung(follow_path(space, options, speed, r));
    case Solver::admm: return by_rung(alternating_directions(space, options, speed, r));
    case Solver::active_set: return by_rung(active_set(space, options, speed, r));
  }
  return {};
}

Report refusal(const ExplicitDelassus& system, const Options& options, double speed, const Impulses& r) {
  Report report;
  report.outcome = Outcome::unsuitable, report.solver = options.solver;
  report.error = largest_error(system, r) / speed;
  return report;
}

// `auto` needs one for all of its rungs.
bool needs_block(Solver solver) {
  return solver != Solver::gauss_seidel && solver != Solver::apgd && solver != Solver::newton;
}

// Without a block.
Report solve_by(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  switch (options.solver) {
    case Solver::automatic: return solve_in_turn(system, options, speed, r);
    case Solver::gauss_seidel: return by_rung(gauss_seidel(system, options, speed, r));
    case Solver::apgd: return by_rung(accelerated_gradients(system, options, speed, r));
    case Solver::newton:
      if (has_newton(system)) return by_rung(proximal_newton(system, options, speed, r));
      [[fallthrough]];
    default: return refusal(system, options, speed, r);
  }
}

// Impulses on what is jammed grow fastest under gradients: whether it is worth their while to look for it.
bool may_be_jammed(const Report& report, const Options& options) {
  const bool gave_up = report.outcome == Outcome::iteration_limit || report.outcome == Outcome::stalled;
  const bool has_looked = options.solver == Solver::automatic || options.solver == Solver::apgd;
  return gave_up && !has_looked && report.error > jam_error;
}

template <class System>
std::size_t count_jams(const System& system, const Options& options, double speed, Impulses r) {
  Options probe = options;
  probe.max_sweeps = 1000, probe.observer = nullptr;
  return accelerated_gradients(system, probe, speed, r).jammed;
}

// W as the compliance of one block whose unknowns are the velocities of the contacts.
Problem as_problem(const ExplicitDelassus& system) {
  Problem problem;
  problem.add_compliance(Eigen::MatrixXd(system.matrix()), system.free_velocity());
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const Side side{0, std::uint32_t(problem.entries.size()), 3};
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      problem.entries.push_back({3 * i + axis, Vector3d::Unit(Eigen::Index(axis))});
    problem.contacts.push_back({side, {}, Vector3d::Zero(), system.mu(i), system.law(i)});
  }
  return problem;
}

Report solve_as_block(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  const Problem problem = as_problem(system);
  std::vector<std::uint32_t> all(system.size());
  std::iota(all.begin(), all.end(), 0u);
  const NodeSpace space(problem, BlockInverses(problem), all);  // its contacts keep their order
  NodeResponse response(space);
  return solve_island(space, options, speed, response, r);
}

}  // namespace

void choose_start(const NodeSpace& space, NodeResponse& response, Impulses& r) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    r[i] = allowed(contact.law, contact.mu, contact.scale, r[i]);
  }
  keep_if_nearer([&](const Impulses& at) { return response.error(at), response.errors(); }, r);
}

Report solve_island(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r) {
  choose_start(space, response, r);
  Report report = solve_by(space, options, speed, response, r);
  if (may_be_jammed(report, options)) report.jammed = count_jams(space, options, speed, r);
  return report;
}

Report solve_island(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  if (needs_block(options.solver) && system.size() <= most_dense_contacts)
    return solve_as_block(system, options, speed, r);
  choose_start(system, r);
  Report report = solve_by(system, options, speed, r);
  if (may_be_jammed(report, options)) report.jammed = count_jams(system, options, speed, r);
  return report;
}

Report report_of_no_islands(Solver solver) {
  Report report;
  report.outcome = Outcome::converged, report.solver = solver, report.error = 0.0;
  return report;
}

void merge(const Report& part, std::size_t contacts, Report& all) {
  if (all.islands == 0 || part.outcome > all.outcome) all.outcome = part.outcome;
  if (all.islands == 0 || part.error >= all.error) all.error = part.error, all.solver = part.solver;
  all.sweeps = std::max(all.sweeps, part.sweeps);
  for (std::size_t s = 0; s < solver_count; ++s) {
    all.sweeps_by[s] = std::max(all.sweeps_by[s], part.sweeps_by[s]);
    if (part.sweeps_by[s] > 0) ++all.islands_by[s], all.contacts_by[s] += contacts;
  }
  all.local_solves += part.local_solves, all.rescued += part.rescued, all.unsolved += part.unsolved;
  all.jammed += part.jammed;
  ++all.islands;
}

}  // namespace tendril::contact
