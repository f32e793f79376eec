// What a scene chooses about contact does what it says: friction along strands and by pairs, no friction at all, no
// contact between strands, how overlaps are pushed out, friction that is changed as it goes; and what contact forces
// say in probes and frames.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/simulations.hpp"
#include "support/temporary_folder.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::run_steps;
using support::simulation_of;

// Ropes of 20 cm side by side on a level plane; `pull` [m/s2] acts along it.
std::string ropes_on_ground(const Vector3d& pull, const std::string& sets, const std::string& contact) {
  return fmt::format(R"(
[run]
duration = "2 s"
fps = 60
substeps = 4
gravity = [{}, -9.81, {}]
{}
[contact]
tolerance = 1e-8
{}
[[colliders]]
name = "ground"
shape = {{ plane = true }}
)",
                     pull.x(), pull.z(), sets, contact);
}

std::string rope(const std::string& name, double z, const std::string& more = "") {
  return fmt::format(R"(
[[strands]]
name = "{}"
source = {{ generator = "horizontal", vertices = 11, length = "20 cm", origin = [0, "1 mm", {}] }}
material = {{ preset = "cotton-rope", radius = "1 mm" }}
clamp = "free"
{}
)",
                     name, z, more);
}

// A pull across the rope at a third of what friction holds: the end with a factor of 0 swings round, the other stays
// where it was.
TEST(FrictionFactor, OfNothingAtTheTipLetsTheTipSlide) {
  for (const bool at_tip : {true, false}) {
    SCOPED_TRACE(at_tip ? "tip" : "root");
    const std::string factor =
        at_tip ? "friction_factor = { root = 1, tip = 0 }" : "friction_factor = { root = 0, tip = 1 }";
    Simulation s = simulation_of(ropes_on_ground({0, 0, 2.0}, rope("rope", 0.0, factor), "friction = 0.6"));
    run_steps(s, 48);
    const std::vector<Vector3d> x = s.positions();
    const double root = x.front().z(), tip = x.back().z();
    EXPECT_GT(at_tip ? tip : root, 5e-3);
    EXPECT_LT(std::abs(at_tip ? root : tip), 1e-6);
  }
  Simulation held = simulation_of(ropes_on_ground({0, 0, 2.0}, rope("rope", 0.0), "friction = 0.6"));
  run_steps(held, 48);
  for (const Vector3d& x : held.positions()) EXPECT_LT(std::abs(x.z()), 1e-9);
}

// Of two ropes on one ground, pulled along by 2 m/s2, that with less friction slides as Coulomb's law has it.
TEST(FrictionByPairs, HoldsOneAndLetsTheOtherSlide) {
  Simulation s = simulation_of(ropes_on_ground({2.0, 0, 0}, rope("rough", 0.0) + rope("smooth", 0.05),
                                               "friction = { default = 0.5, \"ground/smooth\" = 0.1 }"));
  run_steps(s, 120);
  const std::vector<Vector3d> x = s.positions();
  const double t = 0.5, dt = 1.0 / 240.0, a = 2.0 - 0.1 * 9.81;
  EXPECT_LT(std::abs(x[0].x()), 1e-9);
  EXPECT_NEAR(x[11].x() / (0.5 * a * t * (t + dt)), 1.0, 1e-3);
}

// Without friction nothing holds it, and forces are normal to the ground and carry the weight.
TEST(Frictionless, RopesSlideAndAreCarriedAllTheSame) {
  Simulation s = simulation_of(ropes_on_ground({2.0, 0, 0}, rope("rope", 0.0), "law = \"frictionless\""));
  run_steps(s, 120);
  const double t = 0.5, dt = 1.0 / 240.0;
  EXPECT_NEAR(s.positions()[0].x() / (0.5 * 2.0 * t * (t + dt)), 1.0, 1e-6);
  Vector3d sum = Vector3d::Zero();
  double mass = 0.0;
  for (const Vector3d& force : s.contact_forces()) sum += force;
  for (const double m : s.world().parts[0].strands.masses()) mass += m;
  EXPECT_NEAR(sum.y(), 9.81 * mass, 1e-5 * mass);
  EXPECT_LT(std::hypot(sum.x(), sum.z()), 1e-12 * mass);
}

// The same fall with and without: through the other rope, or onto it; the ground keeps both in either case.
TEST(BetweenStrands, FalseMeansBodiesOnly) {
  for (const bool meets : {true, false}) {
    SCOPED_TRACE(meets);
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "lower"
source = {{ points = [[[-0.1, 0.05, 0], [-0.05, 0.05, 0], [0, 0.05, 0], [0.05, 0.05, 0], [0.1, 0.05, 0]]] }}
material = {{ preset = "cotton-rope", radius = "1 mm" }}
clamp = {{ root = "edge", tip = "edge" }}
[[strands]]
name = "upper"
source = {{ points = [[[0.013, 0.07, -0.1], [0.013, 0.07, -0.05], [0.013, 0.07, 0], [0.013, 0.07, 0.05], [0.013, 0.07, 0.1]]] }}
material = {{ preset = "cotton-rope", radius = "1 mm" }}
clamp = "free"
[contact]
between_strands = {}
[[colliders]]
name = "ground"
shape = {{ plane = true }}
)",
                                             meets));
    run_steps(s, 100);
    const double middle = s.positions()[7].y();
    if (meets)
      EXPECT_GT(middle, 0.03);
    else
      EXPECT_NEAR(middle, 1e-3, 1e-4);  // on the ground
  }
}

