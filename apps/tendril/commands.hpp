// The commands of `tendril`. Each one is a file <name>_command.cpp that adds itself to the application: its options,
// its help with an example, and a callback that parses, calls the library and prints. To add a command: one file and
// one line in `add_commands`.
//
//   void add_run_command(CLI::App& app) {
//     auto options = std::make_shared<RunOptions>();
//     CLI::App* command = app.add_subcommand("run", "Simulate a scene");
//     command->footer("Example: tendril run examples/shaken-head/scene.toml --out out/shaken-head");
//     command->add_option("scene", options->scene, "The scene file")->required();
//     command->callback([options] { or_fail(run(*options)); });
//   }
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <utility>

#include "tendril/base/error.hpp"

namespace tendril::app {

// Exit codes of the program.
enum ExitCode : int { success = 0, failure = 1, usage_error = 2, strict_failure = 3 };

// Thrown by or_fail for main to print: the one road by which a command ends without success.
struct CommandFailed {
  Error error;
  ExitCode code = failure;
};

// The value of a result; an error ends the command with one line on stderr and the exit code.
template <class T>
T or_fail(Result<T> result, ExitCode code = failure) {
  if (!result) throw CommandFailed{result.error(), code};
  return std::move(result.value());
}

void add_run_command(CLI::App& app);
void add_scene_command(CLI::App& app);
void add_presets_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_sagfree_command(CLI::App& app);
void add_render_command(CLI::App& app);
void add_plot_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_contact_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);
void add_validate_command(CLI::App& app);

inline void add_commands(CLI::App& app) {
  add_run_command(app);
  add_scene_command(app);
  add_presets_command(app);
  add_info_command(app);
  add_convert_command(app);
  add_sagfree_command(app);
  add_render_command(app);
  add_plot_command(app);
  add_view_command(app);
  add_bench_command(app);
  add_contact_command(app);
  add_reproduce_command(app);
  add_validate_command(app);
}

}  // namespace tendril::app
