// How often in a step is looked for strands inside bodies: as often as what is near a body asks for.
#include "tendril/sim/contact/dives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tendril/scene/scene.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

World two_rods() {
  const Result<Scene> scene = parse_scene(R"(
[run]
duration = "1 s"

[[strands]]
name = "near"
source = { points = [[[-0.5, 0, 0], [-0.2, 0, 0], [0.2, 0, 0], [0.5, 0, 0]]] }
material = { preset = "rod-steel" }

[[strands]]
name = "far"
source = { points = [[[100, 0, 0], [100.5, 0, 0], [101, 0, 0], [101.5, 0, 0]]] }
material = { preset = "rod-steel" }
)",
                                          "rods.toml");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  Result<World> world = make_world(scene.value());
  EXPECT_TRUE(world) << (world ? "" : world.error().message());
  return std::move(world.value());
}

std::vector<Dive> dives_of(const collide::Body& ball, const Vector3d& way) {
  const World world = two_rods();
  StrandGeometry geometry(world);
  geometry.set_positions(world, start(world));
  std::vector<Vector3d> ends = geometry.positions;
  for (Vector3d& end : ends) end += way;
  collide::Clearances clearances;
  DiveSearch search;
  std::vector<Dive> dives;
  EXPECT_TRUE(search.find(geometry, ends, way.norm(), std::span(&ball, 1), {}, clearances, dives));
  return dives;
}

TEST(Dives, AreLookedForOnceWhereABodyTurnsFarFromOtherStrands) {
  collide::Body ball{collide::Sphere{0.3}, {}, {}, {}};
  ball.end.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.2, Vector3d::UnitY()));  // 20 m, at the strand that is far
  const std::vector<Dive> dives = dives_of(ball, Vector3d::Zero());
  EXPECT_FALSE(dives.empty());
  EXPECT_TRUE(std::ranges::all_of(dives, [](const Dive& dive) { return dive.time == 1.0; }));
}

TEST(Dives, AreFoundOnTheWayOfWhatGoesThrough) {
  collide::Body ball{collide::Sphere{0.3}, {}, {}, {}};
  ball.start.translation = {0.0, -1.0, 0.0}, ball.end.translation = {0.0, 1.0, 0.0};
  const std::vector<Dive> dives = dives_of(ball, Vector3d::Zero());
  EXPECT_TRUE(std::ranges::any_of(dives, [](const Dive& dive) { return dive.time > 0.3 && dive.time < 0.7; }));
}

TEST(Dives, AreFoundWhereTheTurnAloneLeadsThrough) {
  collide::Body arm{collide::Sphere{0.1}, {}, {}, {}};  // on an arm of 2 m about the z axis, over the rod
  const Eigen::AngleAxisd up(0.3, Vector3d::UnitZ()), down(-0.3, Vector3d::UnitZ());
  arm.start = {Eigen::Quaterniond(up), Vector3d(-2.0, 0.0, 0.0) + up * Vector3d(2.0, 0.0, 0.0)};
  arm.end = {Eigen::Quaterniond(down), Vector3d(-2.0, 0.0, 0.0) + down * Vector3d(2.0, 0.0, 0.0)};
  const std::vector<Dive> dives = dives_of(arm, Vector3d::Zero());
  EXPECT_FALSE(dives.empty());
}

}  // namespace
}  // namespace tendril
