// The world step by step: motions, retries, the clock, checkpoints by copy, and what a step may not do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;
using nlohmann::json;

constexpr const char* two_sets = R"(
[run]
name = "two"
frames = 6
fps = 60
substeps = 4

[[strands]]
name = "hair"
source = { generator = "curly", count = 5, vertices = 12 }
motion = { sine = [0.01, 0, 0], frequency = "4 Hz" }

[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 9, length = "0.3 m" }
material = { preset = "cotton-rope" }
clamp = "point"
)";

Scene scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Result<Scene> parsed = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message());
  return parsed ? parsed.value() : Scene{};
}

World world_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Result<World> world = make_world(scene_of(text, overrides));
  EXPECT_TRUE(world) << (world ? "" : world.error().message());
  return std::move(world.value());
}

class Folder : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() /
                     ("tendril_world_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override {
    fs::remove_all(folder_);
    set_thread_count(0);
  }
  Result<RunReport> run_it(const std::string& text, const std::vector<std::string>& overrides = {}) {
    RunOptions options;
    options.out = folder_;
    options.overwrite = true;
    return run(scene_of(text, overrides), options);
  }
};

// A tip clamp that turns once in a frame winds the rod up by a turn, however few steps there are on the way.
TEST(World, TurnsOfAClampAreCounted) {
  for (const char* mode : {"static", "dynamic"})
    for (const double turns : {0.4, 1.0, 3.0, -2.5}) {
      const World world = world_of(fmt::format(R"(
[run]
frames = 1
fps = 1
substeps = 1
mode = "{}"
[[strands]]
source = {{ generator = "horizontal", vertices = 9, length = "0.3 m" }}
material = {{ preset = "cotton-rope" }}
clamp = {{ root = "edge", tip = "edge" }}
tip_motion = {{ turn = [1, 0, 0], rate = "{} turns/s", ramp = 0 }}
)",
                                               mode, turns));
      const World::Part& part = world.parts[0];
      const WorldState begin = start(world);
      der::Targets targets = part.strands.make_targets();
      DriveScratch work;
      drive(world, 0, {0.0, 1.0, 1.0, 0.0, 1.0}, begin, work, targets);
      const der::Rod rod = der::extract(part.strands, targets, begin.parts[0], 0);
      const double theta =
          rod.holds[std::size_t(rod.hold_of[7] * der::HoldLayout::components + der::HoldLayout::target + 3)];
      EXPECT_NEAR(theta, 2.0 * std::numbers::pi * turns, 1e-9) << mode;
    }
}

// The section of a strip turns with the pose that its set starts from.
TEST(World, DirectorsAreThoseOfTheScene) {
  const World world = world_of(R"(
[run]
duration = "0.1 s"
[[strands]]
source = { generator = "horizontal", vertices = 5, length = "0.3 m" }
material = { preset = "cotton-rope", aspect = 0.2 }
director = [0, 3, 0]
[[strands]]
name = "turned"
source = { points = [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]] }
material = { preset = "cotton-rope", aspect = 0.2 }
director = [0, 3, 0]
motion = { turn = [1, 0, 0], rate = "90 deg/s", start = "-1 s", duration = "1 s", ramp = "0 s" }
)");
  std::vector<Eigen::Vector3d> directors(8);
  const auto first = [&](std::size_t part) {
    der::gather_directors(world.parts[part].strands, start(world).parts[part], directors);
    return directors[0];
  };
  EXPECT_NEAR((first(0) - Eigen::Vector3d::UnitY()).norm(), 0.0, 1e-15);
  EXPECT_NEAR((first(1) - Eigen::Vector3d::UnitZ()).norm(), 0.0, 1e-15);
}

TEST(World, TakesEverySetAndCountsThem) {
  const World world = world_of(two_sets);
  ASSERT_EQ(world.parts.size(), 2u);
  EXPECT_EQ(world.strand_count(), 6u);
  EXPECT_EQ(world.vertex_count(), 69u);
  EXPECT_EQ(world.parts[1].strands.clamps(0).root, der::Clamp::point);
}

