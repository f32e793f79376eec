// Frames turned by half a turn at every second edge are the same rod: which curvature measures know that, and what the
// others lose. The rod is 30 vertices along x, 0.3 m long, clamped at the root, gravity along -z.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/rods.hpp"
#include "support/test_data.hpp"

namespace tendril::der {
namespace {

using namespace support;

constexpr std::size_t vertices = 30;

StepOptions downwards() {
  StepOptions options;
  options.gravity = {0.0, 0.0, -9.81};
  return options;
}

Simulation horizontal_rod(Curvature curvature, double bend, double twist, bool flipped) {
  Material material = scene_material(bend);
  material.shear = twist;
  Description d = describe(one(straight_strand(vertices, 0.3, Vector3d::UnitX())), material, {});
  d.curvature = curvature;
  d.rest_curvature.assign(vertices, {});
  d.rest_twist.assign(vertices, 0.0);
  std::vector<double> theta(vertices, 0.0);
  if (flipped)
    for (std::size_t i = 1; i + 1 < vertices; ++i) {
      theta[i] = i % 2 == 1 ? pi : 0.0;
      d.rest_twist[i] = theta[i] - theta[i - 1];
    }
  Simulation s(d);
  EXPECT_TRUE(set_thetas(s.strands, theta, s.state));
  return s;
}

double tip_after_a_second(Curvature curvature, double bend, bool flipped) {
  Simulation s = horizontal_rod(curvature, bend, bend, flipped);
  s.run(downwards(), 240);
  return s.positions().back().z();
}

TEST(FlippedFrames, LeaveFourDAndSlerpedAloneAndTakeAllBendingFromAveraged) {
  for (const Curvature curvature : {Curvature::four, Curvature::slerped}) {
    const double plain = tip_after_a_second(curvature, 1e10, false),
                 flipped = tip_after_a_second(curvature, 1e10, true);
    EXPECT_NEAR(plain, -0.1010, 5e-5);
    EXPECT_NEAR(flipped, plain, 1e-12);
  }
  EXPECT_NEAR(tip_after_a_second(Curvature::averaged, 1e10, false), -0.1010, 5e-5);
  const double limp = tip_after_a_second(Curvature::averaged, 1e10, true);
  EXPECT_NEAR(limp, -0.2209, 5e-5);
  EXPECT_NEAR(tip_after_a_second(Curvature::averaged, 1e9, true), limp, 1e-9);  // whatever the bending modulus
}

// Largest |twist - rest twist| after two seconds of a flipped rod whose tip was pushed to the side.
double twist_after_a_push(Curvature curvature, double bend) {
  Simulation s = horizontal_rod(curvature, bend, 1e9, true);
  std::vector<Vector3d> velocity(vertices, Vector3d::Zero());
  velocity.back().y() = 1e-3;
  EXPECT_TRUE(set_velocities(s.strands, velocity, s.state));
  s.run(downwards(), 480);
  const std::vector<double> theta = s.thetas(), reference = s.reference_twists();
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < vertices; ++i)
    largest = std::max(largest, std::abs(theta[i] - theta[i - 1] + reference[i] - (i % 2 == 1 ? pi : -pi)));
  return largest;
}

// A gradient that is not quite that of the energy drives twist out of nothing: the softer the rod, the more.
TEST(FlippedFrames, AreTwistedByAnApproximatedGradientAlone) {
  for (const double bend : {1e8, 1e9}) {
    const double exact =
        std::max(twist_after_a_push(Curvature::slerped, bend), twist_after_a_push(Curvature::four, bend));
    const double approximate = twist_after_a_push(Curvature::slerped_approximate, bend);
    EXPECT_LT(exact, 1e-7);
    EXPECT_GT(approximate, 1e4 * exact) << approximate << " against " << exact;
  }
}

// The sagging rod of the reference values: its tip after 5, 15, 30 and 60 frames of 4 steps.
TEST(HorizontalRod, FollowsTheReferenceTrajectory) {
  const nlohmann::json data =
      nlohmann::json::parse(std::ifstream(test_data("der-sagfree_direct.json")))["naive_horizontal_tip_per_frame"];
  for (const Isa isa : available_sets()) {
    Description d = describe(one(straight_strand(data["N"], 0.3, Vector3d::UnitX())), scene_material(1e9), {});
    Simulation s(d, {}, isa);
    StepOptions options = downwards();
    options.dt = data["dt"];
    int frame = 0;
    for (std::size_t i = 0; i < data["frames"].size(); ++i) {
      s.run(options, (int(data["frames"][i]) - frame) * int(data["substeps"]));
      frame = data["frames"][i];
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(s.positions().back()[c], data["tip"][i][std::size_t(c)], 1e-9) << "frame " << frame;
    }
  }
}

}  // namespace
}  // namespace tendril::der
