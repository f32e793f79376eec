// What of a scene can be changed while it is simulated, and going back to its start.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.hpp"
#include "tendril/sim/frame_maker.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

const std::string hair = R"(
[run]
frames = 6
substeps = 2
preroll = "0.05 s"
air = { density = 1.2 }
wind = [0.5, 0, 0]
[[strands]]
name = "hair"
guides = "every 2"
source = { generator = "horizontal", count = 5, vertices = 9, length = "0.1 m" }
material = { preset = "human-hair", damping = "2 ms", radius = "0.2 mm" }
)";

const std::string light_rod = R"(
[run]
mode = "static"
gravity = [0, -0.02, 0]
[[strands]]
name = "rod"
source = { generator = "horizontal", vertices = 21, length = "0.2 m" }
material = { radius = "0.5 mm", young = "3 GPa", shear = "1 GPa", density = 1300 }
)";

Simulation simulation_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Result<Scene> scene = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  return std::move(Simulation::create(scene.value()).value());
}

void step(Simulation& simulation, int count) {
  for (int i = 0; i < count; ++i) ASSERT_TRUE(simulation.step());
}

std::vector<std::byte> frame_of(const Simulation& s) {
  const FrameMaker maker(s.world(), {"velocity", "strain", "director"});
  GroomScratch scratch;
  return encode_frame(maker.frame(1, false, s.world(), s.last_step(), s.state(), scratch), "frame").value();
}

double sag(const Simulation& s) { return s.positions().front().y() - s.positions().back().y(); }

TEST(SimulationControls, TheScenesOwnValuesChangeNoBit) {
  for (const char* integrator : {"run.integrator=euler", "run.integrator=bdf2"}) {
    Simulation plain = simulation_of(hair, {integrator}), set = simulation_of(hair, {integrator});
    ASSERT_TRUE(set.set_gravity({0.0, -9.81, 0.0}));
    ASSERT_TRUE(set.set_wind({0.5, 0.0, 0.0}));
    ASSERT_TRUE(set.scale_stiffness(3.0));
    ASSERT_TRUE(set.scale_stiffness(1.0));
    ASSERT_TRUE(set.set_damping(0.0));
    ASSERT_TRUE(set.set_damping(0.002));
    step(plain, 9), step(set, 9);
    EXPECT_EQ(plain.hash(), set.hash());
  }
}

// Curls of many directions: what is recomputed differs in the last bits.
TEST(SimulationControls, StiffnessAndDampingComeBackToTheBit) {
  const std::string curls = R"(
[run]
frames = 6
[[strands]]
name = "hair"
source = { generator = "curly", count = 20, vertices = 20 }
material = { preset = "human-hair", damping = "3 ms" }
[[strands]]
name = "rods"
source = { generator = "horizontal", count = 2, vertices = 9, length = "0.1 m" }
clamp = "point"
)";
  Simulation plain = simulation_of(curls), set = simulation_of(curls);
  ASSERT_TRUE(set.scale_stiffness(3.7));
  ASSERT_TRUE(set.set_damping(0.5));
  step(set, 2);
  ASSERT_TRUE(set.scale_stiffness(1.0));
  ASSERT_TRUE(set.set_damping(std::nullopt));
  set.reset();
  step(plain, 8), step(set, 8);
  EXPECT_EQ(plain.hash(), set.hash());
}

TEST(SimulationControls, TwiceTheStiffnessHalvesASmallSag) {
  Simulation s = simulation_of(light_rod);
  step(s, 1);
  const double once = sag(s);
  ASSERT_GT(once, 0.0);
  ASSERT_LT(once, 1e-4);
  ASSERT_TRUE(s.scale_stiffness(2.0));
  step(s, 1);
  EXPECT_NEAR(sag(s), once / 2.0, 1e-6 * once);
  ASSERT_TRUE(s.scale_stiffness(0.5));
  step(s, 1);
  EXPECT_NEAR(sag(s), once * 2.0, 1e-6 * once);
}

// EA, too: the pull of its weight lengthens a hanging rod.
TEST(SimulationControls, TwiceTheStiffnessHalvesTheStretch) {
  Simulation s = simulation_of(light_rod, {"strands.0.source={ generator = 'vertical', vertices = 21, length = 0.2 }",
                                           "run.gravity=[0, -9.81, 0]"});
  step(s, 1);
  const double once = sag(s) - 0.2;
  ASSERT_GT(once, 0.0);
  ASSERT_TRUE(s.scale_stiffness(2.0));
  step(s, 1);
  EXPECT_NEAR(sag(s) - 0.2, once / 2.0, 1e-5 * once);
}