// Four sub-steps make a frame exactly, and the roots are where the motion has them at that time.
TEST(World, ClockAndMotionsKeepTime) {
  const World world = world_of(two_sets);
  WorldState state = start(world);
  WorldWorkspace work;
  std::vector<Vector3d> x(60);
  const std::vector<Vector3d> drawn = world.parts[0].strands.description().curves.points;
  for (int i = 1; i <= 40; ++i) {
    ASSERT_FALSE(substep(world, false, false, work, state).stopped);
    EXPECT_EQ(state.clock.ticks, i * Clock::ticks_per_substep);
    gather_positions(world.parts[0].strands, state.parts[0], x);
    const Pose pose = world.parts[0].settings.root_motion.at(i / 240.0);
    for (std::size_t s = 0; s < 5; ++s)
      EXPECT_LT((x[12 * s] - apply(pose, drawn[12 * s])).norm(), 1e-15) << "sub-step " << i;
  }
}

TEST(World, FrozenKeepsMotionsAndClockAtTheirStart) {
  const World world = world_of(two_sets);
  WorldState state = start(world);
  WorldWorkspace work;
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(substep(world, true, false, work, state).stopped);
  EXPECT_EQ(state.clock.ticks, 0);
  std::vector<Vector3d> x(60), rope(9);
  gather_positions(world.parts[0].strands, state.parts[0], x);
  gather_positions(world.parts[1].strands, state.parts[1], rope);
  EXPECT_EQ(x[0], world.parts[0].strands.description().curves.points[0]);
  EXPECT_LT(rope[8].y(), -0.01);  // it sags all the same
}

// A copy of the state is a checkpoint, and the workspace may be thrown away between any two steps.
TEST(World, GoesOnFromACopyWithTheSameBits) {
  for (const char* integrator : {"run.integrator='euler'", "run.integrator='bdf2'"})
    for (const char* newton : {"run.newton=1", "run.newton='converge'"}) {
      const World world = world_of(two_sets, {integrator, newton});
      WorldState state = start(world), copy;
      WorldWorkspace work;
      for (int i = 0; i < 12; ++i) {
        if (i == 5) copy = state;
        ASSERT_FALSE(substep(world, false, false, work, state).stopped);
      }
      for (int i = 5; i < 12; ++i) {
        WorldWorkspace fresh;
        ASSERT_FALSE(substep(world, false, i % 2 == 0, fresh, copy).stopped);
      }
      EXPECT_EQ(hash(world, copy), hash(world, state));
      EXPECT_EQ(copy.clock.ticks, state.clock.ticks);
    }
}

// The edges of a root that turns by 165 degrees in a step cannot follow; in two halves they can.
TEST(World, HalvesAStepThatFailsAndTakesAllOfItsTime) {
  const World world = world_of(two_sets, {"strands.0.motion={ turn = [0, 0, 1], rate = '39600 deg/s' }"});
  WorldState state = start(world);
  WorldWorkspace work;
  const SubstepReport report = substep(world, false, false, work, state);
  EXPECT_FALSE(report.stopped);
  EXPECT_GE(report.failed, 1);
  EXPECT_GE(report.steps, report.failed + 2);
  EXPECT_EQ(state.clock.ticks, Clock::ticks_per_substep);
}

// So fast that positions cannot be told apart: every halving fails, and the state is as it was.
TEST(World, StopsWhereNoStepSucceedsAndLeavesTheState) {
  const World world = world_of(two_sets, {"strands.0.motion={ move = [1e21, 1e21, 1e21] }"});
  WorldState state = start(world);
  const std::uint64_t before = hash(world, state);
  WorldWorkspace work;
  const SubstepReport report = substep(world, false, false, work, state);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.failed, 11);  // 1024 ticks, 512, ... 1
  EXPECT_EQ(hash(world, state), before);
  EXPECT_EQ(state.clock.ticks, 0);
  EXPECT_EQ(report.last.set, "hair");
  EXPECT_EQ(report.last.message(), "hair, strand 0, vertex 0: a position or velocity is not a finite number");
}

TEST_F(Folder, StopsCleanlyWithAMessageAndItsFramesSoFar) {
  const Result<RunReport> report =
      run_it(two_sets, {"strands.0.motion={ move = [1e21, 1e21, 1e21], start = '0.04 s' }"});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().stopped.substr(0, 3), "at ");
  EXPECT_NE(report.value().stopped.find("hair, strand 0, vertex 0: a position or velocity is not a finite number"),
            std::string::npos);
  const json out = json::parse(to_json(report.value()));
  EXPECT_EQ(out["outcome"], "stopped");
  EXPECT_EQ(out["stopped"], report.value().stopped);
  EXPECT_EQ(out["frames"], 3);  // frames 1 to 3 are before 0.04 s
  EXPECT_TRUE(read_frame(folder_ / frame_name(3)));
  EXPECT_FALSE(fs::exists(folder_ / frame_name(4)));
  EXPECT_EQ(json::parse(std::ifstream(folder_ / "cache.json"))["last_frame"], 3);
}

