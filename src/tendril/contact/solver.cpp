#include "tendril/contact/solver.hpp"

#include <algorithm>
#include <array>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/gauss_seidel.hpp"
#include "tendril/contact/velocity_space.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

constexpr std::array<std::string_view, 3> names = {"auto", "gs", "apgd"};

// What errors are relative to: the largest velocity without contact.
template <class System>
double speed_of(const System& system, double floor) {
  Impulses free;
  system.apply(Impulses(system.size(), Vector3d::Zero()), free);
  double largest = floor;
  for (const Vector3d& u : free) largest = std::max(largest, u.lpNorm<Eigen::Infinity>());
  return largest;
}

// Gradients first: they are many times faster down to 1e-4. Gauss-Seidel goes on from where they stall.
template <class System>
Report solve_in_turn(System& system, const Options& options, double speed, Impulses& r) {
  const Report first = accelerated_gradients(system, options, speed, r);
  if (first.outcome == Outcome::converged) return first;
  Report second = gauss_seidel(system, options, speed, r);
  second.sweeps += first.sweeps;
  return second;
}

template <class System>
Solution solve_system(System& system, const Options& options, const Impulses& start) {
  Solution solution;
  solution.r = start;
  solution.r.resize(system.size(), Vector3d::Zero());
  const double speed = speed_of(system, options.velocity_floor);
  switch (options.solver) {
    case Solver::automatic: solution.report = solve_in_turn(system, options, speed, solution.r); break;
    case Solver::gauss_seidel: solution.report = gauss_seidel(system, options, speed, solution.r); break;
    case Solver::apgd: solution.report = accelerated_gradients(system, options, speed, solution.r); break;
  }
  system.apply(solution.r, solution.u);
  return solution;
}

}  // namespace

std::string_view name(Solver solver) { return names[std::size_t(solver)]; }

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged: return "converged";
    case Outcome::iteration_limit: return "iteration-limit";
    case Outcome::stalled: return "stalled";
    case Outcome::not_definite: return "not-definite";
    case Outcome::not_finite: return "not-finite";
  }
  return "";
}

std::optional<Solver> solver_named(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(Solver(found - names.begin()));
}

std::span<const std::string_view> solver_names() { return names; }

Solution solve(const Problem& problem, const Options& options, const Impulses& start) {
  VelocitySpace system(problem);
  if (!system.is_definite()) {
    Solution none;
    none.r.assign(problem.size(), Vector3d::Zero()), none.u = none.r;
    none.report.outcome = Outcome::not_definite;
    return none;
  }
  Solution solution = solve_system(system, options, start);
  solution.v = system.velocities(solution.r);
  return solution;
}

Solution solve(const ExplicitDelassus& problem, const Options& options, const Impulses& start) {
  ExplicitDelassus system = problem;
  return solve_system(system, options, start);
}

}  // namespace tendril::contact
