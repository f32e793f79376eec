#include "support/simulations.hpp"

#include <fmt/format.h>
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

void take(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = simulation.step();
    ASSERT_TRUE(taken) << taken.error().message();
  }
}

ContactTotals run_steps(Simulation& simulation, int steps) {
  ContactTotals totals;
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = simulation.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    if (!taken) break;
    totals += taken.value().contacts;
  }
  return totals;
}

std::string rope_scene(const std::string& source, const std::string& run, const std::string& keys,
                       const std::string& material) {
  return fmt::format(R"(
[run]
duration = "2 s"
fps = 60
substeps = 4
{}
[[strands]]
name = "rope"
source = {{ {} }}
model = "chain"
material = {{ radius = "2 mm", young = "1 MPa", poisson = 0.3, density = "1000 kg/m3"{} }}
{}
)",
                     run, source, material, keys);
}

void expect_to_go_on(const std::string& text, int steps, const std::filesystem::path& file) {
  Simulation s = simulation_of(text);
  take(s, steps);
  ASSERT_TRUE(s.save(file));
  take(s, steps);
  Result<Simulation> loaded = Simulation::load(file);
  ASSERT_TRUE(loaded) << loaded.error().message();
  take(loaded.value(), steps);
  EXPECT_EQ(loaded.value().hash(), s.hash()) << text;
}

std::string error_of(const std::string& text) {
  const Result<Simulation> made = try_simulation(text);
  return made ? std::string() : made.error().message();
}

}  // namespace tendril::support
