#include "tendril/sim/contact/step_solver.hpp"

#include <utility>

namespace tendril {
namespace {

constexpr std::size_t fewest_on_nodes = 200;  // contacts: fewer are solved soon in any way
constexpr double aim_on_nodes = 0.99;         // of the tolerance: what single precision may not see

bool may_be_on_nodes(const RowSystem& system, const contact::Options& options) {
  return options.solver == contact::Solver::automatic && options.tolerance >= contact::coarse_tolerance &&
         options.max_sweeps == 0 && system.rows.size() >= fewest_on_nodes;
}

}  // namespace

void StepSolver::begin() {
  assembly_.clear(), node_assembly_.clear(), touches_.clear();
  problem_.blocks.clear(), problem_.contacts.clear();  // the rest is memory
  is_problem_current_ = true, nodes_will_do_ = true, gave_up_ = false;
}

contact::Solution StepSolver::solve(const RowSystem& system, const contact::Options& options,
                                    const contact::Impulses& start, BlockVectors& velocity) {
  touches_.collect(system.blocks.size(), system.rows);
  contact::Solution solution;
  solution.r = start;
  const bool on_nodes =
      may_be_on_nodes(system, options) && (nodes_will_do_ || gave_up_) &&
      node_assembly_.assemble(system.blocks, system.free_velocity, system.rows, touches_, node_problem_);
  way_ = on_nodes ? Way::nodes : Way::general;
  was_replaced_ = false;
  if (on_nodes && !solve_on_nodes(system, options, solution, velocity) && !gave_up_) way_ = Way::general_after_nodes;
  if (way_ != Way::nodes) solve_in_general(system, options, solution, velocity);
  const bool is_solved = solution.report.outcome == contact::Outcome::converged;
  nodes_will_do_ = nodes_will_do_ && !(way_ == Way::general_after_nodes && is_solved);
  gave_up_ = !is_solved && solution.report.jammed == 0;
  pushes_ = solution.pushes;
  is_problem_current_ = false;
  return solution;
}

// What gradients on nodes lead to is judged by the models themselves, in double. False: it will not do.
bool StepSolver::solve_on_nodes(const RowSystem& system, const contact::Options& options, contact::Solution& solution,
                                BlockVectors& velocity) {
  contact::Options closer = options;
  closer.tolerance = aim_on_nodes * options.tolerance;
  solution = contact::solve(node_problem_, closer, solution.r, memory_);
  respond(system, solution.r, velocity);
  contact::Report& report = solution.report;
  report.error = error_on_nodes(system, solution.r, velocity);
  if (report.outcome == contact::Outcome::converged && !(report.error <= options.tolerance))
    report.outcome = contact::Outcome::stalled;
  return report.outcome == contact::Outcome::converged;
}

// From the impulses in hand; `auto` has all of its rungs. Nothing may go through anything because the solver that was
// asked for is not for such a problem: then `auto` takes it, as long as it likes.
void StepSolver::solve_in_general(const RowSystem& system, const contact::Options& options, contact::Solution& solution,
                                  BlockVectors& velocity) {
  assembly_.assemble(system.blocks, system.free_velocity, system.rows, touches_, problem_);
  const auto solve_by = [&](const contact::Options& chosen) {
    contact::Solution found = contact::solve(problem_, chosen, solution.r, &memory_);
    found.report.add_effort(solution.report);
    solution = std::move(found);
  };
  solve_by(options);
  was_replaced_ = options.solver != contact::Solver::automatic && is_without_answer(solution.report);
  if (was_replaced_) {
    contact::Options any = options;
    any.solver = contact::Solver::automatic, any.max_sweeps = 0, any.local.reset();
    solve_by(any);
  }
  respond(system, solution.r, velocity);
}

void StepSolver::respond(const RowSystem& system, const contact::Impulses& r, BlockVectors& velocity) const {
  velocity = system.free_velocity;
  touches_.add_response(system.blocks, system.rows, r, velocity);
}

double StepSolver::error_on_nodes(const RowSystem& system, const contact::Impulses& r, const BlockVectors& velocity) {
  node_velocities_.assign(4, 0.0), node_velocities_.resize(4 + node_problem_.free_velocity.size());
  node_assembly_.node_velocities(system.blocks, touches_, velocity, node_problem_,
                                 std::span(node_velocities_).subspan(4));
  return contact::error_with(memory_, r, node_velocities_);
}

const contact::Problem& StepSolver::problem(const RowSystem& system) {
  if (is_problem_current_) return problem_;
  assembly_.assemble(system.blocks, system.free_velocity, system.rows, touches_, problem_);
  for (std::size_t i = 0; i < pushes_.size(); ++i)
    problem_.contacts[i].drift[0] -= pushes_[i], problem_.contacts[i].push = 0.0;
  is_problem_current_ = true;
  return problem_;
}

}  // namespace tendril
