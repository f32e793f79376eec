#include "contact_scene.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/rods/der/one_step.hpp"
#include "tendril/sim/run.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::bench {
namespace {

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(result.value());
}

constexpr int strands_of_head = 2000;

struct Turning {
  double angle, frequency;  // [deg], [Hz]
};
constexpr Turning shaken{25.0, 2.0}, calm{5.0, 0.5};

// Heads of curly hair side by side that turn from the first moment on, while the hair falls on them. Each has 2000
// strands: a larger head with more of them would not be as densely covered.
std::string heads_of_hair(int heads, double tolerance, const Turning& turning) {
  constexpr double size = 0.62, apart = 1.0;  // of a usual head, and [m]
  std::string scene = fmt::format(R"([run]
duration = "1 s"
fps = 60
substeps = 4
seed = 7

[contact]
tolerance = {}
friction = {{ default = 0.3 }}
)",
                                  tolerance);
  for (int k = 0; k < heads; ++k)
    scene += fmt::format(R"(
[[strands]]
name = "hair {0}"
source = {{ generator = "curly", count = {1}, vertices = 50, length = "25 cm", head_radius = [{2}, {3}, {4}], head_centre = [{5}, 0, 0] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
motion = {{ rotate = [0, 1, 0], angle = "{9} deg", frequency = "{10} Hz", centre = [{5}, 0, 0] }}

[[colliders]]
name = "head {0}"
shape = {{ ellipsoid = [{6}, {7}, {8}], centre = [{5}, 0, 0] }}
follows = "hair {0}"
)",
                         k, strands_of_head, 0.078 * size, 0.112 * size, 0.096 * size, apart * k, 0.076 * size,
                         0.11 * size, 0.094 * size, turning.angle, turning.frequency);
  return scene;
}

struct Stages {
  std::size_t contacts = 0;  // a step, fewest of the sub-steps that count
  double error = 0.0;
  int over_tolerance = 0, steps = 0;
  double linearise = 1e300, detection = 1e300, contact = 1e300;  // [s] a step, of the least disturbed sub-step
};

// [s] of linearising and factorising all strands at a state, as a step does.
double seconds_to_linearise(const World& world, const WorldState& state, der::OneStep& system) {
  const World::Part& part = world.parts.front();
  const der::Targets targets = part.strands.make_targets();
  const der::StepOptions options = step_options(world.run, world.run.dt());
  const Timer timer;
  system.linearise(part.strands, targets, options, state.parts.front());
  return timer.seconds();
}

// Some sub-steps to bring strands into contact, on all cores, then some that count, on one. One that fails is halved,
// as in any run.
Stages measure(const Scene& scene, int before, int substeps) {
  const World world = or_throw(make_world(scene));
  WorldState state = start(world);
  WorldWorkspace work;
  der::OneStep system;
  Stages stages;
  stages.contacts = std::size_t(-1);
  set_thread_count(0);
  for (int k = 0; k < before + substeps; ++k) {
    if (k == before) set_thread_count(1);
    const SubstepReport report = substep(world, false, false, work, state);
    if (report.stopped) throw std::runtime_error(report.last.message());
    const double linearise = seconds_to_linearise(world, state, system);
    if (k < before) continue;
    const ContactTotals& totals = report.contacts;
    const auto steps = double(totals.steps);
    stages.steps += int(totals.steps), stages.over_tolerance += int(totals.over_tolerance);
    stages.contacts = std::min(stages.contacts, std::size_t(double(totals.contacts) / steps));
    stages.error = std::max(stages.error, totals.error_max);
    stages.linearise = std::min(stages.linearise, linearise);
    stages.detection = std::min(stages.detection, totals.detection_seconds / steps);
    stages.contact = std::min(stages.contact, totals.contact_seconds / steps);
  }
  return stages;
}

Scene scene_of(int heads, double tolerance, const Turning& turning) {
  return or_throw(parse_scene(heads_of_hair(heads, tolerance, turning), "head.toml"));
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) * 1024.0 / 1e9;
}

