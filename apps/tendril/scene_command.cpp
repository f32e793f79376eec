// tendril scene: is a scene right, and what can be written in one? tendril presets: the materials.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/scene/presets.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/world.hpp"

namespace tendril::app {
namespace {

using nlohmann::json;

struct SceneCommand {
  std::string check, report;
  std::vector<std::string> overrides;
  bool schema = false, quiet = false;
};

// As far as a run would go before its first step: files are read and strands made.
void check_scene(const SceneCommand& command) {
  const Scene scene = or_fail(read_scene(command.check, command.overrides));
  const World world = or_fail(make_world(scene));
  if (!command.report.empty())
    or_fail(write_file(command.report, json{{"command", "scene"},
                                            {"file", command.check},
                                            {"name", scene.run.name},
                                            {"strands", world.strand_count()},
                                            {"vertices", world.vertex_count()},
                                            {"notes", world.notes}}
                                               .dump(2) +
                                           "\n"));
  if (command.quiet) return;
  for (const std::string& note : world.notes) fmt::print("{}\n", note);
  fmt::print("{}: right; {} strands, {} vertices, {} frames at {:g} per second\n", command.check, world.strand_count(),
             world.vertex_count(), scene.run.frames + 1, scene.run.fps);
}

void run_scene_command(const SceneCommand& command) {
  if (command.schema == !command.check.empty())
    throw CommandFailed{{"scene", "give either --check FILE or --schema"}, usage_error};
  if (command.schema)
    fmt::print("{}", schema_text());
  else
    check_scene(command);
}

void list_presets(const std::string& report_file, bool quiet) {
  json list = json::array();
  for (const Preset& p : presets()) {
    list.push_back({{"name", p.name},
                    {"meaning", p.meaning},
                    {"radius", p.radius},
                    {"aspect", p.aspect},
                    {"young", p.young},
                    {"shear", p.shear},
                    {"stretch_young", p.stretch_young},
                    {"density", p.density}});
    if (!quiet)
      fmt::print("{:<20} radius {:>7.4g} um  E {:>8.4g} MPa  G {:>8.4g} MPa  {:>5.4g} kg/m3  {}\n", p.name,
                 1e6 * p.radius, 1e-6 * p.young, 1e-6 * p.shear, p.density, p.meaning);
  }
  if (!report_file.empty())
    or_fail(write_file(report_file, json{{"command", "presets"}, {"presets", std::move(list)}}.dump(2) + "\n"));
}

}  // namespace

void add_scene_command(CLI::App& app) {
  auto options = std::make_shared<SceneCommand>();
  CLI::App* command = app.add_subcommand("scene", "Check a scene, or list every key that a scene may have");
  command->footer("Examples: tendril scene --check examples/shaken-head/scene.toml\n          tendril scene --schema");
  command->add_option("--check", options->check, "Read this scene and all that it names, but do not run it");
  command->add_flag("--schema", options->schema, "List all keys with type, unit, default and meaning");
  command->add_option("--set", options->overrides, "Override a key of the scene, as for run")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--report", options->report, "Write what was found to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { run_scene_command(*options); });
}

void add_presets_command(CLI::App& app) {
  auto report = std::make_shared<std::string>();
  auto quiet = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("presets", "List the materials that scenes can start from");
  command->footer("Example: tendril presets");
  command->add_option("--report", *report, "Write the list to this JSON file");
  command->add_flag("-q,--quiet", *quiet, "Print errors only");
  command->callback([report, quiet] { list_presets(*report, *quiet); });
}

}  // namespace tendril::app
