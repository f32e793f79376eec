// tendril sagfree: a groom made ready to keep its shape under gravity.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "progress.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/text.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/prepared_groom.hpp"
#include "tendril/sagfree/strands_by_status.hpp"
#include "tendril/scene/presets.hpp"
#include "tendril/sim/sag_free_report.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;
using sagfree::StrandStatus;

struct SagfreeCommand {
  std::string groom, out, mode = "sweep", mu = "auto", material = "human-hair", up, bound = "disc", start = "drawn",
                          share = "element", matrix = "banded", curvature_variables = "two", report;
  double scale = 0.0, max_stiffness = 0.0, smooth = 0.0;
  std::vector<double> gravity = {0.0, -9.81, 0.0};
  int threads = 0, subsample = 1, resample = 0;
  int max_iterations = 300;
  bool growth = false, check = false, strict = false, force = false, quiet = false;
};

der::Material material_named(const std::string& name) {
  if (const Preset* preset = find_preset(name)) return material_of(*preset);
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  throw CommandFailed{{"--material", fmt::format("there is no '{}'{}; tendril presets lists what there is", name,
                                                 did_you_mean(name, names))},
                      usage_error};
}

sagfree::Options options_of(const SagfreeCommand& command) {
  sagfree::Options options;
  options.mode = *sagfree::mode_named(command.mode);
  if (command.start == "sweep") options.start = sagfree::Start::sweep;
  if (command.bound == "box") options.bound = sagfree::CurvatureBound::box;
  if (command.max_stiffness > 0.0) options.cap = command.max_stiffness;
  if (command.share == "strand") options.sharing = sagfree::Sharing::strand;
  if (command.share == "group") options.sharing = sagfree::Sharing::group;
  if (command.matrix == "sparse") options.storage = sagfree::Storage::sparse;
  if (command.curvature_variables == "four") options.curvature_variables = sagfree::CurvatureVariables::four;
  options.smoothness = command.smooth, options.growth = command.growth, options.max_iterations = command.max_iterations;
  if (command.smooth > 0.0 && command.share != "element")
    throw CommandFailed{{"--smooth", "stiffness that is shared has nothing to smooth; give --share or --smooth"},
                        usage_error};
  if (command.mu == "auto") return options;
  double mu = 0.0;
  if (!CLI::detail::lexical_cast(command.mu, mu) || !(mu >= 0.0 && mu <= 1e6))
    throw CommandFailed{{"--mu", "must be auto, or a number from 0 to 1e6"}, usage_error};
  options.mu = mu;
  return options;
}

// The groom as a scene of its own: one set of strands that nothing moves.
Scene scene_of(const SagfreeCommand& command) {
  GroomRequest request{command.groom, {}, {}, command.subsample, command.resample};
  if (command.scale > 0.0) request.scale = command.scale;
  if (!command.up.empty()) request.up = command.up == "Z" || command.up == "z" ? UpAxis::z : UpAxis::y;
  Scene scene;
  scene.run.gravity = {command.gravity[0], command.gravity[1], command.gravity[2]};
  scene.run.frames = 60;
  StrandSet set;
  set.name = "hair";
  set.preset = command.material, set.material = material_named(command.material);
  set.sag_free = options_of(command);
  set.source = GroomSource{request, std::make_shared<const LoadedGroom>(or_fail(load_groom(request)))};
  scene.strands.push_back(std::move(set));
  return scene;
}

// The strands in equilibrium; with a bar, for the general optimiser takes its time.
Simulation simulation_of(const SagfreeCommand& command, Scene& scene) {
  Progress progress("strand", command.quiet);
  const Timer timer;
  auto& tell = scene.strands[0].sag_free->progress;
  tell = [&](std::size_t done, std::size_t of) { progress.show(int(done), int(of), timer.seconds()); };
  Simulation simulation = or_fail(Simulation::create(scene));
  tell = nullptr;
  return simulation;
}

// A second of simulation from the prepared start: how far a stable strand strays, over its length.
double check_drift(const SagfreeCommand& command, Simulation& simulation) {
  Progress progress("simulate 1 s", command.quiet);
  const Timer timer;
  const int steps = simulation.world().run.frames * simulation.world().run.substeps;
  for (int i = 0; i < steps; ++i) {
    or_fail(simulation.step());
    progress.show(i + 1, steps, timer.seconds());
  }
  const World::Part& part = simulation.world().parts[0];
  return largest_drift(part.strands, *part.sag_free, simulation.state().parts[0]);
}