void add_head(Report& report, const std::string& name, const Turning& turning, int before) {
  const Stages head = measure(scene_of(1, 1e-3, turning), before, 8);
  const double contact = head.contact / head.linearise, detection = head.detection / head.linearise;
  report.values[name] = {{"strands", strands_of_head},
                         {"vertices_per_strand", 50},
                         {"contacts", head.contacts},
                         {"error", head.error},
                         {"over_tolerance", head.over_tolerance},
                         {"linearise_seconds", head.linearise},
                         {"detection_seconds", head.detection},
                         {"contact_seconds", head.contact},
                         {"memory_gigabytes", peak_gigabytes()}};
  report.bars.push_back({name + ".contacts", double(head.contacts), 20000.0, false});
  report.bars.push_back({name + ".error", head.error, 1e-3});
  report.bars.push_back({name + ".contact_over_linearise", contact, 5.0});
  report.bars.push_back({name + ".detection_over_linearise", detection, 0.5});
  report.bars.push_back({name + ".memory_gigabytes", peak_gigabytes(), 4.0});
  report.say(
      fmt::format("{:<10} 2000 strands, {} contacts: linearise {:.1f} ms, detect {:.1f} ms ({:.2f} "
                  "times), contact {:.1f} ms ({:.2f} times); {:.2f} GB",
                  name, head.contacts, 1e3 * head.linearise, 1e3 * head.detection, detection, 1e3 * head.contact,
                  contact, peak_gigabytes()));
}

// Steps of hair that has just begun to fall, when memory has grown to what they need: pages that are touched for the
// first time cost as much as the search itself.
void add_growth(Report& report) {
  constexpr int before = 8, steps = 4;
  const Stages few = measure(scene_of(1, 1e-2, shaken), before, steps),
               many = measure(scene_of(10, 1e-2, shaken), before, steps);
  const double exponent = std::log10(many.detection / few.detection);
  report.values["detection"] = {{"seconds_2000", few.detection},
                                {"seconds_20000", many.detection},
                                {"contacts_2000", few.contacts},
                                {"contacts_20000", many.contacts},
                                {"exponent", exponent}};
  report.bars.push_back({"detection.exponent", exponent, 1.1});
  report.say(fmt::format("detection  {:.1f} ms for 2000 strands, {:.1f} ms for 20 000: exponent {:.2f}",
                         1e3 * few.detection, 1e3 * many.detection, exponent));
}

// A run as a user makes it, frames and all.
struct TimedRun {
  double seconds = 1e300, step_seconds = 1e300;
  std::uint64_t hash = 0;

  void repeat(Scene scene, int threads, int frames) {
    const std::filesystem::path out =
        std::filesystem::temp_directory_path() / fmt::format("tendril-bench-{}", ::getpid());
    RunOptions options;
    options.out = out, options.overwrite = true, options.frames = std::pair(1, frames);
    scene.run.threads = threads;
    const RunReport report = or_throw(run(scene, options));
    set_thread_count(1);
    std::filesystem::remove_all(out);
    seconds = std::min(seconds, report.seconds), step_seconds = std::min(step_seconds, report.step_seconds);
    hash = report.hash;
  }
};

void add_default_scene(Report& report) {
  constexpr int frames = 20, rounds = 4;
  Result<Scene> scene = read_scene(TENDRIL_EXAMPLES_DIR "/shaken-head/scene.toml");
  if (!scene) {
    report.say("shaken     examples/shaken-head is not here");
    return;
  }
  TimedRun one, two;
  for (int round = 0; round < rounds; ++round)
    one.repeat(scene.value(), 1, frames), two.repeat(scene.value(), 2, frames);
  const double times = one.seconds / two.seconds;
  report.values["shaken_head"] = {{"frames", frames},
                                  {"one_thread_seconds", one.seconds},
                                  {"two_threads_seconds", two.seconds},
                                  {"steps_one_thread_seconds", one.step_seconds},
                                  {"steps_two_threads_seconds", two.step_seconds},
                                  {"same_bits", one.hash == two.hash}};
  report.bars.push_back({"shaken_head.two_threads", times, 1.5, false});
  report.bars.push_back({"shaken_head.same_bits", one.hash == two.hash ? 1.0 : 0.0, 1.0, false});
  report.say(fmt::format(
      "shaken     {} frames of examples/shaken-head: {:.2f} s, two threads {:.2f} times, their steps {:.2f} times, {}",
      frames, one.seconds, times, one.step_seconds / two.step_seconds,
      one.hash == two.hash ? "the same bits" : "OTHER BITS"));
}

}  // namespace

void add_contact_scenes(bool quick, Report& report) {
  add_head(report, "shaken", shaken, 24);
  if (quick) return;
  add_head(report, "head", calm, 192);  // it has come to rest on the head
  add_growth(report);
  add_default_scene(report);
}

}  // namespace tendril::bench
