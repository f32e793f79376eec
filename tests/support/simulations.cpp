#include "support/simulations.hpp"

#include <gtest/gtest.h>

#include "tendril/scene/scene.hpp"

namespace tendril::support {

Result<Simulation> try_simulation(const std::string& text, const std::filesystem::path& file) {
  Result<Scene> scene = parse_scene(text, file);
  if (!scene) return scene.error();
  return Simulation::create(std::move(scene.value()));
}

Simulation simulation_of(const std::string& text, const std::filesystem::path& file) {
  Result<Simulation> made = try_simulation(text, file);
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return std::move(made.value());
}

std::string error_of(const std::string& text) {
  const Result<Simulation> made = try_simulation(text);
  return made ? std::string() : made.error().message();
}

}  // namespace tendril::support
