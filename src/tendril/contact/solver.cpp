#include "tendril/contact/solver.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/active_set.hpp"
#include "tendril/contact/admm.hpp"
#include "tendril/contact/apgd.hpp"
#include "tendril/contact/automatic.hpp"
#include "tendril/contact/block_inverses.hpp"
#include "tendril/contact/chunks.hpp"
#include "tendril/contact/dense_delassus.hpp"
#include "tendril/contact/error_measure.hpp"
#include "tendril/contact/gauss_seidel.hpp"
#include "tendril/contact/global_newton.hpp"
#include "tendril/contact/gradients_in_turns.hpp"
#include "tendril/contact/islands.hpp"
#include "tendril/contact/large_first.hpp"
#include "tendril/contact/measure.hpp"
#include "tendril/contact/newton.hpp"
#include "tendril/contact/node_islands.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/node_space.hpp"
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

// The given impulses, within their cones, or none if those are nearer to the law: all in all, since the worst contact
// is often one that is new and has no impulse either way.
void choose_start(const NodeSpace& space, NodeResponse& response, Impulses& r) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    r[i] = allowed(contact.law, contact.mu, contact.scale, r[i]);
  }
  const Impulses none(space.size(), Vector3d::Zero());
  if (r == none) return;
  response.error(none);
  const double without = sum_of_squares(response.errors());
  response.error(r);
  if (!(sum_of_squares(response.errors()) < without)) r = none;
}

// Impulses on what is jammed grow fastest under gradients.
std::size_t count_jams(const NodeSpace& space, const Options& options, double speed, Impulses r) {
  Options probe = options;
  probe.max_sweeps = 1000, probe.observer = nullptr;
  return accelerated_gradients(space, probe, speed, r).jammed;
}

Report solve_by(Solver solver, const NodeSpace& space, const Options& options, double speed, NodeResponse& response,
                Impulses& r) {
  switch (solver) {
    case Solver::automatic: return solve_in_turn(space, options, speed, response, r);
    case Solver::gauss_seidel: return by_rung(gauss_seidel(space, options, speed, r));
    case Solver::apgd: return by_rung(accelerated_gradients(space, options, speed, r));
    case Solver::newton: return by_rung(proximal_newton(space, options, speed, r));
    case Solver::newton_mfb:
    case Solver::newton_ac: return by_rung(global_newton(space, options, solver, speed, r));
    case Solver::path: return by_rung(follow_path(space, options, speed, r));
    case Solver::admm: return by_rung(alternating_directions(space, options, speed, r));
    case Solver::active_set: return by_rung(active_set(space, options, speed, r));
  }
  return {};
}

Report solve_island(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r) {
  choose_start(space, response, r);
  Report report = solve_by(options.solver, space, options, speed, response, r);
  const bool gave_up = report.outcome == Outcome::iteration_limit || report.outcome == Outcome::stalled;
  const bool has_looked = options.solver == Solver::automatic || options.solver == Solver::apgd;
  if (gave_up && !has_looked && report.error > jam_error) report.jammed = count_jams(space, options, speed, r);
  return report;
}

// Islands of one problem: the worst of them speaks for all.
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

// Joints do none of the three.
void count_state(Law law, std::size_t i, double mu, double scale, Solution& solution) {
  if (law == Law::coulomb) ++solution.report.states[std::size_t(classify(solution.r[i], solution.u[i], mu, scale))];
}

// What is no number has no error that could be small.
void refuse_what_is_not_finite(Solution& solution) {
  const auto finite = [](const Vector3d& u) { return u.allFinite(); };
  if (std::ranges::all_of(solution.u, finite) && std::ranges::all_of(solution.r, finite)) return;
  solution.report.outcome = Outcome::not_finite;
  solution.report.error = std::numeric_limits<double>::infinity();
}

// [m/s], the largest without contact.
double largest_speed(const NodeSpace& space) {
  Impulses u;
  measure_velocities(space, space.free_velocity.data(), u);
  double largest = 0.0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    u[i][0] -= contact.push.at(0.0);
    if (contact.scale > 0.0) largest = std::max(largest, u[i].lpNorm<Eigen::Infinity>());
  }
  return largest;
}

// Impulses of the contacts of a space, and what they lead to.
void take_over(const NodeSpace& space, const Impulses& r, NodeResponse& response, Solution& all) {
  Impulses u;
  measure_velocities(space, response.velocities(r).data(), u);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    const double beyond = contact.push.judged(u[i][0], r[i][0]);
    all.r[contact.name] = r[i];
    all.pushes[contact.name] = u[i][0] - beyond;
    all.u[contact.name] = {beyond, u[i][1], u[i][2]};
  }
}

