#include "tendril/contact/solver.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/block_inverses.hpp"
#include "tendril/contact/chunks.hpp"
#include "tendril/contact/error_measure.hpp"
#include "tendril/contact/gradients_in_turns.hpp"
#include "tendril/contact/island_solver.hpp"
#include "tendril/contact/islands.hpp"
#include "tendril/contact/measure.hpp"
#include "tendril/contact/node_islands.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/rungs.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

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
    Report all = solve_islands(
        spaces_.size(), options, [&](std::size_t i) { return spaces_[i].size(); },
        [&](std::size_t i) { return solve_one(spaces_[i], options, speed, solution); });
    for (const std::uint32_t i : islands_.immovable) {
      solution.r[i].setZero();
      solution.pushes[i] = problem.contacts[i].push;
      solution.u[i] = problem.contacts[i].drift - solution.pushes[i] * Vector3d::UnitX();
    }
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

// Of contacts whose W is stored: the scale of each beside those of its island.
std::vector<double> scales_by_island(const ExplicitDelassus& system, const Islands& islands) {
  std::vector<double> scales(system.size(), 0.0);
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const std::vector<double> own = impulse_scales(system, islands[k]);
    for (std::size_t i = 0; i < own.size(); ++i) scales[islands[k][i]] = own[i];
  }
  return scales;
}

Report solve_one(const ExplicitDelassus& system, std::span<const std::uint32_t> island, const Options& options,
                 double speed, Impulses& all) {
  if (island.size() == system.size()) return solve_island(system, options, speed, all);
  Impulses r;
  for (const std::uint32_t i : island) r.push_back(all[i]);
  const Report report = solve_island(system.part(island), options, speed, r);
  for (std::size_t i = 0; i < island.size(); ++i) all[island[i]] = r[i];
  return report;
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
  solution.report = report_of_no_islands(options.solver);
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
  Solution solution;
  solution.r = usable(start, system.size());
  solution.pushes.assign(system.size(), 0.0);
  const Islands islands = islands_of(system);
  const std::vector<double> scales = scales_by_island(system, islands);
  const Eigen::VectorXd b = system.free_velocity();
  double speed = options.velocity_floor;
  for (std::size_t i = 0; i < system.size(); ++i)
    if (scales[i] > 0.0) speed = std::max(speed, b.segment<3>(Eigen::Index(3 * i)).lpNorm<Eigen::Infinity>());
  solution.report = solve_islands(
      islands.size(), options, [&](std::size_t k) { return islands[k].size(); },
      [&](std::size_t k) { return solve_one(system, islands[k], options, speed, solution.r); });
  for (const std::uint32_t i : islands.immovable) solution.r[i].setZero();
  system.apply(solution.r, solution.u);
  for (std::size_t i = 0; i < system.size(); ++i) {
    count_state(system.law(i), i, system.mu(i), scales[i] > 0.0 ? scales[i] : 1.0, solution);
    solution.report.immovable += scales[i] == 0.0;
  }
  refuse_what_is_not_finite(solution);
  return solution;
}

}  // namespace tendril::contact
