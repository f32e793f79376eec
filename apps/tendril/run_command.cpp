#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "frame_range.hpp"
#include "progress.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/linalg/isa.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril::app {
namespace {

struct RunCommand {
  std::string scene, out, frames, report, problems, problem_format = "json";
  int threads = -1, start_frame = -1;
  std::vector<std::string> overrides;
  bool force = false, resume = false, quiet = false;
};

volatile std::sig_atomic_t signal_seen = 0;

void print_contacts(const ContactTotals& c) {
  const double steps = double(std::max<std::int64_t>(1, c.steps));
  fmt::print("contacts: {:.0f} per step, {} at most; above tolerance in {:.2g} % of steps, largest error {:.1e}\n",
             double(c.contacts) / steps, c.contacts_max, 100.0 * double(c.over_tolerance) / steps, c.error_max);
  fmt::print("contact took {}, detection {}; deepest in a body {:.2g} mm", duration_text(c.contact_seconds),
             duration_text(c.detection_seconds), 1e3 * c.penetration_max);
  if (c.inside_start > 0)
    fmt::print("; {} vertices started inside (up to {:.2g} mm), {} still are ({:.2g} mm)", c.inside_start,
               1e3 * c.deepest_start, c.inside_end, 1e3 * c.deepest_end);
  if (c.crossings > 0) fmt::print("; {} pairs of segments passed through each other", c.crossings);
  fmt::print("\n");
}

void print_summary(const RunReport& report, const std::filesystem::path& out) {
  const std::string carried = report.groom_strands == report.strands
                                  ? ""
                                  : fmt::format(" that carry {}", report.groom_strands - report.strands);
  fmt::print("{}: {} strands{}, {} vertices, {} steps in {} ({:.0f} ns per vertex and step)\n", report.name,
             report.strands, carried, report.vertices, report.steps, duration_text(report.seconds),
             report.step_seconds * 1e9 / (double(report.vertices) * double(std::max<std::int64_t>(1, report.steps))));
  for (const std::string& note : report.notes) fmt::print("{}\n", note);
  if (report.statics)
    fmt::print("equilibria: {} of {} found, {} of them unstable, largest residual {:.1e} of the load\n",
               report.statics->converged, report.statics->strands, report.statics->unstable, report.statics->residual);
  double stretch = 0.0;
  for (const FrameRecord& frame : report.frames) stretch = std::max(stretch, frame.stretch);
  fmt::print("largest stretch {:.2e}; steps above tolerance {}, steps halved {}; hash {}\n", stretch,
             report.usable_steps, report.failed_steps, hash_text(report.hash));
  if (report.contacts) print_contacts(*report.contacts);
  fmt::print("{} frames in {}\n", report.frames_written, out.string());
}

void run_scene(const RunCommand& command) {
  Scene scene = or_fail(read_scene(command.scene, command.overrides));
  if (command.threads >= 0) scene.run.threads = command.threads;
  if (command.start_frame >= 0) scene.output.start_frame = command.start_frame;
  RunOptions options;
  options.out = !command.out.empty()        ? command.out
                : !scene.output.dir.empty() ? scene.output.dir
                                            : "out/" + scene.run.name;
  options.overwrite = command.force;
  options.problems = command.problems;
  options.fclib_problems = command.problem_format == "h5";
  if (!command.frames.empty()) {
    const FrameRange range = or_fail(parse_frames(command.frames), usage_error);
    options.frames = {range.first, range.last};
  }
  if (command.force && command.resume)
    throw CommandFailed{{"--resume", "goes on with a run that --force would remove; give one of them"}, usage_error};
  options.resume = command.resume;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int caught) { signal_seen = caught; });
  options.interrupted = options.abandons_step = [] { return signal_seen != 0; };
  Result<RunReport> result = [&] {
    Progress progress("frame", command.quiet);
    options.progress = [&](int done, int of, double seconds) { progress.show(done, of, seconds); };
    return run(scene, options);
  }();
  const RunReport report = or_fail(std::move(result));
  if (!command.report.empty()) or_fail(write_file(command.report, to_json(report)));
  if (!command.quiet) print_summary(report, options.out);
  if (!report.stopped.empty())
    throw CommandFailed{
        {command.scene, fmt::format("the run stopped early: {}; {}", report.stopped,
                                    signal_seen != 0 ? "--resume goes on with it"
                                                     : "more substeps, or a gentler motion, may get it through")},
        signal_seen != 0 ? ExitCode(128 + signal_seen) : failure};
  if (report.statics && report.statics->converged < report.statics->strands)
    throw CommandFailed{
        {command.scene, fmt::format("{} of {} equilibria were not found",
                                    report.statics->strands - report.statics->converged, report.statics->strands)}};
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene and write its frames");
  command->footer("Example: tendril run examples/shaken-head/scene.toml --out out/shaken-head --report report.json");
  command->add_option("scene", options->scene, "The scene file (TOML)")->required();
  command->add_option("--out", options->out, "Folder of the cache (default: out/NAME)");
  command->add_option("--frames", options->frames, "Write only frames A:B, and stop after B");
  command->add_option("--start-frame", options->start_frame, "Number of the first frame, such as 1001")
      ->check(CLI::Range(1, 100'000'000));
  command->add_option("--threads", options->threads, "Number of threads; 0 = one per core")->check(CLI::Range(0, 1024));
  command
      ->add_option("--set", options->overrides, "Override a key of the scene: --set strands.0.material.young=\"2 GPa\"")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--report", options->report, "Write the numbers of the run to this JSON file");
  command->add_option("--dump-problems", options->problems, "Write the contact problem of every step to this folder");
  command
      ->add_option("--dump-format", options->problem_format,
                   "Of these: json, or h5 for FCLIB (json if there are joints)")
      ->check(CLI::IsMember({"json", "h5"}));
  command->add_flag("--force", options->force, "Replace an earlier run in the same folder");
  command->add_flag("--resume", options->resume, "Go on with the run in the same folder from its newest checkpoint");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { run_scene(*options); });
}

}  // namespace tendril::app
