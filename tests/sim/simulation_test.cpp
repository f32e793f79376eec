// A scene stepped by its user: poses, wrenches, saving; and what runs write beside frames.
#include "tendril/sim/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::TemporaryFolder;

const std::string cable = R"(
[run]
frames = 12
substeps = 2
[[strands]]
name = "cable"
source = { generator = "horizontal", vertices = 12, length = "0.3 m" }
material = { preset = "cotton-rope" }
[[probes]]
name = "clamp"
kind = "clamp"
[[probes]]
name = "tip"
kind = "path"
[[probes]]
name = "pull"
kind = "tension"
[[probes]]
name = "bend"
kind = "bend-radius"
[[probes]]
name = "moment"
kind = "moment"
vertex = 3
)";

Scene scene_of(const std::vector<std::string>& overrides = {}, const std::string& text = cable) {
  Result<Scene> scene = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  return scene ? scene.value() : Scene{};
}
Simulation simulation_of(const std::vector<std::string>& overrides = {}, const std::string& text = cable) {
  return std::move(Simulation::create(scene_of(overrides, text)).value());
}

class SimulationTest : public TemporaryFolder {
 protected:
  Result<RunReport> go(const Scene& scene, bool resume = false, std::int64_t interrupt_after = -1) {
    RunOptions options;
    options.out = folder / "run";
    options.resume = resume;
    std::int64_t taken = 0;
    if (interrupt_after >= 0) options.interrupted = [&] { return ++taken >= interrupt_after; };
    return run(scene, options);
  }
};

TEST_F(SimulationTest, IsTheRunBitForBit) {
  Simulation s = simulation_of();
  EXPECT_EQ(s.frame(), 1);
  while (!s.done()) ASSERT_TRUE(s.step());
  EXPECT_EQ(s.frame(), 13);
  EXPECT_EQ(s.hash(), go(scene_of()).value().hash);
}

TEST_F(SimulationTest, SavedAndLoadedGoesOnBitForBit) {
  for (const char* integrator : {"run.integrator=euler", "run.integrator=bdf2"}) {
    Simulation s = simulation_of({integrator});
    ASSERT_TRUE(s.set_pose("cable", {Eigen::Quaterniond(Eigen::AngleAxisd(0.3, Vector3d::UnitY())), {0.0, 0.1, 0.0}}));
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(s.step());
    ASSERT_TRUE(s.set_pose("cable", {Eigen::Quaterniond::Identity(), {0.01, 0.0, 0.0}}));  // not reached yet
    ASSERT_TRUE(s.save(folder / "state.h5"));
    Result<Simulation> loaded = Simulation::load(folder / "state.h5");
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded.value().time(), s.time());
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(s.step());
      ASSERT_TRUE(loaded.value().step());
    }
    EXPECT_EQ(loaded.value().hash(), s.hash());
  }
  EXPECT_FALSE(Simulation::load(folder / "none.h5"));
  ASSERT_TRUE(write_file(folder / "bad.h5", std::string("nonsense")));
  EXPECT_FALSE(Simulation::load(folder / "bad.h5"));
}

TEST_F(SimulationTest, ACheckpointOfARunIsLoaded) {
  ASSERT_TRUE(go(scene_of(), false, 9));
  Simulation s = std::move(Simulation::load(folder / "run/checkpoints/checkpoint_0005.h5").value());
  while (!s.done()) ASSERT_TRUE(s.step());
  Simulation whole = simulation_of();
  while (!whole.done()) ASSERT_TRUE(whole.step());
  EXPECT_EQ(s.hash(), whole.hash());
}

TEST_F(SimulationTest, APoseIsReachedInOneStepHoweverFarItTurns) {
  Simulation s = simulation_of({"run.gravity=[0, 0, 0]"});
  const std::vector<Vector3d> drawn = s.positions();
  for (const double angle : {0.4, 2.5, -2.0}) {
    const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d(1, 1, 0).normalized())), {0.0, angle, 0.0}};
    ASSERT_TRUE(s.set_pose("cable", pose));
    ASSERT_TRUE(s.step());
    EXPECT_LT((s.positions()[0] - apply(pose, drawn[0])).norm(), 1e-14);
    const Vector3d root = s.positions()[0];
    ASSERT_TRUE(s.step());
    EXPECT_EQ(s.positions()[0], root);
  }
  EXPECT_FALSE(s.set_pose("cabel", {}));
  EXPECT_NE(s.set_pose("cabel", {}).error().message().find("did you mean 'cable'"), std::string::npos);
  EXPECT_FALSE(s.set_pose("cable", {Eigen::Quaterniond::Identity(), {std::nan(""), 0, 0}}));
}

