// The command line: parses, calls one command, turns every failure into one line on stderr and an exit code.
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "commands.hpp"
#include "tendril/base/build_info.hpp"
#include "tendril/base/text.hpp"
#include "tendril/linalg/isa.hpp"

namespace tendril::app {
namespace {

std::string version_text() {
  return fmt::format("tendril {} ({}, {}, instruction set {})", version(), commit(), compiler(), active_isa_name());
}

int complain(ExitCode code, const std::string& message) {
  fmt::print(stderr, "tendril: {}\n", message);
  return code;
}

// CLI11 would only list all arguments that are left over; a misspelt command deserves a better answer.
void refuse_unknown_command(const CLI::App& app, const std::string& called, int argc, char** argv) {
  const std::vector<const CLI::App*> commands = app.get_subcommands({});
  if (argc < 2 || argv[1][0] == '-' || commands.empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : commands) {
    if (command->check_name(argv[1]))
      return refuse_unknown_command(*command, called + " " + argv[1], argc - 1, argv + 1);
    names.push_back(command->get_name());
  }
  throw CommandFailed{{"", fmt::format("unknown command '{}'{}; {} --help lists the commands", argv[1],
                                       did_you_mean(argv[1], names), called)},
                      usage_error};
}

// The arrays of a contact problem are as large in the next step. By itself the C library gives them back to the system
// and gets them again full of zeros, which took a sixth of the time of large scenes.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int most = 1 << 30;
  mallopt(M_MMAP_MAX, 0), mallopt(M_TRIM_THRESHOLD, most), mallopt(M_TOP_PAD, 1 << 26);
#endif
}

int run(int argc, char** argv) {
  CLI::App app("Tendril simulates elastic strands: hair, threads, cables, rods.", "tendril");
  app.set_version_flag("--version", version_text(), "Version, commit, compiler and instruction set");
  app.footer("Example: tendril run examples/shaken-head/scene.toml --out out/shaken-head");
  add_commands(app);
  app.require_subcommand(0,
                         1);  // a word behind a command is an argument of it, even if there is a command of that name
  try {
    if (!rejected_isa_request().empty())
      throw CommandFailed{
          {"TENDRIL_ISA", fmt::format("'{}' is not an instruction set of this machine; the best is '{}'",
                                      rejected_isa_request(), isa_name(best_isa()))},
          usage_error};
    refuse_unknown_command(app, "tendril", argc, argv);
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) fmt::print("{}", app.help());
    return success;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    return complain(usage_error, fmt::format("{} (see tendril --help)", error.what()));
  } catch (const CommandFailed& failed) {
    return complain(failed.code, failed.error.message());
  }
}

}  // namespace
}  // namespace tendril::app

int main(int argc, char** argv) {
  tendril::app::keep_memory();
  try {
    return tendril::app::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return tendril::app::complain(tendril::app::failure, "out of memory");
  } catch (const std::exception& error) {
    return tendril::app::complain(tendril::app::failure, fmt::format("internal error: {}", error.what()));
  } catch (...) {
    return tendril::app::complain(tendril::app::failure, "internal error");
  }
}
