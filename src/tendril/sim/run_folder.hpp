// The folder of a run: scene.toml as it was used, the cache (frames and cache.json), checkpoints/, report.json and
// run.log.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/scene/scene.hpp"

namespace tendril {

struct RunReport;

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const { return path_; }

  // The folder exists already. Checkpoints of an earlier run go, unless this one resumes it.
  Status begin(const Scene& scene, bool resumed, int frame);
  Status finish(const RunReport& report);
  void log(const std::string& line) const;  // with the time of day; a log that cannot be written stops nothing

 private:
  std::filesystem::path path_;
};

}  // namespace tendril
