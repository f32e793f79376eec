#include "tendril/sim/static_frame.hpp"

#include <algorithm>

#include "tendril/implicit/der_statics.hpp"

namespace tendril {

StaticSummary& StaticSummary::operator+=(const StaticSummary& other) {
  strands += other.strands, converged += other.converged, unstable += other.unstable;
  residual = std::max(residual, other.residual), iterations = std::max(iterations, other.iterations);
  return *this;
}

StaticFrame solve_static_frame(const World& world, WorldWorkspace& work, WorldState& state) {
  der::StaticOptions options;
  options.gravity = world.run.gravity;
  options.tolerance = std::min(options.tolerance, world.run.tolerance);
  const std::int64_t ticks = std::int64_t(world.run.substeps) * Clock::ticks_per_substep;
  const DriveSpan span = drive_span(world, state.clock, ticks, false);
  StaticFrame frame;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    der::Targets targets = strands.make_targets();
    drive(world, i, span, state, work.drive, targets);
    for (const der::StaticReport& strand : der::solve_static(strands, targets, options, state.parts[i])) {
      const bool converged = strand.status == SolveStatus::converged;
      frame.summary +=
          {1, std::size_t(converged), std::size_t(converged && !strand.stable()), strand.residual, strand.iterations};
    }
    frame.measured.stretch = std::max(frame.measured.stretch, der::largest_stretch(strands, targets, state.parts[i]));
  }
  frame.measured.force = frame.summary.residual;
  state.clock.ticks += ticks;
  for (std::optional<GivenPose>& given : state.given_poses)
    if (given) given->before = given->now;
  return frame;
}

}  // namespace tendril
