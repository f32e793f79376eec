#include "tendril/sim/step.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/sim/contact/stage.hpp"

namespace tendril {
namespace {

void prepare(const World& world, WorldWorkspace& work) {
  if (work.targets.size() == world.parts.size() && work.machinery.steps.size() == world.parts.size()) return;
  work.targets.clear(), work.machinery = {};
  for (const World::Part& part : world.parts) {
    work.targets.push_back(part.strands.make_targets());
    work.machinery.steps.push_back(part.model->make_step());
    work.machinery.systems.push_back(work.machinery.steps.back().get());
  }
  work.trials.resize(world.parts.size()), work.roots.resize(world.parts.size());
}

// `forces`: that contact is expected to exert, of all vertices of the world.
StepInputs inputs_of(const World& world, std::size_t i, const der::StepOptions& options,
                     std::span<const Eigen::Vector3d> forces, WorldWorkspace& work) {
  if (!forces.empty()) forces = forces.subspan(world.first_vertex(i), world.parts[i].strands.vertex_count());
  return {world.parts[i].strands, work.targets[i], work.roots[i], options, forces, work.strands};
}

void add(const der::StepReport& part, const std::string& set, WorldStepReport& total) {
  if (part.trouble != der::Trouble::none && total.trouble == der::Trouble::none)
    total.trouble = part.trouble, total.set = set, total.strand = part.strand;
  total.outcome = std::max(total.outcome, part.outcome);
  total.iterations = std::max(total.iterations, part.iterations);
  total.clamped_pivots += part.clamped_pivots;
  total.residual = std::max(total.residual, part.residual);
}

void name_vertex(const World& world, const std::vector<PartState>& trials, WorldStepReport& report) {
  if (report.trouble != der::Trouble::not_finite) return;
  if (const std::optional<BadNumber> bad = find_not_finite(world, trials))
    report.set = bad->set, report.strand = bad->strand, report.vertex = bad->vertex;
}

// Shorter steps are not asked for to keep strands apart.
constexpr std::int64_t least_ticks_for_crossings = Clock::ticks_per_substep / 32;

void prepare_contact(const World& world, WorldWorkspace& work) {
  if (work.machinery.stage) return;
  work.machinery.iterates.resize(world.parts.size());
  work.machinery.stage = std::make_unique<ContactStage>(world);
  work.machinery.stage->set_interruption(work.interrupted);
}

bool is_interrupted(const WorldWorkspace& work) { return work.interrupted && work.interrupted(); }

// Forces of contact, for residuals.
void hand_over_forces(const World& world, WorldWorkspace& work) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    const auto forces = std::span(work.machinery.next.vertex_forces).subspan(first, strands.vertex_count());
    der::scatter_forces(strands, forces, work.targets[i].contact);
    work.machinery.steps[i]->set_contact_forces(forces);
    first += strands.vertex_count();
  }
}

// Linearise, resolve, advance; again from there until the forces balance, if that is asked for.
void solve_expecting(std::span<const Eigen::Vector3d> forces, const World& world, const DriveSpan& span,
                     const der::StepOptions& options, WorldWorkspace& work, const WorldState& state,
                     WorldStepReport& report) {
  const int limit = options.converge ? options.max_iterations : options.newton;
  std::string unbalanced;  // a part whose forces do not balance yet
  for (int iteration = 1; iteration <= limit; ++iteration) {
    report.trouble = der::Trouble::none, report.outcome = Outcome::converged, report.residual = 0.0;
    unbalanced.clear();
    for (std::size_t i = 0; i < world.parts.size(); ++i) {
      ModelStep& model = *work.machinery.steps[i];
      if (iteration > 1) work.machinery.iterates[i].current.swap(work.trials[i].current);
      const der::StepReport linearised =
          iteration == 1 ? model.linearise(inputs_of(world, i, options, forces, work), state.parts[i])
                         : model.linearise_at(work.machinery.iterates[i]);
      report.clamped_pivots += linearised.clamped_pivots;
    }
    Result<StepContacts> resolved =
        work.machinery.stage->resolve(world, span, work.machinery.systems, state, work.machinery.next);
    const auto relinearise = [](const auto& model) { return model->relinearise_touched(); };
    if (resolved && std::ranges::count_if(work.machinery.steps, relinearise) > 0) {
      const StepContacts first = resolved.value();
      resolved = work.machinery.stage->resolve(world, span, work.machinery.systems, state, work.machinery.next);
      if (resolved) resolved.value().add_effort(first);
    }
    if (!resolved) {
      report.contact_trouble = resolved.error().message(), report.outcome = Outcome::failed;
      return;
    }
    if (report.contacts) resolved.value().add_effort(*report.contacts);
    report.contacts = resolved.value();
    if (work.on_problem) work.problem = work.machinery.stage->problem();  // the models forget it when they advance
    hand_over_forces(world, work);
    for (std::size_t i = 0; i < world.parts.size(); ++i) {
      ModelStep& model = *work.machinery.steps[i];
      add(model.advance(work.trials[i]), world.parts[i].settings.name, report);
      if (!options.converge || report.outcome == Outcome::failed) continue;
      report.residual = std::max(report.residual, model.residual());
      if (!model.is_balanced()) unbalanced = world.parts[i].settings.name;
    }
    report.iterations = iteration;
    if (report.outcome == Outcome::failed || (options.converge && unbalanced.empty())) return;
  }
  if (!options.converge) return;
  report.outcome = Outcome::usable;
  report.contact_trouble = fmt::format("{}: {}", unbalanced, der::text(der::Trouble::not_converged));
}

