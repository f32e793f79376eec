#include "tendril/serve/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/base/timer.hpp"

namespace tendril::serve {
namespace {

LiveControls controls_of(const World& world) {
  LiveControls controls{world.run.gravity, {}, 1.0, 0.0, {}};
  if (world.run.air.density > 0.0) controls.wind = world.run.wind;
  if (world.contact.law == ContactLaw::coulomb) controls.friction = 1.0;
  for (const World::Part& part : world.parts)
    controls.damping = std::max(controls.damping, part.settings.material.damping);
  return controls;
}

}  // namespace

Result<LiveRun> LiveRun::create(Scene scene) {
  const std::vector<std::string> channels = scene.output.channels;
  Result<Simulation> simulation = Simulation::create(std::move(scene));
  if (!simulation) return simulation.error();
  FrameMaker maker(simulation.value().world(), channels);
  return LiveRun(std::move(simulation.value()), std::move(maker));
}

LiveRun::LiveRun(Simulation simulation, FrameMaker maker)
    : simulation_(std::move(simulation)),
      maker_(std::move(maker)),
      defaults_(controls_of(simulation_.world())),
      controls_(defaults_) {
  for (std::size_t i = 0; i < simulation_.world().parts.size(); ++i)
    drags_.push_back(RootDrag::of(simulation_.world(), i));
}

RunFacts LiveRun::facts() const {
  const World& world = simulation_.world();
  GroomScratch scratch;
  const Frame first = maker_.frame(1, false, world, simulation_.last_step(), simulation_.state(), scratch);
  RunFacts facts;
  facts.name = world.run.name;
  facts.fps = 1.0 / frame_seconds();
  facts.frames = {1};
  facts.strands = first.offsets.size() - 1, facts.vertices = first.offsets.back();
  for (const World::Part& part : world.parts) facts.sets.push_back({part.settings.name, part.groom().strands()});
  for (const Body& body : maker_.bodies()) facts.bodies.push_back({body.name, body.motion != nullptr});
  facts.rest = true;
  facts.notes = world.notes;
  facts.channels = channel_facts(first);
  const Frame rest = maker_.rest(world);
  facts.rest_channels = channel_facts(rest);
  facts.colours = render::colour_quantities(first, &rest);
  return facts;
}

// Only what has changed: the rest keeps its bits. The scene's damping may differ from set to set; its largest stands
// for it.
Status LiveRun::control(const LiveControls& wanted) {
  const LiveControls now = std::exchange(controls_, wanted);
  if (wanted.gravity != now.gravity)
    if (Status status = simulation_.set_gravity(wanted.gravity); !status) return status;
  if (wanted.wind && wanted.wind != now.wind)
    if (Status status = simulation_.set_wind(*wanted.wind); !status) return status;
  if (wanted.stiffness != now.stiffness)
    if (Status status = simulation_.scale_stiffness(wanted.stiffness); !status) return status;
  if (wanted.friction && wanted.friction != now.friction)
    if (Status status = simulation_.scale_friction(*wanted.friction); !status) return status;
  if (wanted.damping == now.damping) return ok();
  return simulation_.set_damping(wanted.damping == defaults_.damping ? std::nullopt : std::optional(wanted.damping));
}

void LiveRun::drag(const DragOrder& order) {
  for (std::optional<RootDrag>& drag : drags_) {
    if (!drag || drag->set() != order.set) continue;
    if (order.goal)
      drag->pull(*order.goal);
    else
      drag->release();
  }
}

void LiveRun::reset() {
  simulation_.reset();
  for (std::optional<RootDrag>& drag : drags_)
    if (drag) drag->forget();
  taken_ = {};
}

double LiveRun::step_seconds() const {
  const RunSettings& run = simulation_.world().run;
  return is_static() ? 1.0 / run.fps : run.dt();
}

Status LiveRun::step() {
  std::vector<std::optional<RootDrag>> before = drags_;
  for (std::optional<RootDrag>& drag : drags_)
    if (drag)
      if (Status status = drag->advance(step_seconds(), simulation_); !status) return status;
  const Timer timer;
  const Result<SimulationStep> step = simulation_.step();
  taken_.step_seconds += timer.seconds();
  if (!step) {
    drags_.swap(before);  // the roots have not moved
    return step.error();
  }
  taken_.steps += step.value().steps, taken_.retries += step.value().retries;
  taken_.iterations = std::max(taken_.iterations, step.value().iterations);
  taken_.usable = taken_.usable || step.value().usable > 0;
  if (simulation_.world().has_contact()) {
    if (!taken_.contacts) taken_.contacts.emplace();
    taken_.contacts->add(step.value().contacts);
  }
  return ok();
}

bool LiveRun::under_way() const {
  return std::ranges::any_of(drags_, [](const auto& drag) { return drag && drag->under_way(); });
}

std::int64_t LiveRun::steps_per_frame() const {
  return is_static() ? 1 : std::max<std::int64_t>(1, std::llround(1.0 / (60.0 * step_seconds())));
}

double LiveRun::frame_seconds() const { return double(steps_per_frame()) * step_seconds(); }

Result<std::vector<std::byte>> LiveRun::show(int number, FrameRecord& record) {
  record = std::exchange(taken_, {});
  record.number = number, record.time = simulation_.time();
  const Timer measuring;
  record.energies = simulation_.energies();
  const Residuals measured = simulation_.residuals();
  record.force_residual = measured.force, record.stretch = measured.stretch;
  record.measure_seconds = measuring.seconds();
  const Timer recording;
  const Frame frame =
      maker_.frame(number, record.usable, simulation_.world(), simulation_.last_step(), simulation_.state(), scratch_);
  Result<std::vector<std::byte>> bytes = encode_frame(frame, simulation_.world().run.name);
  record.record_seconds = recording.seconds();
  return bytes;
}

}  // namespace tendril::serve
