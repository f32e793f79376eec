#include "tendril/sim/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tendril {
namespace {

void prepare(const World& world, WorldWorkspace& work) {
  if (work.targets.size() == world.parts.size()) return;
  work.targets.clear();
  for (const World::Part& part : world.parts) work.targets.push_back(part.strands.make_targets());
  work.trials.resize(world.parts.size());
}

void add(const der::StepReport& part, const std::string& set, WorldStepReport& total) {
  if (part.trouble != der::Trouble::none && total.trouble == der::Trouble::none)
    total.trouble = part.trouble, total.set = set, total.strand = part.strand;
  total.outcome = std::max(total.outcome, part.outcome);
  total.iterations = std::max(total.iterations, part.iterations);
  total.clamped_pivots += part.clamped_pivots;
  total.residual = std::max(total.residual, part.residual);
}

void name_vertex(const World& world, const std::vector<der::State>& trials, WorldStepReport& report) {
  if (report.trouble != der::Trouble::not_finite) return;
  if (const std::optional<BadNumber> bad = find_not_finite(world, trials))
    report.set = bad->set, report.strand = bad->strand, report.vertex = bad->vertex;
}

}  // namespace

std::string WorldStepReport::message() const {
  const std::string place = vertex ? fmt::format(", vertex {}", *vertex) : "";
  return fmt::format("{}, strand {}{}: {}", set, strand, place, der::text(trouble));
}

der::StepOptions step_options(const RunSettings& run, double dt) {
  der::StepOptions options;
  options.dt = dt;
  options.integrator = run.integrator == TimeIntegrator::bdf2 ? der::Integrator::bdf2 : der::Integrator::euler;
  options.newton = int(run.newton.value_or(1));
  options.converge = !run.newton || !run.passes;
  options.tolerance = run.tolerance;
  options.gravity = run.gravity;
  options.wind = run.wind;
  options.air = {run.air.density, run.air.normal, run.air.tangential};
  return options;
}

WorldStepReport step(const World& world, std::int64_t ticks, bool frozen, WorldWorkspace& work, WorldState& state) {
  prepare(world, work);
  const DriveSpan span = drive_span(world, state.clock, ticks, frozen);
  const double dt = span.dt;
  const der::StepOptions options = step_options(world.run, dt);
  WorldStepReport report;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    drive(world, i, span, state, work.drive, work.targets[i]);
    add(der::step(part.strands, work.targets[i], options, state.parts[i], work.strands, work.trials[i]),
        part.settings.name, report);
  }
  if (report.outcome == Outcome::failed) return name_vertex(world, work.trials, report), report;
  for (std::size_t i = 0; i < world.parts.size(); ++i)
    der::commit(work.trials[i], dt, options.integrator == der::Integrator::bdf2, state.parts[i]);
  if (frozen) return report;
  state.clock.ticks += ticks;
  if (state.clock.ticks % Clock::ticks_per_substep == 0)
    for (std::optional<GivenPose>& given : state.given_poses)
      if (given) given->before = given->now;
  return report;
}

SubstepReport substep(const World& world, bool frozen, bool remember, WorldWorkspace& work, WorldState& state) {
  SubstepReport report;
  std::int64_t left = Clock::ticks_per_substep, ticks = left;
  bool retried = false;
  while (left > 0) {
    const bool may_retry = world.run.on_tolerance == OnTolerance::retry && !retried && ticks > 1 &&
                           step_options(world.run, world.run.dt()).converge;
    const bool may_stop = world.run.on_tolerance == OnTolerance::stop;
    if (may_retry || may_stop || remember) work.before = state;  // a usable step would have to be taken back
    const bool first = left == Clock::ticks_per_substep && ticks == left;
    const auto stop = [&] {
      state.swap(work.start);
      return report.stopped = true, report;
    };
    report.last_dt = double(ticks) / double(Clock::ticks_per_substep) * world.run.dt();
    report.last = step(world, ticks, frozen, work, state);
    ++report.steps;
    report.iterations = std::max(report.iterations, report.last.iterations);
    report.clamped_pivots += report.last.clamped_pivots;
    if (report.last.outcome == Outcome::failed) {
      ++report.failed;
      if (first) work.start = state;  // sub-steps are cut only after their first step has failed
      if (ticks == 1) return stop();
      ticks /= 2;
      continue;
    }
    if (report.last.outcome == Outcome::usable && may_retry) {  // taken back, so it does not count
      state.swap(work.before);
      if (first) work.start = state;
      retried = true;
      ticks /= 2;
      continue;
    }
    if (report.last.outcome == Outcome::usable) {
      ++report.usable;
      if (may_stop && first) work.start.swap(work.before);
      if (may_stop) return stop();
    }
    left -= ticks;
    ticks = std::min(ticks, left);
  }
  return report;
}

Residuals residuals(const World& world, double dt, WorldWorkspace& work, const WorldState& state) {
  Residuals worst;
  const der::StepOptions options = step_options(world.run, dt);
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    worst.force = std::max(worst.force, der::force_residual(strands, work.targets[i], options, work.before.parts[i],
                                                            state.parts[i], work.strands));
    worst.stretch = std::max(worst.stretch, der::largest_stretch(strands, work.targets[i], state.parts[i]));
  }
  return worst;
}

}  // namespace tendril
