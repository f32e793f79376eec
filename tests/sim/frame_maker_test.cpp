// What frames say beside positions: strain, directors, stiffness, bodies.
#include "tendril/sim/frame_maker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tendril/sim/static_frame.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

Scene scene_of(const std::string& text) {
  Result<Scene> scene = parse_scene(text, "scene.toml");
  EXPECT_TRUE(scene) << scene.error().message();
  return scene.value();
}

const std::vector<float>& floats(const Frame& frame, const char* name) {
  const Channel* channel = frame.channel(name);
  EXPECT_NE(channel, nullptr) << name;
  return std::get<std::vector<float>>(channel->values);
}

struct Filmed {
  World world;
  WorldState state;
  Frame frame, rest;
};
// After `steps` sub-steps, or in equilibrium if the scene is static.
Filmed film(const Scene& scene, int steps) {
  Filmed f;
  f.world = make_world(scene).value();
  f.state = start(f.world);
  WorldWorkspace work;
  LastStep last;
  for (int i = 0; i < steps; ++i) {
    if (scene.run.mode == RunMode::statics) {
      solve_static_frame(f.world, work, f.state);
      continue;
    }
    const SubstepReport taken = substep(f.world, false, true, work, f.state);
    EXPECT_FALSE(taken.stopped);
    last = {&work.before, taken.last_dt};
  }
  GroomScratch scratch;
  const FrameMaker maker(f.world, scene.output.channels);
  f.frame = maker.frame(1, false, f.world, last, f.state, scratch);
  f.rest = maker.rest(f.world);
  return f;
}

const std::string hanging = R"([run]
mode = "static"
frames = 1
[[strands]]
name = "rope"
source = { generator = "vertical", vertices = 11, length = "1 m" }
material = { radius = "1 mm", young = "10 MPa", density = "1000 kg/m3" }
loads = [ { vertex = -1, force = [0, "-2 N", 0] } ]
clamp = "edge"
)";

// Strain of a hanging rope: what hangs below an edge, over EA. Positions in single precision could not tell it.
TEST(FrameMaker, StrainIsTheLoadOverTheStiffness) {
  const Filmed f = film(scene_of(hanging), 1);
  const double area = std::numbers::pi * 1e-6, stiffness = 10e6 * area;
  const std::vector<float>&strain = floats(f.frame, "strain"), &ea = floats(f.rest, "stretch_stiffness");
  ASSERT_EQ(strain.size(), 10u);
  for (std::size_t e = 1; e < strain.size(); ++e) {                       // the first edge is held
    const double below = 1000.0 * area * 0.1 * (9.5 - double(e)) * 9.81;  // lumped at the vertices
    EXPECT_NEAR(ea[e], stiffness, 1e-5 * stiffness);
    EXPECT_NEAR(strain[e] * stiffness, 2.0 + below, 1e-5 * 2.0) << e;
  }
}

TEST(FrameMaker, RestTellsLengthsAndStiffness) {
  const Filmed f = film(scene_of(hanging), 0);
  for (const float l : floats(f.rest, "rest_length")) EXPECT_NEAR(l, 0.1f, 1e-6f);
  for (const float b : floats(f.rest, "bend_stiffness"))
    EXPECT_NEAR(b / (10e6 * std::numbers::pi / 4.0 * 1e-12), 1.0, 1e-5);
  EXPECT_EQ(f.rest.offsets, f.frame.offsets);
}

const std::string curls = R"([run]
frames = 10
[[strands]]
name = "hair"
source = { generator = "curly", count = 60, vertices = 16, length = "25 cm" }
motion = [ { rotate = [0, 1, 0], angle = "40 deg", frequency = "2 Hz", centre = [0, 0, 0] } ]
)";