TEST_F(SimulationTest, PosesAreLikeAMotionOfTheScene) {
  const std::string moving = cable.substr(0, cable.find("[[probes]]")) + "motion = { move = [0.2, 0, 0] }\n";
  Simulation by_scene = simulation_of({}, moving), by_pose = simulation_of();
  for (int i = 1; i <= 10; ++i) {
    ASSERT_TRUE(
        by_pose.set_pose("cable", {Eigen::Quaterniond::Identity(), {0.2 * i * by_pose.world().run.dt(), 0, 0}}));
    ASSERT_TRUE(by_scene.step());
    ASSERT_TRUE(by_pose.step());
    for (std::size_t v = 0; v < 12; ++v) EXPECT_LT((by_scene.positions()[v] - by_pose.positions()[v]).norm(), 1e-12);
  }
}

TEST_F(SimulationTest, AWrenchActsInOneStepAndIsFelt) {
  Simulation s = simulation_of({"run.mode=static"});
  const Vector3d force(0.0, 0.01, 0.02), moment(0.001, 0.002, -0.001);
  ASSERT_TRUE(s.apply_wrench({"cable", 0, -1, force, moment}));
  ASSERT_TRUE(s.step());
  const Vector3d bent = s.positions()[11];
  ASSERT_TRUE(s.step());
  EXPECT_GT((s.positions()[11] - bent).norm(), 1e-4);  // gone
  const Simulation plain = [] {
    Simulation p = simulation_of({"run.mode=static"});
    EXPECT_TRUE(p.step());
    return p;
  }();
  EXPECT_LT((s.positions()[11] - plain.positions()[11]).norm(), 1e-9);
  EXPECT_FALSE(s.apply_wrench({"cable", 1, -1, force, moment}));
  EXPECT_FALSE(s.apply_wrench({"cable", 0, 12, force, moment}));
  EXPECT_FALSE(s.apply_wrench({"cable", 0, -13, force, moment}));
  EXPECT_FALSE(s.apply_wrench({"cable", 0, 0, {std::numeric_limits<double>::infinity(), 0, 0}, moment}));
}

TEST_F(SimulationTest, AfterAStepThatStoppedAllCanBeAsked) {
  std::string strands;  // zigzags that a turn by 2 rad in a long step leaves above the tolerance
  for (int s = 0; s < 4; ++s) {
    strands += s == 0 ? "[" : ", [";
    for (int i = 0; i < 60; ++i)
      strands += fmt::format("{}[{}, {}, {}]", i == 0 ? "" : ", ", 0.002 * i, 0.0002 * (i % 2), 0.01 * s);
    strands += "]";
  }
  Simulation s =
      simulation_of({},
                    "[run]\nframes = 20\nsubsteps = 1\nfps = 10\nnewton = \"converge\"\ntolerance = 1e-14\n"
                    "on_tolerance = \"stop\"\n[[strands]]\nname = \"h\"\nguides = \"every 3\"\nclamp = \"edge\"\n"
                    "source = { points = [" +
                        strands + "] }\n");
  ASSERT_TRUE(s.set_pose("h", {Eigen::Quaterniond(Eigen::AngleAxisd(2.0, Vector3d::UnitZ())), {0.1, 0.0, 0.0}}));
  EXPECT_FALSE(s.step());
  for (const Vector3d& v : s.velocities()) EXPECT_EQ(v.norm(), 0.0);
  for (const Vector3d& x : s.positions()) EXPECT_TRUE(x.allFinite());
}

TEST_F(SimulationTest, AWrenchThatCannotBeLoadedIsForgotten) {
  Simulation s = simulation_of();
  ASSERT_TRUE(s.apply_wrench({"cable", 0, -1, Vector3d::Zero(), {0.0, 0.0, 1e308}}));
  EXPECT_FALSE(s.step());
  EXPECT_TRUE(s.step());
}

TEST_F(SimulationTest, ClampsThatShareAVertexCannotBeMoved) {
  const std::string shortest =
      "[run]\nframes = 3\n[[strands]]\nname = 'rod'\nsource = { points = [[0, 0, 0], [1, 0, 0]] }\n"
      "clamp = { root = 'edge', tip = 'edge' }\n";
  EXPECT_NE(simulation_of({}, shortest).set_pose("rod", {}).error().message().find("moving clamps"), std::string::npos);
}

// A moment at the tip bends a straight rod without weight to a circle: curvature M / EI.
TEST_F(SimulationTest, AMomentBendsToACircle) {
  Simulation s = simulation_of({"run.mode=static", "run.gravity=[0, 0, 0]"});
  const der::Description& d = s.world().parts[0].strands.description();
  const double stiffness = d.bend_modulus[1] * std::numbers::pi / 4.0 * std::pow(d.semi_axis1[0], 4);
  for (int i = 0; i < 6; ++i) {  // the couple is a dead load: it is set anew until it stands across the last edge
    ASSERT_TRUE(s.apply_wrench({"cable", 0, -1, Vector3d::Zero(), {0.0, 0.0, stiffness * 1.0}}));
    ASSERT_TRUE(s.step());
  }
  const std::vector<double> row = s.probe("bend").value();
  EXPECT_NEAR(row[1], 1.0, 0.02);
}

