// Probes: what a scene asks to be measured in every frame, as a row of numbers each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// Names with units, "time [s]" first; measure() gives a number for each.
std::vector<std::string> probe_columns(const ProbeSettings& probe);
std::vector<double> measure(const World& world, const ProbeSettings& probe, const LastStep& last,
                            const WorldState& state, GroomScratch& scratch);

// probes/NAME.csv in the folder of a run: a header line, then a line per frame, each written at once. The file of a run
// that was cut short may end within a line; who resumes the run drops that, and what came after its checkpoint.
class ProbeFile {
 public:
  // Keeps the lines of frames up to `last_kept`; 0: begins anew.
  static Result<ProbeFile> open(const std::filesystem::path& run, const ProbeSettings& probe, int last_kept);
  Status append(int frame, const std::vector<double>& values) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tendril
