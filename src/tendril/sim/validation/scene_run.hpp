// Benchmarks that are scenes as users write them, stepped in time.
#pragma once

#include <optional>
#include <string>

#include "tendril/sim/simulation.hpp"

namespace tendril::validation {

// Nothing if the scene is not sound: a benchmark then fails.
inline std::optional<Simulation> simulation_of(const std::string& scene) {
  Result<Scene> parsed = parse_scene(scene, "validate.toml");
  if (!parsed) return std::nullopt;
  Result<Simulation> made = Simulation::create(std::move(parsed.value()));
  if (!made) return std::nullopt;
  return std::move(made.value());
}

}  // namespace tendril::validation
