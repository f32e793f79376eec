// One time step of the world: drive, solve, judge; and the sub-step that halves it when it fails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tendril/contact/problem.hpp"
#include "tendril/contracts/outcome.hpp"
#include "tendril/sim/contact/totals.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {
class ContactStage;

struct WorldStepReport {
  Outcome outcome = Outcome::converged;
  der::Trouble trouble = der::Trouble::none;
  std::string set;                    // of the first strand in trouble
  std::size_t strand = 0;             // its index there
  std::optional<std::size_t> vertex;  // where a number is not finite
  int iterations = 0;                 // most Newton iterations
  std::size_t clamped_pivots = 0;
  double residual = 0.0;  // when iterating to convergence
  std::optional<StepContacts> contacts;
  std::string contact_trouble;  // why contact could not be had; empty: it could
  std::vector<StrandTrouble> troubles;

  std::string message() const;  // "hair, strand 3, vertex 7: an edge turned ..."
};

// The steps of all parts, and what contact works on. A copy begins anew: nothing of it shows in the results.
struct StepMachinery {
  std::vector<std::unique_ptr<ModelStep>> steps;  // per part
  std::vector<StepSystem*> systems;               // the same, as contact sees them
  std::vector<PartState> iterates;
  std::unique_ptr<ContactStage> stage;
  ContactMemory next;
  std::vector<Eigen::Vector3d> expected;  // [N] of contact, in further rounds of a step

  StepMachinery();
  StepMachinery(const StepMachinery&);
  StepMachinery(StepMachinery&&) noexcept;
  StepMachinery& operator=(const StepMachinery& other);
  StepMachinery& operator=(StepMachinery&&) noexcept;
  ~StepMachinery();
};

// Thrown away and made again at any time without a trace in the results.
struct WorldWorkspace {
  std::vector<der::Targets> targets;
  std::vector<std::vector<Pose>> roots;  // per part, at the end of the step
  std::vector<PartState> trials;
  DriveScratch drive;
  der::StepWorkspace strands;
  StepMachinery machinery;
  std::function<void(const WorldState&, std::int64_t ticks)> on_step;  // sees every step that is taken, at its end
  std::function<void(const contact::Problem&)> on_problem;             // sees its problem, if it is there
  std::optional<contact::Problem> problem;  // of the last step, the last one that it solved, if it is to be seen
  std::function<bool()> interrupted;        // asked within steps; once true, the one in hand fails
  WorldState before;                        // where the last step began, if it was to be remembered
  WorldState start;                         // where the sub-step began, if its first step was not to be accepted
};

struct SubstepReport {
  WorldStepReport last;  // of the step that decided
  int steps = 0, usable = 0, failed = 0;
  bool stopped = false;  // the smallest step failed, a usable one was not to be accepted, or it was interrupted
  bool interrupted = false;
  double last_dt = 0.0;  // [s]
  int iterations = 0;
  std::size_t clamped_pivots = 0;
  ContactTotals contacts;               // of the steps that were taken
  std::vector<StrandTrouble> troubles;  // likewise
};

// One sub-step of the scene, in as many steps as it takes; the state is as it was before if it stopped. A step in which
// strands would pass through each other is failed or, when it has to be taken nevertheless, usable. `frozen` keeps all
// motions at their start (pre-roll). `remember`
// keeps the start of the last one for residuals().
[[nodiscard]] SubstepReport substep(const World& world, bool frozen, bool remember, WorldWorkspace& work,
                                    WorldState& state);

// Measured at the state that the last step committed; it was to be remembered, and lasted dt.
struct Residuals {
  double force = 0.0, stretch = 0.0;
};
Residuals residuals(const World& world, double dt, WorldWorkspace& work, const WorldState& state);

der::StepOptions step_options(const RunSettings& run, double dt);

}  // namespace tendril