void write(const SagfreeCommand& command, const Scene& scene, const World::Part& part) {
  PreparedGroom prepared{make_groom(scene.strands[0].source, scene.run.seed), part.strands.description(),
                         *part.sag_free, scene.run.gravity};
  if (prepared.groom.radius.empty()) prepared.groom.radius = part.radius;
  or_fail(write_file(command.out, or_fail(encode_prepared(prepared))));
}

void print_statuses(const sagfree::Outcome& outcome) {
  constexpr std::size_t most_named = 10;
  for (const auto& [status, strands] : sagfree::strands_by_status(outcome)) {
    fmt::print("  {:<10} {:>7}  {}\n", sagfree::name(status), strands.size(), sagfree::meaning(status));
    if (status == StrandStatus::balanced) continue;
    const std::span<const std::size_t> named(strands.data(), std::min(strands.size(), most_named));
    fmt::print("  {:<19} strands {}{}\n", "", fmt::join(named, ", "), strands.size() > most_named ? ", ..." : "");
  }
}

void print(const SagfreeCommand& command, const World& world, const sagfree::Summary& s,
           const std::optional<double>& drift) {
  const World::Part& part = world.parts[0];
  for (const std::string& note : world.notes)
    if (note.find("sag-free start") == std::string::npos) fmt::print("{}\n", note);
  fmt::print("{}: {} strands, {} vertices, {}, {:.3f} s on {} {}\n", command.groom, s.strands,
             part.strands.vertex_count(), command.material, part.sag_free->seconds, thread_count(),
             thread_count() == 1 ? "thread" : "threads");
  print_statuses(*part.sag_free);
  fmt::print("  imbalance  median {:.2g} before, {:.2g} after, worst {:.2g} (net force over load)\n",
             s.imbalance_before_median, s.imbalance_median, s.imbalance_max);
  fmt::print("  stiffness  median {:.3g} times, worst {:.3g} times\n", s.stiffness_factor_median,
             s.stiffness_factor_max);
  fmt::print("  mu         median {:.3g}, smallest {:.3g}\n", s.mu_median, s.mu_min);
  if (drift) fmt::print("  drift      {:.2g} of a strand's length after 1 s\n", *drift);
  if (!command.out.empty())
    fmt::print("{}: written; in a scene: source = {{ prepared = \"{}\" }}\n", command.out,
               fs::path(command.out).filename().string());
}

void write_report(const SagfreeCommand& command, const World& world, const sagfree::Summary& summary,
                  const std::optional<double>& drift) {
  const World::Part& part = world.parts[0];
  nlohmann::json report = nlohmann::json::parse(sag_free_json(summary));
  report["command"] = "sagfree", report["groom"] = command.groom, report["mode"] = command.mode;
  report["seconds"] = part.sag_free->seconds, report["threads"] = thread_count();
  report["vertices"] = part.strands.vertex_count();
  if (drift) report["drift_max_relative"] = *drift;
  report["notes"] = world.notes;
  nlohmann::json problems = nlohmann::json::array();
  for (std::size_t s = 0; s < part.sag_free->strands.size(); ++s) {
    const sagfree::StrandOutcome& strand = part.sag_free->strands[s];
    if (strand.status != StrandStatus::balanced)
      problems.push_back({{"strand", s}, {"status", sagfree::name(strand.status)}, {"imbalance", strand.imbalance}});
  }
  report["problems"] = std::move(problems);
  or_fail(write_file(command.report, report.dump(2) + "\n"));
}

void prepare(const SagfreeCommand& command) {
  if (!command.out.empty() && fs::path(command.out).extension() != ".h5")
    throw CommandFailed{{command.out, "a prepared groom is an .h5 file; give such a name"}, usage_error};
  if (!command.out.empty() && fs::exists(command.out) && !command.force)
    throw CommandFailed{{command.out, "exists already; give another name, or --force to replace it"}};
  set_thread_count(command.threads);
  Scene scene = scene_of(command);
  Simulation simulation = simulation_of(command, scene);
  const World::Part& part = simulation.world().parts[0];
  const sagfree::Summary summary = sagfree::summarise(part.sag_free->strands);
  std::optional<double> drift;
  if (command.check) drift = check_drift(command, simulation);
  if (!command.out.empty()) write(command, scene, part);
  if (!command.report.empty()) write_report(command, simulation.world(), summary, drift);
  if (!command.quiet) print(command, simulation.world(), summary, drift);
  if (command.strict && summary.failed + summary.unstable > 0)
    throw CommandFailed{
        {command.groom, fmt::format("{} strands are out of balance and {} unstable", summary.failed, summary.unstable)},
        strict_failure};
}

}  // namespace