TEST(SimulationControls, WithoutGravityAStraightRodStaysStraight) {
  Simulation s = simulation_of(light_rod, {"run.mode=dynamic", "run.frames=10"});
  const std::vector<Vector3d> drawn = s.positions();
  ASSERT_TRUE(s.set_gravity(Vector3d::Zero()));
  step(s, 10);
  EXPECT_EQ(s.positions(), drawn);
  ASSERT_TRUE(s.set_gravity({0.0, 0.02, 0.0}));
  step(s, 10);
  EXPECT_LT(sag(s), 0.0);  // it falls upwards
}

TEST(SimulationControls, WindBlowsWhereThereIsAir) {
  Simulation s = simulation_of(hair, {"run.gravity=[0, 0, 0]", "run.wind=[0, 0, 0]", "run.preroll=0"});
  step(s, 4);
  const Vector3d calm = s.positions()[8];
  ASSERT_TRUE(s.set_wind({0.0, 0.0, 3.0}));
  step(s, 4);
  EXPECT_GT(s.positions()[8].z(), calm.z() + 1e-6);
  EXPECT_FALSE(simulation_of(light_rod).set_wind({1.0, 0.0, 0.0}));
}

TEST(SimulationControls, DampingTakesEnergy) {
  const auto energy_after = [](double damping) {
    Simulation s = simulation_of(hair, {"run.wind=[0, 0, 0]"});
    EXPECT_TRUE(s.set_damping(damping));
    step(s, 4);
    return s.energies().kinetic;
  };
  EXPECT_LT(energy_after(0.5), 0.9 * energy_after(0.0));
}

TEST(SimulationControls, ResetGivesTheFirstFrameAgainBitForBit) {
  for (const std::string& text : {hair, light_rod}) {
    Simulation s = simulation_of(text);
    const std::vector<std::byte> first = frame_of(s);
    step(s, 5);
    const std::uint64_t fifth = s.hash();
    ASSERT_TRUE(s.set_pose(s.world().parts[0].settings.name, {Eigen::Quaterniond::Identity(), {0.01, 0.0, 0.0}}));
    step(s, 2);
    EXPECT_NE(frame_of(s), first);
    s.reset();
    EXPECT_EQ(frame_of(s), first);
    EXPECT_EQ(s.frame(), 1);
    EXPECT_EQ(s.residuals().force, 0.0);
    step(s, 5);
    EXPECT_EQ(s.hash(), fifth);
  }
}

using SimulationControlsFolder = support::TemporaryFolder;
TEST_F(SimulationControlsFolder, ResetOfALoadedSimulationGoesBackToTheFile) {
  Simulation s = simulation_of(hair);
  step(s, 3);
  ASSERT_TRUE(s.save(folder / "state.h5"));
  Simulation loaded = std::move(Simulation::load(folder / "state.h5").value());
  step(loaded, 2);
  loaded.reset();
  EXPECT_EQ(loaded.hash(), s.hash());
  EXPECT_EQ(loaded.time(), s.time());
}

TEST(SimulationControls, AReleasedPoseGivesTheMotionBack) {
  const std::string moving = hair + "motion = { move = [0.2, 0, 0] }\n";
  Simulation s = simulation_of(moving, {"run.preroll=0"}), plain = simulation_of(moving, {"run.preroll=0"});
  const double dt = s.world().run.dt();
  ASSERT_TRUE(s.set_pose("hair", {Eigen::Quaterniond::Identity(), {0.2 * dt, 0.0, 0.0}}));
  step(s, 1), step(plain, 1);
  ASSERT_TRUE(s.release_pose("hair"));
  step(s, 4), step(plain, 4);
  EXPECT_LT((s.positions()[0] - plain.positions()[0]).norm(), 1e-15);
  EXPECT_FALSE(s.release_pose("har"));
}

TEST(SimulationControls, NumbersOutOfRangeAreRefused) {
  Simulation s = simulation_of(hair);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(s.set_gravity({0.0, infinity, 0.0}));
  EXPECT_FALSE(s.set_wind({0.0, std::nan(""), 0.0}));
  for (const double factor : {0.0, -1.0, std::nan(""), infinity}) EXPECT_FALSE(s.scale_stiffness(factor));
  for (const double seconds : {-1.0, std::nan(""), infinity}) EXPECT_FALSE(s.set_damping(seconds));
}

TEST(SimulationControls, ResidualsAreThoseOfTheLastStep) {
  Simulation s = simulation_of(light_rod);
  EXPECT_EQ(s.residuals().force, 0.0);
  step(s, 1);
  EXPECT_LT(s.residuals().force, 1e-8);
  Simulation moving = simulation_of(hair, {"run.newton=converge"});
  step(moving, 2);
  EXPECT_GT(moving.residuals().stretch, 0.0);
  EXPECT_LT(moving.residuals().force, 1e-6);
}

}  // namespace
}  // namespace tendril
