// Simulations of scenes that tests write out.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::support {

Result<Simulation> try_simulation(const std::string& text, const std::filesystem::path& file = "scene.toml");
// Fails the test if there is none.
Simulation simulation_of(const std::string& text, const std::filesystem::path& file = "scene.toml");
// Fails the test at the first step that cannot be done.
void take(Simulation& simulation, int steps);
// Likewise, with what contact did in them all.
ContactTotals run_steps(Simulation& simulation, int steps);
// A set of chains by the name of rope: a source, more keys in [run], of the strands and after them, and of the
// material.
std::string rope_scene(const std::string& source, const std::string& run, const std::string& keys,
                       const std::string& material = "");
// A body in a scene that no strand comes near to: with it chains go the general path in place of lanes.
constexpr const char* far_ball =
    "[contact]\n[[colliders]]\nname = \"far\"\nshape = { sphere = \"1 cm\", centre = [9, 9, 9] }\n";
// Fails the test unless the scene, saved to a file after some steps and loaded, goes on with the same bits.
void expect_to_go_on(const std::string& text, int steps, const std::filesystem::path& file);
// The message of what is wrong with it; empty: nothing is.
std::string error_of(const std::string& text);

}  // namespace tendril::support