TEST_F(SimulationTest, ProbesMeasure) {
  Simulation s = simulation_of({"run.mode=static"});
  ASSERT_TRUE(s.step());
  const der::Reactions r = s.reactions("cable").value()[0];
  const std::vector<double> clamp = s.probe("clamp").value(), pull = s.probe("pull").value(),
                            tip = s.probe("tip").value(), moment = s.probe("moment").value();
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(clamp[std::size_t(1 + c)], r.root.force[c]);
    EXPECT_EQ(clamp[std::size_t(4 + c)], r.root.moment[c]);
    EXPECT_EQ(tip[std::size_t(1 + c)], s.positions()[11][c]);
    EXPECT_EQ(moment[std::size_t(1 + c)], r.moment[3][c]);
  }
  double weight = 0.0;
  for (const double m : s.world().parts[0].strands.masses()) weight += m * 9.81;
  EXPECT_NEAR(clamp[2], weight, 1e-9 * weight);
  for (const double t : r.tension) EXPECT_LE(std::abs(t), std::abs(pull[1]));
  EXPECT_FALSE(s.probe("none"));
}

TEST_F(SimulationTest, ProbeFilesSurviveResume) {
  const Scene scene = scene_of({"output.start_frame=1001"});
  ASSERT_TRUE(go(scene));
  const std::string whole = read_text(folder / "run/probes/clamp.csv").value();
  EXPECT_TRUE(whole.starts_with("frame,time [s],fx [N]"));
  EXPECT_NE(whole.find("\n1001,0,"), std::string::npos);
  EXPECT_NE(whole.find("\n1013,"), std::string::npos);
  std::filesystem::remove_all(folder / "run");
  ASSERT_TRUE(go(scene, false, 11));
  std::string cut = read_text(folder / "run/probes/clamp.csv").value();
  ASSERT_TRUE(write_file(folder / "run/probes/clamp.csv", cut + "1009,0.5,1,2"));  // what a kill left
  ASSERT_TRUE(go(scene, true));
  EXPECT_EQ(read_text(folder / "run/probes/clamp.csv").value(), whole);
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / frame_name(1013)));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / frame_name(1)));
}

TEST_F(SimulationTest, TheShutterClosesBetweenFrames) {
  const Scene fine = scene_of({"run.substeps=1", "run.fps=120", "run.frames=24"}),
              scene = scene_of({"output.shutter=0.5"});
  ASSERT_TRUE(go(fine));
  std::filesystem::rename(folder / "run", folder / "fine");
  const RunReport report = go(scene).value();
  const auto positions = [](const std::filesystem::path& path) {
    return std::get<std::vector<float>>(read_frame(path).value().channel("position")->values);
  };
  for (const int frame : {1, 2, 12, 13}) {
    if (frame <= 12) {
      EXPECT_EQ(positions(folder / "run" / shutter_name(frame)), positions(folder / "fine" / frame_name(2 * frame)));
    }
    EXPECT_EQ(positions(folder / "run" / frame_name(frame)), positions(folder / "fine" / frame_name(2 * frame - 1)));
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / shutter_name(13)));
  EXPECT_EQ(report.hash, go(scene_of(), true).value().hash);  // and leaves no trace
  const CurveSequence cache = open_cache(folder / "run").value();
  EXPECT_EQ(cache.shutter, 0.5);
}

TEST_F(SimulationTest, TwoRunsDoNotShareAFolder) {
  const Scene scene = scene_of();
  RunOptions options;
  options.out = folder / "run";
  bool tried = false;
  options.progress = [&](int, int, double) {
    if (std::exchange(tried, true)) return;
    RunOptions other;
    other.out = options.out, other.overwrite = true;
    const Result<RunReport> refused = run(scene, other);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("another run is writing"), std::string::npos);
  };
  ASSERT_TRUE(run(scene, options));
  EXPECT_EQ(frame_numbers(options.out).size(), 13u);
  options.overwrite = true;
  ASSERT_TRUE(run(scene, options));  // once it has ended
}

TEST_F(SimulationTest, FrameRangesUseTheNumbersThatUsersSee) {
  RunOptions options;
  options.out = folder / "run";
  options.frames = {1003, 1005};
  const RunReport report = run(scene_of({"output.start_frame=1001"}), options).value();
  EXPECT_EQ(report.frames_written, 3u);
  EXPECT_EQ(frame_numbers(options.out), (std::vector<int>{1003, 1004, 1005}));
  options.frames = {1, 5};
  options.overwrite = true;
  EXPECT_NE(run(scene_of({"output.start_frame=1001"}), options).error().message().find("there are 1001 to 1013"),
            std::string::npos);
}