void add_sagfree_command(CLI::App& app) {
  auto options = std::make_shared<SagfreeCommand>();
  CLI::App* command = app.add_subcommand("sagfree", "Find the rest state with which a groom keeps its shape");
  command->footer(
      "Rest lengths, curvatures and twists, and stiffness where they do not suffice, are chosen such that every strand "
      "is in stable equilibrium as drawn. In a scene, rest = \"sag-free\" does the same on the fly.\n"
      "Example: tendril sagfree groom.hair --scale 0.01 --out groom.h5 --check");
  command->add_option("groom", options->groom, "The groom to prepare: .hair .data .tfx .usda .ply .obj")->required();
  command->add_option("--out", options->out, "Write the prepared groom (.h5), for source = { prepared = ... }");
  command
      ->add_option(
          "--mode", options->mode,
          "sweep: direct; full: the general optimiser; penalty, rest-shape: less than it, to compare with; naive: "
          "measures what would sag, and changes nothing")
      ->check(CLI::IsMember({"sweep", "full", "penalty", "rest-shape", "naive"}));
  command->add_option("--start", options->start, "Of the general optimiser: the drawn shape, or the sweep's outcome")
      ->check(CLI::IsMember({"drawn", "sweep"}));
  command->add_option("--mu", options->mu, "Largest change of rest curvature per vertex; auto: the largest stable one");
  command
      ->add_option(
          "--bound", options->bound,
          "What mu bounds: the norm of the change (disc) or each component (box), as the general optimiser always does")
      ->check(CLI::IsMember({"disc", "box"}));
  command
      ->add_option("--max-stiffness", options->max_stiffness, "Largest factor by which an element may become stiffer")
      ->check(CLI::Range(1.0, 1e300));
  command
      ->add_option(
          "--share", options->share,
          "Which elements become stiffer by the same factor: each its own (element), those of a strand, those of "
          "all strands (group)")
      ->check(CLI::IsMember({"element", "strand", "group"}));
  command
      ->add_option("--smooth", options->smooth,
                   "Weight of differences between the stiffness of neighbours, over that of changes")
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--growth", options->growth,
                    "Let the penalty of the general optimiser grow: faster, but it may stall");
  command->add_option("--max-iterations", options->max_iterations, "Of the general optimiser")
      ->check(CLI::Range(1, 100000));
  command->add_option("--matrix", options->matrix, "How the general optimiser stores its matrices, to compare with")
      ->check(CLI::IsMember({"banded", "sparse"}));
  command
      ->add_option("--curvature-variables", options->curvature_variables,
                   "Components of rest curvature that the general optimiser varies, to compare with")
      ->check(CLI::IsMember({"two", "four"}));
  command->add_option("--material", options->material, "A preset; tendril presets lists them");
  command->add_option("--scale", options->scale, "Metres per unit of the groom")->check(CLI::PositiveNumber);
  command->add_option("--up", options->up, "Which axis of the groom points up")
      ->check(CLI::IsMember({"Y", "Z", "y", "z"}));
  command->add_option("--gravity", options->gravity, "Acceleration x y z in m/s2, with y up")->expected(3);
  command->add_option("--subsample", options->subsample, "Take every N-th strand")->check(CLI::Range(1, 1000000));
  command->add_option("--resample", options->resample, "Give every strand N vertices at equal distances")
      ->check(CLI::Range(2, 1000000));
  command->add_option("--threads", options->threads, "0 = one per core")->check(CLI::Range(0, 1024));
  command->add_flag("--check", options->check, "Simulate one second, and measure how far strands stray");
  command->add_flag("--strict", options->strict, "End with exit code 3 if a strand is out of balance or unstable");
  command->add_flag("--force", options->force, "Replace an existing file");
  command->add_option("--report", options->report, "Write the numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { prepare(*options); });
}

}  // namespace tendril::app