void count_states(const NodeSpace& space, Solution& solution) {
  for (const NodeContact& contact : space.contacts)
    count_state(contact.law, contact.name, contact.mu, contact.scale > 0.0 ? contact.scale : 1.0, solution);
}

// By gradients in turns alone.
Report solve_on_nodes(const NodeSpace& space, const Options& options, double speed, Solution& all) {
  Impulses r;
  for (const NodeContact& contact : space.contacts) r.push_back(all.r[contact.name]);
  NodeResponse response(space);
  choose_start(space, response, r);
  const Report report = by_rung(gradients_in_turns(space, options, speed, response, r));
  take_over(space, r, response, all);
  return report;
}

// All islands, the small ones side by side, the large ones each with all threads.
class Parts {
 public:
  Parts(const Problem& problem, const BlockInverses& inverses, std::vector<NodeSpace>& memory)
      : islands_(islands_of(problem)) {
    if (memory.size() < islands_.size()) memory.resize(islands_.size());
    spaces_ = std::span(memory).first(islands_.size());
    for (std::size_t i = 0; i < islands_.size(); ++i) spaces_[i].build(problem, inverses, islands_[i]);
  }

  // What errors are relative to: the largest velocity without contact.
  double speed(double floor) const {
    double largest = floor;
    for (const NodeSpace& space : spaces_) largest = std::max(largest, largest_speed(space));
    return largest;
  }

  // Impulses of all contacts, and velocities under them.
  Report solve(const Problem& problem, const Options& options, double speed, Solution& solution) {
    std::vector<Report> reports(spaces_.size());
    solve_large_first(
        spaces_.size(), [&](std::size_t i) { return spaces_[i].size() >= large_problem || options.observer; },
        [&](std::size_t i) { reports[i] = solve_one(spaces_[i], options, speed, solution); });
    for (const std::uint32_t i : islands_.immovable) {
      solution.r[i].setZero();
      solution.pushes[i] = problem.contacts[i].push;
      solution.u[i] = problem.contacts[i].drift - solution.pushes[i] * Vector3d::UnitX();
    }
    Report all;
    all.outcome = Outcome::converged, all.solver = options.solver;
    for (std::size_t i = 0; i < reports.size(); ++i) merge(reports[i], spaces_[i].size(), all);
    all.immovable = islands_.immovable.size();
    for (const NodeSpace& space : spaces_) all.immovable += space.immovable();
    return all;
  }

  // What all contacts do.
  void count_states(const Problem& problem, Solution& solution) const {
    for (const std::uint32_t i : islands_.immovable)
      count_state(problem.contacts[i].law, i, problem.contacts[i].mu, 1.0, solution);
    for (const NodeSpace& space : spaces_) tendril::contact::count_states(space, solution);
  }

 private:
  static Report solve_one(const NodeSpace& space, const Options& options, double speed, Solution& all) {
    Impulses r;
    for (const NodeContact& contact : space.contacts) r.push_back(all.r[contact.name]);
    NodeResponse response(space);
    const Report report = solve_island(space, options, speed, response, r);
    take_over(space, r, response, all);
    return report;
  }
  const Islands islands_;
  std::span<NodeSpace> spaces_;
};

Eigen::VectorXd velocities(const Problem& problem, const BlockInverses& inverses, const Impulses& r) {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(Eigen::Index(problem.f.size()));
  for (std::size_t i = 0; i < problem.size(); ++i)
    for (const Side& side : {problem.contacts[i].a, problem.contacts[i].b})
      if (side.block != Side::none)
        for (const Entry& entry : problem.entries_of(side))
          v[Eigen::Index(problem.blocks[std::size_t(side.block)].first + entry.unknown)] += entry.coefficient.dot(r[i]);
  parallel_for(problem.blocks.size(), [&](std::size_t b) {
    auto part = v.segment(Eigen::Index(problem.blocks[b].first), Eigen::Index(problem.blocks[b].size));
    Eigen::VectorXd change = part;
    inverses.apply(b, change);
    part = inverses.free_velocity(b) + change;
  });
  return v;
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

// Nobody can go on from impulses that are not there, or not numbers.
Impulses usable(const Impulses& start, std::size_t size) {
  Impulses r = start;
  r.resize(size, Vector3d::Zero());
  for (Vector3d& impulse : r)
    if (!impulse.allFinite()) impulse.setZero();
  return r;
}

}  // namespace

