// Nothing passes through anything, however fast and thin: strands over strands, strands over bodies; and every accepted
// step of the contact examples is free of crossings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tendril/collide/continuous.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/contact/geometry.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

Simulation simulation_of(Result<Scene> scene) {
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  Result<Simulation> made = Simulation::create(std::move(scene.value()));
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return std::move(made.value());
}

std::vector<Vector3d> simulated_positions(const Simulation& simulation) {
  StrandGeometry geometry(simulation.world());
  geometry.set_positions(simulation.world(), simulation.state());
  return geometry.positions;
}

// The judge: all pairs of segments, each moved straight from the state before the last step to that after it.
std::size_t crossings_of_last_step(const Simulation& simulation) {
  StrandGeometry geometry(simulation.world());
  geometry.set_positions(simulation.world(), *simulation.last_step().before);
  collide::CrossingSearch search;
  std::vector<collide::StrandCrossing> crossings;
  EXPECT_TRUE(search.find(geometry.polylines(), simulated_positions(simulation), {{0.0, 0.0}, true}, crossings));
  return crossings.size();
}

struct Counted {
  ContactTotals contacts;
  std::size_t crossings = 0;  // by the judge, of whole steps
};

Counted run(Simulation& simulation, int steps) {
  Counted out;
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = simulation.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    if (!taken) break;
    out.contacts += taken.value().contacts;
    if (taken.value().steps == 1) out.crossings += crossings_of_last_step(simulation);
  }
  return out;
}

// A comb of hair that is swept through hanging hair at 6 m/s, 300 diameters per step. Both bend, and slide off.
TEST(FastStrands, DoNotPassThroughEachOther) {
  for (const double speed : {1.0, 6.0}) {
    SCOPED_TRACE(speed);
    Simulation s = simulation_of(parse_scene(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "hanging"
source = {{ generator = "vertical", count = 8, vertices = 17, length = "16 cm", origin = [0, 0, "-3.1 mm"], spacing = [0, 0, "1.1 mm"] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
[[strands]]
name = "comb"
source = {{ generator = "horizontal", count = 8, vertices = 13, length = "6 cm", axis = [0, 0, 1], origin = ["-2 cm", "-7.7 cm", "-3.3 cm"], spacing = ["-1.3 mm", "0.7 mm", 0] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
motion = {{ move = [{}, 0, 0] }}
[contact]
friction = 0.3
)",
                                                         speed),
                                             "scene.toml"));
    const Counted counted = run(s, int(std::ceil(0.2 / speed * 240)));
    EXPECT_EQ(counted.contacts.crossings, 0);
    EXPECT_EQ(counted.crossings, 0u);
    EXPECT_GE(counted.contacts.contacts_max, 8u);
  }
}

// A wire of 1 mm that goes through a free hair at 20 m/s, 80 of its radii per step, takes it along.
TEST(FastBodies, DoNotPassThroughStrands) {
  for (const char* shape :
       {"capsule = \"1 mm\", length = \"10 cm\", axis = [0, 0, 1]",
        "cylinder = \"1 mm\", length = \"10 cm\", axis = [0, 0, 1]", "box = [\"2 mm\", \"2 mm\", \"10 cm\"]"}) {
    SCOPED_TRACE(shape);
    Simulation s = simulation_of(parse_scene(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
source = {{ generator = "vertical", vertices = 12, length = "10 cm", origin = [0, "5.1 cm", 0] }}
material = {{ preset = "human-hair" }}
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "wire"
shape = {{ {}, centre = ["-13 cm", 0, 0] }}
motion = {{ move = [20, 0, 0] }}
)",
                                                         shape),
                                             "scene.toml"));
    const Counted counted = run(s, 4);
    const double wire = -0.13 + 20.0 * s.time();
    double ahead = -1.0;
    for (const Vector3d& x : s.positions()) ahead = std::max(ahead, x.x());
    EXPECT_GT(ahead, wire);
    EXPECT_LT(counted.contacts.penetration_max, 1e-4);
  }
}

}  // namespace
}  // namespace tendril
