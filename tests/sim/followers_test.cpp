// Strands that guides carry.
#include "tendril/sim/followers.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/temporary_folder.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/run.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

const std::string head = R"(
[run]
frames = 10
substeps = 2
[[strands]]
name = "hair"
source = { generator = "curly", count = 60, vertices = 16 }
motion = { sine = [0.03, 0, 0], frequency = "3 Hz" }
)";

Scene scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Result<Scene> scene = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  return scene ? scene.value() : Scene{};
}
World world_of(const std::vector<std::string>& overrides, const std::string& text = head) {
  Result<World> world = make_world(scene_of(text, overrides));
  EXPECT_TRUE(world) << (world ? "" : world.error().message());
  return std::move(world.value());
}
std::vector<Vector3d> groom_of(const World& world, const WorldState& state) {
  std::vector<Vector3d> out(world.groom_vertex_count());
  GroomScratch scratch;
  gather_groom(world, 0, state, scratch, out);
  return out;
}
WorldState stepped(const World& world, int substeps) {
  WorldState state = start(world);
  WorldWorkspace work;
  for (int i = 0; i < substeps; ++i) EXPECT_FALSE(substep(world, false, false, work, state).stopped);
  return state;
}

TEST(Followers, StartWhereTheyWereDrawn) {
  const World plain = world_of({});
  const std::vector<Vector3d> drawn = groom_of(plain, start(plain));
  for (const char* guides : {"strands.0.guides=every 7", "strands.0.guides=5", "strands.0.guides=1"}) {
    const World world = world_of({guides});
    EXPECT_LT(world.strand_count(), 60u);
    EXPECT_EQ(world.groom_strand_count(), 60u);
    const std::vector<Vector3d> carried = groom_of(world, start(world));
    for (std::size_t v = 0; v < drawn.size(); ++v) EXPECT_LT((carried[v] - drawn[v]).norm(), 1e-12) << guides << v;
  }
}

TEST(Followers, GoRigidlyWithGuidesThatDo) {
  const World world = world_of({"strands.0.guides=every 7"});
  WorldState state = start(world);
  const std::vector<Vector3d> drawn = groom_of(world, state);
  const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(1.2, Vector3d(1, 2, -1).normalized())), {0.3, -0.1, 0.2}};
  std::vector<Vector3d> guides = world.parts[0].strands.description().curves.points;
  for (Vector3d& p : guides) p = apply(pose, p);
  const Followers& followers = *world.parts[0].followers;
  GuidePose now{guides, {}};
  std::vector<Vector3d> directors(guides.size());
  der::gather_directors(world.parts[0].strands, state.parts[0], directors);
  for (const Vector3d& d : directors) now.directors.push_back(pose.rotation * d);
  FollowerScratch scratch;
  std::vector<Vector3d> out(drawn.size());
  followers.carry(now, {}, scratch, out);
  for (std::size_t v = 0; v < out.size(); ++v) EXPECT_LT((out[v] - apply(pose, drawn[v])).norm(), 1e-12);
}

TEST(Followers, KeepTheirLengthAndAreTheSameForAnyThreadCount) {
  const World world = world_of({"strands.0.guides=every 7"});
  const Curves& groom = world.parts[0].groom();
  const WorldState state = stepped(world, 12);
  set_thread_count(1);
  const std::vector<Vector3d> x = groom_of(world, state);
  for (std::size_t s = 0; s < groom.strands(); ++s)
    for (std::size_t v = groom.offsets[s]; v + 1 < groom.offsets[s + 1]; ++v) {
      const double drawn = (groom.points[v + 1] - groom.points[v]).norm();
      EXPECT_NEAR((x[v + 1] - x[v]).norm(), drawn, 0.02 * drawn);  // what the guides themselves stretch
    }
  for (const int threads : {2, 3}) {
    set_thread_count(threads);
    EXPECT_EQ(groom_of(world, state), x);
  }
  set_thread_count(0);
}

// A follower between guides that move alike is where it would be by itself, or nearly: it is like them.
TEST(Followers, MoveLikeTheSimulatedStrands) {
  const World all = world_of({}), some = world_of({"strands.0.guides=every 3"});
  const std::vector<Vector3d> x = groom_of(all, stepped(all, 8)), y = groom_of(some, stepped(some, 8));
  double moved = 0.0, off = 0.0;
  for (std::size_t v = 0; v < x.size(); ++v)
    moved += (x[v] - all.parts[0].groom().points[v]).norm(), off += (x[v] - y[v]).norm();
  EXPECT_LT(off, 0.5 * moved);
}