void Report::add_effort(const Report& earlier) {
  sweeps += earlier.sweeps, islands += earlier.islands;
  for (std::size_t s = 0; s < solver_count; ++s) {
    sweeps_by[s] += earlier.sweeps_by[s];
    islands_by[s] += earlier.islands_by[s], contacts_by[s] += earlier.contacts_by[s];
  }
  local_solves += earlier.local_solves, rescued += earlier.rescued, unsolved += earlier.unsolved;
  immovable += earlier.immovable, jammed += earlier.jammed;
}

Solution solve(const Problem& problem, const Options& options, const Impulses& start, Workspace* memory) {
  Solution solution;
  solution.r = solution.u = Impulses(problem.size(), Vector3d::Zero());
  solution.pushes.assign(problem.size(), 0.0);
  const BlockInverses inverses(problem);
  if (!inverses.is_definite()) return solution.report.outcome = Outcome::not_definite, solution;
  solution.r = usable(start, problem.size());
  Workspace own;
  Parts parts(problem, inverses, (memory != nullptr ? *memory : own).spaces);
  solution.report = parts.solve(problem, options, parts.speed(options.velocity_floor), solution);
  parts.count_states(problem, solution);
  if (options.block_velocities) solution.v = velocities(problem, inverses, solution.r);
  refuse_what_is_not_finite(solution);
  return solution;
}

Solution solve(const NodeProblem& problem, const Options& options, const Impulses& start, Workspace& memory) {
  const std::size_t size = problem.rows.size();
  Solution solution;
  solution.u.assign(size, Vector3d::Zero());
  solution.pushes.assign(size, 0.0);
  solution.r = usable(start, size);
  NodeSpace& space = memory.coarse;
  space.build(problem);
  const double speed = memory.coarse_speed = std::max(options.velocity_floor, largest_speed(space));
  if (size >= worth_sharing) {
    merge(solve_on_nodes(space, options, speed, solution), size, solution.report);
  } else {
    const std::vector<NodeSpace> islands = node_islands(space);
    std::vector<Report> reports(islands.size());
    parallel_for(islands.size(),
                 [&](std::size_t k) { reports[k] = solve_on_nodes(islands[k], options, speed, solution); });
    for (std::size_t k = 0; k < islands.size(); ++k) merge(reports[k], islands[k].size(), solution.report);
  }
  solution.report.immovable = space.immovable();
  count_states(space, solution);
  refuse_what_is_not_finite(solution);
  return solution;
}

double error_with(const Workspace& memory, const Impulses& r, std::span<const double> node_velocities) {
  std::vector<double> errors(r.size());
  measure_errors(memory.coarse, r, node_velocities.data(), errors);
  return largest(errors) / memory.coarse_speed;
}

Solution solve(const ExplicitDelassus& system, const Options& options, const Impulses& start) {
  const bool iterates = options.solver == Solver::gauss_seidel || options.solver == Solver::apgd;
  if (!iterates && system.size() <= most_dense_contacts) {
    Solution solution = solve(as_problem(system), options, start);
    solution.v.resize(0);
    return solution;
  }
  Solution solution;
  solution.r = usable(start, system.size());
  double speed = options.velocity_floor;
  const Eigen::VectorXd b = system.free_velocity();
  if (b.size() > 0) speed = std::max(speed, b.lpNorm<Eigen::Infinity>());
  const std::vector<double> scales = impulse_scales(system);
  for (std::size_t i = 0; i < system.size(); ++i)
    solution.r[i] = allowed(system.law(i), system.mu(i), scales[i], solution.r[i]);
  switch (options.solver) {
    case Solver::gauss_seidel: solution.report = by_rung(gauss_seidel(system, options, speed, solution.r)); break;
    case Solver::apgd: solution.report = by_rung(accelerated_gradients(system, options, speed, solution.r)); break;
    case Solver::automatic: solution.report = solve_in_turn(system, options, speed, solution.r); break;
    default: solution.report.outcome = Outcome::unsuitable; break;
  }
  system.apply(solution.r, solution.u);
  for (std::size_t i = 0; i < system.size(); ++i) {
    count_state(system.law(i), i, system.mu(i), scales[i] > 0.0 ? scales[i] : 1.0, solution);
    solution.report.immovable += scales[i] == 0.0;
  }
  refuse_what_is_not_finite(solution);
  return solution;
}

}  // namespace tendril::contact