// Contact is resolved in what is linear. Where links that keep their lengths lead on from there into what strands
// touch, as those of a rope do that slides over a pole under a heavy load, it is again, about where its forces lead:
// Newton's method.
void solve_with_contact(const World& world, const DriveSpan& span, const der::StepOptions& options,
                        WorldWorkspace& work, const WorldState& state, WorldStepReport& report) {
  constexpr int most_rounds = 8;
  prepare_contact(world, work);
  StepMachinery& machinery = work.machinery;
  solve_expecting(state.contact.vertex_forces, world, span, options, work, state, report);
  for (int round = 1; report.outcome != Outcome::failed && machinery.stage->links_lead_astray(); ++round) {
    if (round == most_rounds) {
      report.outcome = Outcome::usable;
      report.contact_trouble = "contact: links lead strands into what they touch";
      return;
    }
    machinery.expected = machinery.next.vertex_forces;
    solve_expecting(machinery.expected, world, span, options, work, state, report);
  }
}

void judge_contact(std::int64_t ticks, double tolerance, WorldStepReport& report) {
  if (report.outcome == Outcome::failed || !report.contacts) return;
  const StepContacts& contacts = *report.contacts;
  if (contacts.over_tolerance) {
    report.outcome = is_without_answer(contacts.solver) ? Outcome::failed : Outcome::usable;
    report.contact_trouble = fmt::format("contact: {} with an error of {:.2g}, above the tolerance of {:.2g}",
                                         contact::name(contacts.solver.outcome), contacts.solver.error, tolerance);
    if (contacts.jam) report.contact_trouble += "; no impulse keeps apart " + contacts.jam->place;
  }
  if (contacts.crossings > 0) {
    report.outcome = ticks > least_ticks_for_crossings ? Outcome::failed : Outcome::usable;
    report.contact_trouble =
        fmt::format("contact: {} pairs of segments would pass through each other", contacts.crossings);
  }
}

}  // namespace

StepMachinery::StepMachinery() = default;
StepMachinery::StepMachinery(const StepMachinery&) {}
StepMachinery::StepMachinery(StepMachinery&&) noexcept = default;
StepMachinery& StepMachinery::operator=(const StepMachinery& other) { return *this = StepMachinery(other); }
StepMachinery& StepMachinery::operator=(StepMachinery&&) noexcept = default;
StepMachinery::~StepMachinery() = default;