TEST_F(SimulationTest, ANumberThatIsNotFiniteIsNamed) {
  World world = std::move(make_world(scene_of()).value());
  WorldState state = start(world);
  std::vector<Vector3d> velocities(12, Vector3d::Zero());
  velocities[7].y() = 1e200;
  ASSERT_TRUE(der::set_velocities(world.parts[0].strands, velocities, state.parts[0]));
  WorldWorkspace work;
  const SubstepReport report = substep(world, false, false, work, state);
  ASSERT_TRUE(report.stopped);
  EXPECT_EQ(report.last.set, "cable");
  EXPECT_NE(report.last.message().find("cable, strand 0"), std::string::npos);
  EXPECT_FALSE(find_not_finite(world, state.parts));
  state.parts[0].current.all()[std::size_t(5 * der::StateLayout::components * world.parts[0].strands.lanes())] =
      std::nan("");
  const std::optional<BadNumber> bad = find_not_finite(world, state.parts);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->set, "cable");
}

// Whatever a workspace holds between steps must not matter: it is thrown away, or filled with nonsense.
TEST_F(SimulationTest, WorkspacesLeaveNoTrace) {
  const std::string scene = cable.substr(0, cable.find("[[probes]]")) + R"(
motion = { rotate = [0, 1, 0], angle = "40 deg", frequency = "2 Hz" }
attraction = { frequency = "3 Hz" }
[[strands]]
name = "hair"
source = { generator = "curly", count = 9, vertices = 14 }
guides = "every 2"
motion = { sine = [0.02, 0, 0], frequency = "5 Hz" }
)";
  const auto poison = [](WorldWorkspace& work) {
    const auto fill = [](der::Stream& stream) { std::ranges::fill(stream, std::numeric_limits<double>::quiet_NaN()); };
    for (der::GroupScratch& s : work.strands.threads)
      for (der::Stream* stream : {&s.slots, &s.increment, &s.target_velocity, &s.iterate, &s.trial, &s.residual,
                                  &s.parameters, &s.strains, &s.drag, &s.tension, &s.next_tension})
        fill(*stream);
    for (WorldState* state : {&work.before, &work.start})
      for (der::State& part : state->parts)
        for (double& value : part.current.all()) value = std::nan("");
    for (der::State& part : work.trials)
      for (double& value : part.current.all()) value = std::nan("");
    for (Vector3d& place : work.drive.attraction.places) place.setConstant(std::nan(""));
    for (Vector3d& place : work.drive.attraction.positions) place.setConstant(std::nan(""));
    work.targets.clear();
  };
  for (const char* how : {"run.newton=1", "run.newton=\"converge\"", "run.integrator=bdf2"}) {
    const World world = std::move(make_world(scene_of({how, "run.air={ density = 1.2 }"}, scene)).value());
    WorldState kept = start(world), thrown = kept, poisoned = kept;
    WorldWorkspace work, bad;
    for (int i = 0; i < 8; ++i) {
      ASSERT_FALSE(substep(world, false, i % 2 == 0, work, kept).stopped);
      WorldWorkspace fresh;
      ASSERT_FALSE(substep(world, false, false, fresh, thrown).stopped);
      ASSERT_FALSE(substep(world, false, i % 3 == 0, bad, poisoned).stopped);
      poison(bad);
    }
    EXPECT_EQ(hash(world, thrown), hash(world, kept)) << how;
    EXPECT_EQ(hash(world, poisoned), hash(world, kept)) << how;
  }
}

// With a strong, damped attraction the strand is carried along as drawn.
TEST_F(SimulationTest, AttractionCarriesTheDrawnShape) {
  const std::string moving =
      cable.substr(0, cable.find("[[probes]]")) + "motion = { turn = [0, 1, 0], rate = \"2 rad/s\" }\n";
  const auto off = [&](const std::string& more) {
    Simulation s = simulation_of({}, moving + more);
    const std::vector<Vector3d> drawn = s.positions();
    while (!s.done()) EXPECT_TRUE(s.step());
    const Eigen::AngleAxisd turn(2.0 * s.time(), Vector3d::UnitY());
    return (s.positions()[11] - turn * drawn[11]).norm();
  };
  const double without = off(""), weak = off("attraction = { frequency = \"3 Hz\" }\n"),
               strong = off("attraction = { frequency = \"300 Hz\" }\n"),
               at_root = off("attraction = { frequency = \"300 Hz\", tip = 0 }\n");
  EXPECT_LT(weak, without);
  EXPECT_LT(strong, 1e-3);
  EXPECT_GT(at_root, strong);
}

}  // namespace
}  // namespace tendril
