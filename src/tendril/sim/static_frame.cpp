#include "tendril/sim/static_frame.hpp"

#include <algorithm>

namespace tendril {

StaticSummary& StaticSummary::operator+=(const StaticSummary& other) {
  strands += other.strands, converged += other.converged, unstable += other.unstable;
  residual = std::max(residual, other.residual), iterations = std::max(iterations, other.iterations);
  return *this;
}

StaticFrame solve_static_frame(const World& world, WorldWorkspace& work, WorldState& state) {
  const der::StepOptions options = step_options(world.run, world.run.dt());
  const std::int64_t ticks = std::int64_t(world.run.substeps) * Clock::ticks_per_substep;
  const DriveSpan span = drive_span(world, state.clock, ticks, false);
  StaticFrame frame;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    der::Targets targets = part.strands.make_targets();
    drive(world, i, span, state, work.drive, targets);
    const StepInputs inputs{part.strands, targets, work.drive.drive.root, options, work.strands};
    for (const StaticStrand& strand : part.model->settle(inputs, state.parts[i]))
      frame.summary += {1, std::size_t(strand.converged), std::size_t(strand.converged && !strand.stable),
                        strand.residual, strand.iterations};
    frame.measured.stretch =
        std::max(frame.measured.stretch, part.model->largest_stretch(part.strands, targets, state.parts[i]));
  }
  frame.measured.force = frame.summary.residual;
  state.clock.ticks += ticks;
  for (std::optional<GivenPose>& given : state.given_poses)
    if (given) given->before = given->now;
  return frame;
}

}  // namespace tendril
