// The laws of the rows of a step, solved: on nodes in single precision where that will do, in general where it will not
// (docs/theory/coupling.md, "What enters"); and the velocities that the impulses lead to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/solver.hpp"
#include "tendril/sim/contact/assembly.hpp"
#include "tendril/sim/contact/node_assembly.hpp"
#include "tendril/sim/contact/rows.hpp"
#include "tendril/sim/contact/step_contacts.hpp"

namespace tendril {

// What a step is to contact; all of it must outlive the calls.
struct RowSystem {
  std::span<const BlockPlace> blocks;
  const BlockVectors& free_velocity;
  std::span<const ContactRow> rows;
};

class StepSolver {
 public:
  // Between two calls of begin() the systems must not change, and only rows are added or replaced.
  void begin();
  // From impulses `start` on. `velocity`: of all blocks under those that were found.
  contact::Solution solve(const RowSystem& system, const contact::Options& options, const contact::Impulses& start,
                          BlockVectors& velocity);
  // How the last call found what it found: on nodes, in general, or in general since nodes would not do.
  enum class Way : std::uint8_t { nodes, general, general_after_nodes };
  Way way() const { return way_; }
  // Whether the last problem was none for the solver that was asked for, so that `auto` had to take it.
  bool was_replaced() const { return was_replaced_; }
  std::span<const std::uint32_t> touched() const { return touches_.blocks(); }  // blocks, rising, in the last solve
  // The problem that was solved last, in general. It has drifts in place of pushes, as they were in the end: so it has
  // the same solution.
  const contact::Problem& problem(const RowSystem& system);

 private:
  bool solve_on_nodes(const RowSystem& system, const contact::Options& options, contact::Solution& solution,
                      BlockVectors& velocity);
  void solve_in_general(const RowSystem& system, const contact::Options& options, contact::Solution& solution,
                        BlockVectors& velocity);
  void respond(const RowSystem& system, const contact::Impulses& r, BlockVectors& velocity) const;
  double error_on_nodes(const RowSystem& system, const contact::Impulses& r, const BlockVectors& velocity);

  Touches touches_;
  NodeAssembly node_assembly_;
  contact::NodeProblem node_problem_;
  ContactAssembly assembly_;
  contact::Problem problem_;
  bool is_problem_current_ = true;
  Way way_ = Way::general;
  bool was_replaced_ = false;
  bool nodes_will_do_ = true;  // false: something in this step was solved in general only
  bool gave_up_ = false;       // all rungs were in vain: rows that are added to the same step change little of that
  contact::Workspace memory_;
  AlignedVector<double> node_velocities_;
  std::vector<double> pushes_;  // [m/s] that each push has achieved
};

}  // namespace tendril
