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
// The message of what is wrong with it; empty: nothing is.
std::string error_of(const std::string& text);

}  // namespace tendril::support