// A rod 4 mm deep comes out by Eq. 5 of docs/theory/coupling.md: at v_push as long as that is the least, then by
// e^-t/tau.
TEST(Pushes, TakeTheTimeAndTheSpeedOfTheScene) {
  struct Push {
    double time, speed;  // [s], [m/s]
  };
  for (const Push push : {Push{0.05, 0.02}, Push{0.02, 0.05}, Push{0.1, 0.5}}) {
    SCOPED_TRACE(fmt::format("{} s, {} m/s", push.time, push.speed));
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
source = {{ generator = "horizontal", vertices = 5, length = "10 cm", origin = [0, "-3 mm", 0] }}
material = {{ preset = "cotton-rope", radius = "1 mm" }}
clamp = "free"
[contact]
tolerance = 1e-9
push_time = {}
push_speed = {}
[[colliders]]
name = "ground"
shape = {{ plane = true }}
)",
                                             push.time, push.speed));
    const double dt = 1.0 / 240.0;
    const auto shallower = [&](double depth, double share) {
      return depth - share * dt * std::min(depth / push.time, push.speed);
    };
    double full = 4e-3, half = full;  // by Eq. 5 step by step; a solver may be content with half of a push
    for (int i = 0; i < 48; ++i) {
      run_steps(s, 1);
      full = shallower(full, 1.0), half = shallower(half, 0.5);
      double mean = 0.0;
      for (const Vector3d& x : s.positions()) mean += (1e-3 - x.y()) / 5.0;
      ASSERT_GE(mean, 0.99 * full) << i;
      ASSERT_LE(mean, half) << i;
    }
  }
}

// Friction that is taken away lets go what it held, and what is given back stops it.
TEST(FrictionOfALiveScene, IsScaledInMotion) {
  Simulation s = simulation_of(ropes_on_ground({2.0, 0, 0}, rope("rope", 0.0), "friction = 0.3"));
  run_steps(s, 24);
  EXPECT_LT(std::abs(s.positions()[0].x()), 1e-9);
  ASSERT_TRUE(s.scale_friction(0.0));
  run_steps(s, 24);
  const double free = s.velocities()[0].x();
  EXPECT_NEAR(free, 0.2, 1e-6);
  ASSERT_TRUE(s.scale_friction(2.0));  // of the scene's, not of what it was: 0.6
  run_steps(s, 6);
  EXPECT_NEAR(s.velocities()[0].x(), free + (2.0 - 0.6 * 9.81) * 6.0 / 240.0, 1e-4);
  run_steps(s, 60);
  EXPECT_LT(std::abs(s.velocities()[0].x()), 1e-9);
  EXPECT_FALSE(s.scale_friction(-1.0));
  Simulation smooth = simulation_of(ropes_on_ground({2.0, 0, 0}, rope("rope", 0.0), "law = \"frictionless\""));
  EXPECT_FALSE(smooth.scale_friction(2.0));
}

// What the ground carries is the weight: in the probe, in the frames of the cache, and of one vertex its share.
using ContactForces = support::TemporaryFolder;
TEST_F(ContactForces, AreTheWeightInProbesAndFrames) {
  const std::string probes = R"(
[[probes]]
name = "all"
kind = "contact-force"
[[probes]]
name = "middle"
kind = "contact-force"
vertex = 5
)";
  std::string text = ropes_on_ground({1.0, 0, 0}, rope("rope", 0.0), "friction = 0.5") + probes;
  text.replace(text.find("duration = \"2 s\""), 16, "duration = \"0.2 s\"\nnewton = \"converge\"");
  Simulation s = simulation_of(text);
  run_steps(s, 48);
  double mass = 0.0;
  for (const double m : s.world().parts[0].strands.masses()) mass += m;
  const std::vector<double> all = s.probe("all").value(), middle = s.probe("middle").value();
  EXPECT_NEAR(all[1], -1.0 * mass, 1e-4 * mass);  // friction stands against the pull
  EXPECT_NEAR(all[2], 9.81 * mass, 1e-4 * mass);
  EXPECT_FLOAT_EQ(float(middle[2]), float(s.contact_forces()[5].y()));

  Result<Scene> scene = parse_scene(text, "scene.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  RunOptions options;
  options.out = folder / "run";
  ASSERT_TRUE(run(scene.value(), options));
  const Result<Frame> frame = read_frame(options.out / frame_name(13));
  ASSERT_TRUE(frame) << frame.error().message();
  const Channel* channel = frame.value().channel("contact_force");
  ASSERT_NE(channel, nullptr);
  const auto& values = std::get<std::vector<float>>(channel->values);
  ASSERT_EQ(values.size(), 33u);
  double up = 0.0;
  for (std::size_t v = 0; v < 11; ++v) up += double(values[3 * v + 1]);
  EXPECT_NEAR(up, 9.81 * mass, 1e-4 * mass);
}

}  // namespace
}  // namespace tendril