// Chains say why: in the report, its notes and the log, after a pause too.
TEST_F(Folder, TellsWhyStepsStayedAboveTolerance) {
  const char* const pulled = R"(
[run]
frames = 6
fps = 24
substeps = 2
[[strands]]
name = "rope"
source = { points = [[[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[0, 0, 1], [0.1, 0.05, 1], [0.2, 0, 1]]] }
model = "chain"
clamp = { root = "point", tip = "point" }
tip_motion = { move = ["10 cm/s", 0, 0], ramp = 0 }
)";
  const std::string why = "held points are farther apart than the links between them are long";
  const auto check = [&](const RunReport& report) {
    const json out = json::parse(to_json(report));
    ASSERT_FALSE(out["strand_troubles"].empty());
    std::int64_t steps = 0;
    for (const json& trouble : out["strand_troubles"]) {
      EXPECT_EQ(trouble["set"], "rope");
      steps += trouble["count"].get<std::int64_t>();
      if (trouble["status"] != "overstretched") continue;
      EXPECT_EQ(trouble["why"], why);
      EXPECT_EQ(trouble["first_strand"], 0);
      EXPECT_GT(trouble["first_time"].get<double>(), 0.0);
      EXPECT_LT(trouble["first_time"].get<double>(), 0.05);
    }
    EXPECT_GE(steps, report.usable_steps);
    const auto notes = out["notes"].get<std::vector<std::string>>();
    EXPECT_EQ(std::ranges::count_if(notes, [&](const std::string& note) { return note.find(why) != note.npos; }), 1);
  };
  const Result<RunReport> report = run_it(pulled);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GT(report.value().usable_steps, 0);
  check(report.value());
  std::ifstream file(folder_ / "run.log");
  const std::string log(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(log.find("rope, strand 0, first at "), std::string::npos);
  EXPECT_NE(log.find(why), std::string::npos);

  RunOptions options;
  options.out = folder_, options.overwrite = true, options.frames = std::pair(1, 4);
  ASSERT_TRUE(run(scene_of(pulled), options));
  options = {}, options.out = folder_, options.resume = true;
  const Result<RunReport> resumed = run(scene_of(pulled), options);
  ASSERT_TRUE(resumed) << resumed.error().message();
  check(resumed.value());
  EXPECT_EQ(json::parse(to_json(resumed.value()))["strand_troubles"],
            json::parse(to_json(report.value()))["strand_troubles"]);
}

TEST_F(Folder, FramesHoldTheStateInSinglePrecision) {
  const Scene scene = scene_of(two_sets);
  ASSERT_TRUE(run_it(two_sets));
  const World world = make_world(scene).value();
  WorldState state = start(world);
  WorldWorkspace work;
  for (int i = 0; i < 24; ++i) ASSERT_FALSE(substep(world, false, false, work, state).stopped);
  const Frame frame = read_frame(folder_ / frame_name(7)).value();
  EXPECT_EQ(frame.offsets, (std::vector<std::uint32_t>{0, 12, 24, 36, 48, 60, 69}));
  EXPECT_EQ(frame.flags, 0u);
  const auto& position = std::get<std::vector<float>>(frame.channel("position")->values);
  const auto& velocity = std::get<std::vector<float>>(frame.channel("velocity")->values);
  const auto& radius = std::get<std::vector<float>>(frame.channel("radius")->values);
  ASSERT_EQ(position.size(), 3u * 69);
  EXPECT_EQ(radius[0], 40e-6f);
  EXPECT_EQ(radius[68], 3e-3f);
  std::vector<Vector3d> x(60), v(9);
  gather_positions(world.parts[0].strands, state.parts[0], x);
  gather_velocities(world.parts[1].strands, state.parts[1], v);
  for (std::size_t i = 0; i < 60; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(position[3 * i + std::size_t(c)], float(x[i][c]));
  for (std::size_t i = 0; i < 9; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(velocity[3 * (60 + i) + std::size_t(c)], float(v[i][c]));
}

// Steps that may not be above tolerance: the run ends, and says which strand was.
TEST_F(Folder, EndsAtTheFirstStepAboveToleranceIfAskedTo) {
  const Result<RunReport> report =
      run_it(two_sets, {"run.newton='converge'", "run.tolerance=1e-14", "run.on_tolerance='stop'",
                        "strands.0.motion={ sine = [0.1, 0, 0], frequency = '20 Hz' }"});
  ASSERT_TRUE(report) << report.error().message();
  if (report.value().usable_steps > 0) {
    EXPECT_NE(report.value().stopped.find("the residual stayed above the tolerance"), std::string::npos);
  } else {
    EXPECT_TRUE(report.value().stopped.empty());
  }
}

TEST_F(Folder, ReportsResidualAndStretchOfWhatItDid) {
  const json once = json::parse(to_json(run_it(two_sets).value()));
  const json converged = json::parse(to_json(run_it(two_sets, {"run.newton='converge'"}).value()));
  EXPECT_GT(double(once["force_residual_max"]), 1e-3);
  EXPECT_LT(double(converged["force_residual_max"]), 1e-4);
  EXPECT_LT(double(converged["stretch_max"]), double(once["stretch_max"]));
  EXPECT_GT(int(converged["newton_iterations_max"]), 1);
  EXPECT_EQ(once["newton_iterations_max"], 1);
  EXPECT_EQ(once["outcome"], "finished");
  EXPECT_EQ(once["frame_records"][0]["energy_kinetic"], 0.0);
  EXPECT_GT(double(once["frame_records"][6]["energy_kinetic"]), 0.0);
  EXPECT_NEAR(once["frame_records"][6]["time"], 0.1, 1e-12);
}

// A static run drives its clamps from frame to frame and solves each: at the last the clamp has turned by 90 degrees.
TEST_F(Folder, StaticFramesFollowTheMotion) {
  const std::string text = R"(
[run]
mode = "static"
frames = 4
fps = 4
[[strands]]
name = "rod"
source = { generator = "horizontal", vertices = 21, length = "0.2 m" }
material = { radius = "1 mm", young = "100 MPa", poisson = 0.3, density = "1000 kg/m3" }
clamp = "point"
motion = { turn = [0, 1, 0], rate = "90 deg/s" }
)";
  const Result<RunReport> report = run_it(text);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().frames.size(), 5u);
  EXPECT_EQ(report.value().statics->strands, 4u);  // one in each frame
  EXPECT_EQ(report.value().statics->converged, 4u);
  std::vector<float> radius, height;
  for (int frame = 2; frame <= 5; ++frame) {
    const Frame read = read_frame(folder_ / frame_name(frame)).value();
    const auto& x = std::get<std::vector<float>>(read.channel("position")->values);
    radius.push_back(std::hypot(x[60], x[62])), height.push_back(x[61]);
    const float angle = 0.125f * 3.14159265f * float(frame - 1);  // a quarter turn in four frames
    EXPECT_NEAR(x[60], radius.back() * std::cos(angle), 1e-6f);
    EXPECT_NEAR(x[62], -radius.back() * std::sin(angle), 1e-6f);
  }
  for (int i = 1; i < 4; ++i) {
    EXPECT_NEAR(radius[std::size_t(i)], radius[0], 1e-6f);
    EXPECT_NEAR(height[std::size_t(i)], height[0], 1e-6f);
  }
  EXPECT_LT(height[0], -0.005f);
}

TEST_F(Folder, PrerollComesBeforeTheFirstFrame) {
  ASSERT_TRUE(run_it(two_sets, {"run.preroll='0.5 s'", "run.frames=1"}));
  const Frame first = read_frame(folder_ / frame_name(1)).value();
  EXPECT_EQ(first.time, 0.0);
  EXPECT_LT(std::get<std::vector<float>>(first.channel("position")->values)[3 * 68 + 1], -0.02f);
}

TEST_F(Folder, EveryNthFrameIsWritten) {
  ASSERT_TRUE(run_it(std::string(two_sets) + "[output]\nevery = 3\n"));
  for (int frame = 1; frame <= 7; ++frame)
    EXPECT_EQ(fs::exists(folder_ / frame_name(frame)), frame == 1 || frame == 4 || frame == 7) << frame;
}

}  // namespace
}  // namespace tendril
