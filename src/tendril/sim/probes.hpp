// Probes: what a scene asks to be measured in every frame, as a row of numbers each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/tensions.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// Names with units, "time [s]" first; measure() gives a number for each.
std::vector<std::string> probe_columns(const ProbeSettings& probe);
std::vector<double> measure(const World& world, const ProbeSettings& probe, const LastStep& last,
                            const WorldState& state, GroomScratch& scratch, FoundTensions& tensions);

// probes/NAME.csv in the folder of a run.
std::filesystem::path probe_path(const std::filesystem::path& run, const ProbeSettings& probe);

}  // namespace tendril
