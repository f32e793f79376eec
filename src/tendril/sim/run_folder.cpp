#include "tendril/sim/run_folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <vector>

#include "tendril/base/build_info.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/linalg/isa.hpp"
#include "tendril/sim/checkpoint.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {

namespace {

// A run that was killed may leave files that it had just begun (io/atomic_file.hpp).
void remove_unfinished_files(const std::filesystem::path& folder) {
  std::error_code fault;
  std::vector<std::filesystem::path> unfinished;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, fault))
    if (entry.path().extension() == ".part") unfinished.push_back(entry.path());
  for (const std::filesystem::path& path : unfinished) std::filesystem::remove(path, fault);
}

}  // namespace

Status RunFolder::begin(const Scene& scene, bool resumed, int frame) {
  std::error_code fault;
  std::filesystem::create_directories(checkpoint_path(path_, 1).parent_path(), fault);
  if (fault) return Error{path_.string(), fmt::format("cannot make a folder in it: {}", fault.message())};
  remove_unfinished_files(path_), remove_unfinished_files(checkpoint_path(path_, 1).parent_path());
  if (!resumed) remove_old_checkpoints(path_, 0), std::filesystem::remove_all(path_ / "probes", fault);
  std::filesystem::remove(path_ / "report.json", fault);  // it is of the run before
  const std::string text = fmt::format(
      "# The scene {} as it was run, overrides included. Files that it names are sought beside the original.\n{}",
      scene.run.name, scene.text);
  if (Status status = write_file(path_ / "scene.toml", text); !status) return status;
  log(resumed ? fmt::format("resumed after frame {}", frame) : "begun");
  log(fmt::format("tendril {} ({}), instruction set {}, scene {}", version(), commit(), active_isa_name(),
                  hash_text(scene.hash)));
  return ok();
}

Status RunFolder::finish(const RunReport& report) {
  for (const std::string& note : report.notes) log(note);
  log(report.stopped.empty() ? fmt::format("finished: {} frames, {} steps, hash {}", report.frames.size(), report.steps,
                                           hash_text(report.hash))
                             : "stopped: " + report.stopped);
  return write_file(path_ / "report.json", to_json(report));
}

void RunFolder::log(const std::string& line) const {
  const std::time_t now = std::time(nullptr);
  std::ofstream(path_ / "run.log", std::ios::app)
      << fmt::format("{:%Y-%m-%d %H:%M:%S}  {}\n", fmt::localtime(now), line);
}

}  // namespace tendril