TEST(FrameMaker, DirectorsAreUnitVectorsAcrossTheirEdges) {
  const Filmed f = film(scene_of(curls), 12);
  const std::vector<float>&m = floats(f.frame, "director"), &x = floats(f.frame, "position");
  std::size_t edge = 0;
  for (std::size_t s = 0; s + 1 < f.frame.offsets.size(); ++s)
    for (std::uint32_t v = f.frame.offsets[s]; v + 1 < f.frame.offsets[s + 1]; ++v, ++edge) {
      const Eigen::Vector3f director(m[3 * edge], m[3 * edge + 1], m[3 * edge + 2]);
      const Eigen::Vector3f along(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1], x[3 * v + 5] - x[3 * v + 2]);
      EXPECT_NEAR(director.norm(), 1.0f, 1e-5f);
      EXPECT_NEAR(director.dot(along.normalized()), 0.0f, 1e-4f);
    }
  EXPECT_EQ(3 * edge, m.size());
}

// Single precision rounds a coordinate by 1e-8 m here, and the strain of an edge by 1e-6.
TEST(FrameMaker, StrainAgreesWithPositionsAsFarAsThoseTell) {
  const Filmed f = film(scene_of(curls), 12);
  const std::vector<float>&strain = floats(f.frame, "strain"), &x = floats(f.frame, "position"),
        &rest = floats(f.rest, "rest_length");
  float largest = 0.0f;
  std::size_t edge = 0;
  for (std::size_t s = 0; s + 1 < f.frame.offsets.size(); ++s)
    for (std::uint32_t v = f.frame.offsets[s]; v + 1 < f.frame.offsets[s + 1]; ++v, ++edge) {
      const Eigen::Vector3f along(x[3 * v + 3] - x[3 * v], x[3 * v + 4] - x[3 * v + 1], x[3 * v + 5] - x[3 * v + 2]);
      EXPECT_NEAR(strain[edge], along.norm() / rest[edge] - 1.0f, 5e-6f);
      largest = std::max(largest, std::abs(strain[edge]));
    }
  EXPECT_GT(largest, 1e-5f) << "something was measured";
}

TEST(FrameMaker, TheHeadGoesWithTheRoots) {
  const Filmed f = film(scene_of(curls), 12);
  const Channel* channel = f.frame.channel("body_pose");
  ASSERT_NE(channel, nullptr);
  const std::vector<double>& pose = std::get<std::vector<double>>(channel->values);
  ASSERT_EQ(pose.size(), 7u);
  const Pose head{{pose[3], pose[4], pose[5], pose[6]}, {pose[0], pose[1], pose[2]}};
  EXPECT_GT(head.rotation.angularDistance(Eigen::Quaterniond::Identity()), 0.02);
  const Curves& groom = f.world.parts[0].groom();  // as it starts, here also as it is drawn
  const std::vector<float>& x = floats(f.frame, "position");
  for (std::size_t s = 0; s < groom.strands(); ++s) {
    const Eigen::Vector3d root = apply(head, groom.points[groom.offsets[s]]);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(x[3 * f.frame.offsets[s] + std::size_t(c)], root[c], 1e-7);
  }
}

TEST(FrameMaker, StrandsThatGuidesCarryHaveNoStrain) {
  const Filmed f = film(scene_of(curls + "guides = 'every 4'\n"), 2);
  const Channel* guide = f.frame.channel("guide");
  ASSERT_NE(guide, nullptr);
  const std::vector<float>&strain = floats(f.frame, "strain"), &director = floats(f.frame, "director");
  for (std::size_t s = 0; s + 1 < f.frame.offsets.size(); ++s) {
    const std::size_t edge = f.frame.offsets[s] - s;
    const bool simulated = std::get<std::vector<std::uint32_t>>(guide->values)[s] == 1;
    EXPECT_EQ(std::isnan(strain[edge]), !simulated) << s;
    EXPECT_EQ(std::isnan(director[3 * edge]), !simulated) << s;
    EXPECT_EQ(std::isnan(floats(f.rest, "bend_stiffness")[f.frame.offsets[s]]), !simulated) << s;
  }
}

TEST(FrameMaker, HasTheChannelsThatWereAskedFor) {
  const Filmed few = film(scene_of(curls + "[output]\nchannels = ['strain']\n"), 0);
  EXPECT_EQ(few.frame.channel("velocity"), nullptr);
  EXPECT_EQ(few.frame.channel("director"), nullptr);
  EXPECT_NE(few.frame.channel("strain"), nullptr);
  EXPECT_NE(few.frame.channel("position"), nullptr);
}

}  // namespace
}  // namespace tendril