TEST(Followers, OfAllStrandsArePlainBitForBit) {
  const World plain = world_of({});
  const WorldState state = stepped(plain, 6);
  for (const char* guides : {"strands.0.guides=all", "strands.0.guides=every 1", "strands.0.guides=60"}) {
    const World world = world_of({guides});
    EXPECT_FALSE(world.parts[0].followers);
    EXPECT_EQ(hash(world, stepped(world, 6)), hash(plain, state));
  }
}

TEST(Followers, HoldsAndLoadsNeedAGuide) {
  const std::string held = head + "loads = { strand = 3, force = [0, 1e-6, 0] }\n";
  EXPECT_TRUE(make_world(scene_of(held)));
  const Result<World> refused = make_world(scene_of(held, {"strands.0.guides=every 7"}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("strand 3 is not a guide"), std::string::npos);
  EXPECT_TRUE(make_world(scene_of(held, {"strands.0.guides=every 3"})));
}

class FollowersOnDisk : public support::TemporaryFolder {};

TEST_F(FollowersOnDisk, FileAndAttributeChooseTheGuides) {
  Groom groom;
  groom.curves = make_groom(scene_of(head).strands[0].source, 1).curves;
  groom.metres_per_unit = 1.0;
  groom.attributes = {{"guide", false, 1, std::vector<double>(60, 0.0)}};
  for (std::size_t s = 0; s < 60; s += 20) groom.attributes[0].values[s] = 1.0;
  ASSERT_TRUE(write_groom(folder / "groom.usda", groom));
  Groom guides;
  guides.curves = selected_curves(groom.curves, {0, 20, 40});
  ASSERT_TRUE(write_groom(folder / "guides.usda", guides));
  const auto state_of = [&](const std::string& choice) {
    const std::string text = "[run]\nframes = 3\n[[strands]]\nsource = { file = \"groom.usda\" }\nguides = \"" +
                             choice + "\"\nmotion = { sine = [0.03, 0, 0], frequency = \"3 Hz\" }\n";
    Result<Scene> scene = parse_scene(text, folder / "scene.toml");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
    World world = std::move(make_world(scene.value()).value());
    EXPECT_EQ(world.strand_count(), 3u);
    return groom_of(world, stepped(world, 12));
  };
  const std::vector<Vector3d> by_attribute = state_of("guide"), by_file = state_of("guides.usda");
  ASSERT_EQ(by_attribute.size(), by_file.size());
  for (std::size_t v = 0; v < by_file.size(); ++v) EXPECT_LT((by_attribute[v] - by_file[v]).norm(), 1e-9);
}

TEST_F(FollowersOnDisk, TheWholeGroomIsInTheCacheWithItsBindings) {
  RunOptions options;
  options.out = folder / "run";
  const RunReport report = run(scene_of(head, {"strands.0.guides=every 7", "run.substeps=1"}), options).value();
  EXPECT_EQ(report.strands, 9u);
  EXPECT_EQ(report.groom_strands, 60u);
  const Frame first = read_frame(options.out / frame_name(1)).value(),
              last = read_frame(options.out / frame_name(11)).value();
  EXPECT_EQ(first.offsets.size(), 61u);
  const auto& guide = std::get<std::vector<std::uint32_t>>(first.channel("guide")->values);
  EXPECT_EQ(guide[7], 1u);
  EXPECT_EQ(guide[8], 0u);
  const auto& closest = std::get<std::vector<std::uint32_t>>(first.channel("closest_guides")->values);
  for (const std::uint32_t g : closest) EXPECT_EQ(g % 7, 0u);
  const auto& weights = std::get<std::vector<float>>(first.channel("guide_weights")->values);
  for (std::size_t s = 0; s < 60; ++s) EXPECT_NEAR(weights[3 * s] + weights[3 * s + 1] + weights[3 * s + 2], 1.0, 1e-6);
  // Velocities of what is carried: positions of the frames before and after differ by about that much.
  const Frame before = read_frame(options.out / frame_name(10)).value();
  const auto numbers = [](const Frame& f, const char* name) {
    return std::get<std::vector<float>>(f.channel(name)->values);
  };
  const auto x = numbers(before, "position"), y = numbers(last, "position"), v = numbers(last, "velocity");
  double difference = 0.0, way = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    difference += std::abs(y[i] - x[i] - v[i] / 60.0f), way += std::abs(y[i] - x[i]);
  EXPECT_LT(difference, 1e-3 * way);
}

}  // namespace
}  // namespace tendril