std::string WorldStepReport::message() const {
  if (!contact_trouble.empty()) return contact_trouble;
  const std::string place = vertex ? fmt::format(", vertex {}", *vertex) : "";
  const auto why = std::ranges::find_if(
      troubles, [&](const StrandTrouble& known) { return known.set == set && known.strand == strand; });
  return fmt::format("{}, strand {}{}: {}", set, strand, place,
                     vertex || why == troubles.end() ? der::text(trouble) : why->why);
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

namespace {

void collect_troubles(const World& world, double time, const WorldWorkspace& work, WorldStepReport& report) {
  if (report.outcome == Outcome::converged) return;
  for (std::size_t i = 0; i < world.parts.size(); ++i)
    for (StrandTrouble& trouble : work.machinery.steps[i]->troubles()) {
      trouble.set = world.parts[i].settings.name, trouble.time = time;
      report.troubles.push_back(std::move(trouble));
    }
}

// A step of so many ticks, up to where it would end; the state stays as it is.
WorldStepReport attempt(const World& world, const DriveSpan& span, std::int64_t ticks, WorldWorkspace& work,
                        const WorldState& state) {
  const der::StepOptions options = step_options(world.run, span.dt);
  WorldStepReport report;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    drive(world, i, span, state, work.drive, work.targets[i]);
    work.roots[i] = work.drive.drive.root;
    if (!world.has_contact())
      add(work.machinery.steps[i]->take(inputs_of(world, i, options, state.contact.vertex_forces, work), state.parts[i],
                                        work.trials[i]),
          part.settings.name, report);
  }
  if (world.has_contact()) {
    solve_with_contact(world, span, options, work, state, report);
    judge_contact(ticks, world.contact.tolerance, report);
  }
  if (report.outcome == Outcome::failed) name_vertex(world, work.trials, report);
  collect_troubles(world, state.clock.time(world.run.dt()) + span.dt, work, report);
  return report;
}

// Moves the state to where the attempt ended.
void commit(const World& world, const DriveSpan& span, std::int64_t ticks, bool frozen, WorldWorkspace& work,
            WorldState& state) {
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    der::commit(work.trials[i], span.dt, world.run.integrator == TimeIntegrator::bdf2, state.parts[i]);
    state.parts[i].own.swap(work.trials[i].own);
  }
  if (world.has_contact()) std::swap(state.contact, work.machinery.next);
  if (frozen) return;
  state.clock.ticks += ticks;
  if (state.clock.ticks % Clock::ticks_per_substep == 0)
    for (std::optional<GivenPose>& given : state.given_poses)
      if (given) given->before = given->now;
}

// Whether steps have a tolerance to stay above.
bool is_judged(const World& world) {
  return step_options(world.run, world.run.dt()).converge || world.has_contact() ||
         std::ranges::any_of(world.parts, [](const World::Part& part) { return part.traits().judges_steps; });
}

}  // namespace

SubstepReport substep(const World& world, bool frozen, bool remember, WorldWorkspace& work, WorldState& state) {
  prepare(world, work);
  SubstepReport report;
  std::int64_t left = Clock::ticks_per_substep, ticks = left;
  bool retried = false;
  while (left > 0) {
    const bool may_retry = world.run.on_tolerance == OnTolerance::retry && !retried && ticks > 1 && is_judged(world);
    const bool first = left == Clock::ticks_per_substep && ticks == left;
    const auto stop = [&] {
      state.swap(work.start);
      return report.stopped = true, report;
    };
    const DriveSpan span = drive_span(world, state.clock, ticks, frozen);
    report.last_dt = span.dt;
    report.last = attempt(world, span, ticks, work, state);
    ++report.steps;
    report.iterations = std::max(report.iterations, report.last.iterations);
    report.clamped_pivots += report.last.clamped_pivots;
    const bool crossing = report.last.contacts && report.last.contacts->crossings > 0;
    const bool has_failed = report.last.outcome == Outcome::failed;
    const bool is_usable = report.last.outcome == Outcome::usable;
    if (first && (has_failed || is_usable)) work.start = state;  // sub-steps are cut only after their first step
    if (has_failed || (is_usable && may_retry && !crossing)) {   // those that cross have been halved often enough
      if (report.last.contacts) report.contacts.add_rejected(*report.last.contacts);
      if (has_failed) {
        ++report.failed, report.interrupted = is_interrupted(work);
        if (ticks == 1 || report.interrupted) return stop();
      } else {
        retried = true;
      }
      ticks /= 2;
      continue;
    }
    add(report.last.troubles, report.troubles);
    if (is_usable) {
      ++report.usable;
      if (world.run.on_tolerance == OnTolerance::stop) return stop();
    }
    if (remember) work.before = state;
    commit(world, span, ticks, frozen, work, state);
    if (report.last.contacts) report.contacts.add(*report.last.contacts);
    if (work.on_step) work.on_step(state, ticks);
    if (work.on_problem && work.problem && work.problem->size() > 0) work.on_problem(*work.problem);
    left -= ticks;
    ticks = std::min(ticks, left);
  }
  return report;
}

Residuals residuals(const World& world, double dt, WorldWorkspace& work, const WorldState& state) {
  Residuals worst;
  const der::StepOptions options = step_options(world.run, dt);
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    worst.force = std::max(worst.force, work.machinery.steps[i]->force_residual(
                                            inputs_of(world, i, options, state.contact.vertex_forces, work),
                                            work.before.parts[i], state.parts[i]));
    worst.stretch = std::max(worst.stretch, part.model->largest_stretch(part.strands, work.targets[i], state.parts[i]));
  }
  return worst;
}

}  // namespace tendril
