// tendril view: a page on this machine that plays a run, compares two, or shows a simulation as it goes.
#include <fmt/format.h>
#include <semaphore.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/serve/server.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;

struct ViewCommand {
  std::vector<std::string> paths, overrides;
  std::string live, up, report;
  int port = 0, threads = -1;
  double scale = 0.0;
  bool quiet = false;
};

// What ends the server: a signal, or its own failure. The first signal ends it in order, the second one the program.
sem_t end_wanted;

void prepare_for_signals() {
  sem_init(&end_wanted, 0, 0);
  struct sigaction action {};
  action.sa_handler = [](int) { sem_post(&end_wanted); };
  action.sa_flags = int(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

void wait_for_end() {
  while (sem_wait(&end_wanted) != 0 && errno == EINTR) continue;
}

// The page that goes with this program: of TENDRIL_PAGE, of the installation, or of the source tree.
fs::path page_folder() {
  if (const char* folder = std::getenv("TENDRIL_PAGE"); folder != nullptr && *folder != '\0') return folder;
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  const fs::path installed = program.parent_path().parent_path() / "share/tendril/viewer";
  if (fs::exists(installed, fault)) return installed;
#ifdef TENDRIL_PAGE_DIR
  return TENDRIL_PAGE_DIR;
#else
  return installed;
#endif
}

void check(const ViewCommand& command) {
  const auto refuse = [](const char* where, const char* what) { throw CommandFailed{{where, what}, usage_error}; };
  if (command.live.empty() && command.paths.empty()) refuse("view", "give the folder of a run, or --live SCENE");
  if (!command.live.empty() && !command.paths.empty())
    refuse("--live", "shows a scene as it is simulated; leave out the runs, or --live");
  if (command.live.empty() && !command.overrides.empty()) refuse("--set", "changes a scene; it goes with --live");
}

void add_runs(const ViewCommand& command, serve::Site& site) {
  RecordingOptions options;
  if (command.scale > 0.0) options.scale = command.scale;
  if (!command.up.empty()) options.up = command.up == "Z" ? UpAxis::z : UpAxis::y;
  for (const std::string& path : command.paths) site.runs.push_back(or_fail(serve::open_run(path, options)));
}

void add_live(const ViewCommand& command, serve::Site& site) {
  Scene scene = or_fail(read_scene(command.live, command.overrides));
  if (command.threads >= 0) scene.run.threads = command.threads;
  set_thread_count(scene.run.threads);
  std::unique_ptr<serve::Live> live = or_fail(serve::Live::start(std::move(scene), command.live));
  site.live = live.get();
  site.runs.push_back(std::move(live));
}

void view(const ViewCommand& command) {
  check(command);
  serve::Site site;
  site.page = or_fail(serve::PageFiles::open(page_folder()));
  if (command.live.empty())
    add_runs(command, site);
  else
    add_live(command, site);
  const std::unique_ptr<serve::Server> server =
      or_fail(serve::Server::open(std::move(site), std::uint16_t(command.port)));
  if (!command.quiet) fmt::print("{}  (Ctrl-C ends)\n", server->address());
  std::fflush(stdout);
  prepare_for_signals();
  Status answered = ok();
  std::thread answering([&] {
    answered = server->run();
    sem_post(&end_wanted);
  });
  wait_for_end();
  server->stop();
  answering.join();
  or_fail(answered);
  const serve::ServerCounts counts = server->counts();
  const nlohmann::json report = {{"command", "view"},
                                 {"address", server->address()},
                                 {"requests", counts.requests},
                                 {"refused", counts.refused},
                                 {"bytes", counts.bytes}};
  if (!command.report.empty()) or_fail(write_file(command.report, report.dump(2) + "\n"));
}

}  // namespace

void add_view_command(CLI::App& app) {
  auto options = std::make_shared<ViewCommand>();
  CLI::App* command = app.add_subcommand("view", "Show a run, two runs or a simulation as it goes in the browser");
  command->footer("Example: tendril view out/shaken-head");
  command->add_option("runs", options->paths, "The folder of a run, a frame or a groom file; two are compared")
      ->expected(0, 2);
  command->add_option("--live", options->live, "Simulate this scene (TOML) while it is watched");
  command->add_option("--port", options->port, "Port on this machine; 0 = any free one")
      ->check(CLI::Range(0, 0) | CLI::Range(1024, 65535));
  command
      ->add_option("--set", options->overrides, "Override a key of the live scene: --set run.gravity=\"[0, -1.6, 0]\"")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--scale", options->scale, "Of a groom file: metres per unit")->check(CLI::PositiveNumber);
  command->add_option("--up", options->up, "Of a groom file: the axis that points up")
      ->check(CLI::IsMember({"Y", "Z"}));
  command->add_option("--threads", options->threads, "Threads of a live scene; 0 = one per core")
      ->check(CLI::Range(0, 1024));
  command->add_option("--report", options->report, "Write counts of requests to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { view(*options); });
}

}  // namespace tendril::app
