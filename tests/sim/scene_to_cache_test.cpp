// From the text of a scene to frames on disk and a report.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tendril/base/parallel.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* swinging_curls = R"(
[run]
name = "curls"
duration = "0.1 s"
fps = 60
substeps = 4

[[strands]]
name = "hair"
source = { generator = "curly", count = 7, vertices = 20 }
material = { preset = "human-hair" }
motion = { sine = [0.02, 0, 0], frequency = "3 Hz" }
)";

constexpr const char* cantilever = R"(
[run]
name = "cantilever"
mode = "static"

[[strands]]
name = "rod"
source = { generator = "horizontal", vertices = 41, length = "0.5 m" }
material = { radius = "2 mm", young = "1 GPa", poisson = 0.3, density = "1100 kg/m3" }
clamp = "point"
)";

class SceneToCache : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() /
                     ("tendril_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override {
    fs::remove_all(folder_);
    set_thread_count(0);
  }
  RunOptions options() const {
    RunOptions o;
    o.out = folder_;
    return o;
  }
  static Scene scene(const char* text, const std::vector<std::string>& overrides = {}) {
    Result<Scene> parsed = parse_scene(text, "scene.toml", overrides);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message());
    return parsed.value();
  }
};

TEST_F(SceneToCache, WritesEveryFrameWithItsTimeAndPositions) {
  const Result<RunReport> report = run(scene(swinging_curls), options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report.value().frames.size(), 7u);
  for (int frame = 1; frame <= 7; ++frame) {
    const Result<Frame> read = read_frame(folder_ / frame_name(frame));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read.value().number, frame);
    EXPECT_NEAR(read.value().time, (frame - 1) / 60.0, 1e-12);
    ASSERT_NE(read.value().channel("position"), nullptr);
    EXPECT_EQ(std::get<std::vector<float>>(read.value().channel("position")->values).size(), 3u * 7 * 20);
  }
  const json index = json::parse(std::ifstream(folder_ / "cache.json"));
  EXPECT_EQ(index["first_frame"], 1);
  EXPECT_EQ(index["last_frame"], 7);
}

TEST_F(SceneToCache, ReportsTheKeysThatScriptsRead) {
  const json report = json::parse(to_json(run(scene(swinging_curls), options()).value()));
  for (const char* key : {"name",
                          "version",
                          "commit",
                          "isa",
                          "lanes",
                          "threads",
                          "strands",
                          "vertices",
                          "steps",
                          "usable_steps",
                          "retries",
                          "repairs",
                          "energy",
                          "stage_seconds",
                          "io_wait_seconds",
                          "seconds_per_frame",
                          "force_residual_max",
                          "error_max",
                          "penetration_max",
                          "stretch_max",
                          "seconds",
                          "ns_per_vertex_step",
                          "hash",
                          "frames"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["strands"], 7);
  EXPECT_EQ(report["vertices"], 140);
  EXPECT_EQ(report["steps"], 24);
}

TEST_F(SceneToCache, HasTheSameHashForAnyThreadCount) {
  std::vector<std::uint64_t> hashes;
  for (const char* threads : {"run.threads=1", "run.threads=2", "run.threads=3"}) {
    RunOptions o = options();
    o.overwrite = true;
    hashes.push_back(run(scene(swinging_curls, {threads}), o).value().hash);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_F(SceneToCache, FindsAStaticEquilibriumAndSaysThatItIsStable) {
  const RunReport report = run(scene(cantilever), options()).value();
  ASSERT_TRUE(report.statics.has_value());
  EXPECT_EQ(report.statics->converged, 1u);
  EXPECT_EQ(report.statics->unstable, 0u);
  EXPECT_LE(report.statics->residual, 1e-10);
  const Frame last = read_frame(folder_ / frame_name(2)).value();
  EXPECT_LT(std::get<std::vector<float>>(last.channel("position")->values)[3 * 40 + 1], -0.01f);
}

TEST_F(SceneToCache, DoesNotReplaceAnEarlierCacheUnasked) {
  ASSERT_TRUE(run(scene(cantilever), options()));
  const Result<RunReport> again = run(scene(cantilever), options());
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message().find("already holds a run"), std::string::npos);
  RunOptions force = options();
  force.overwrite = true;
  EXPECT_TRUE(run(scene(cantilever), force));
}

TEST_F(SceneToCache, WritesOnlyTheFramesAskedFor) {
  RunOptions o = options();
  o.frames = {3, 4};
  ASSERT_TRUE(run(scene(swinging_curls), o));
  EXPECT_FALSE(fs::exists(folder_ / frame_name(2)));
  EXPECT_TRUE(fs::exists(folder_ / frame_name(3)));
  EXPECT_TRUE(fs::exists(folder_ / frame_name(4)));
  EXPECT_FALSE(fs::exists(folder_ / frame_name(5)));
}

TEST_F(SceneToCache, StopsWhenInterruptedAndKeepsItsFrames) {
  RunOptions o = options();
  int asked = 0;
  o.interrupted = [&] { return ++asked > 9; };
  const RunReport report = run(scene(swinging_curls), o).value();
  EXPECT_NE(report.stopped.find("interrupted"), std::string::npos);
  EXPECT_TRUE(read_frame(folder_ / frame_name(3)));
}

// A clamp that turns by 170 degrees within a step: its edge's transport is not defined, so the step is cut until it is.
TEST_F(SceneToCache, HalvesAStepThatTurnsAnEdgeTooFar) {
  const RunReport report =
      run(scene(swinging_curls, {"strands.0.motion={ turn = [0, 0, 1], rate = \"40000 deg/s\" }", "run.duration=0.02"}),
          options())
          .value();
  EXPECT_GT(report.failed_steps, 0);
}

TEST_F(SceneToCache, StartsWhereItsMotionStarts) {
  const RunReport report =
      run(scene(swinging_curls,
                {"strands.0.motion={ sine = [0.5, 0, 0], frequency = \"3 Hz\", phase = \"90 deg\", ramp = 0 }"}),
          options())
          .value();
  EXPECT_EQ(report.failed_steps, 0);
  const Frame first = read_frame(folder_ / frame_name(1)).value();
  EXPECT_GT(std::get<std::vector<float>>(first.channel("position")->values)[0], 0.3f);
}

TEST_F(SceneToCache, NamesSetStrandAndVertexOfBadGeometry) {
  const Result<RunReport> report = run(scene(R"([[strands]]
name = "wire"
source = { points = [[[0, 0, 0], [1, 0, 0], [0, 0, 0]]] }
material = { radius = 0.01, young = 1e6, density = 1000 }
[run]
frames = 1)"),
                                       options());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message(),
            "wire: strand 0, vertex 1: folds back by 180 degrees; the curvature there is infinite");
}

}  // namespace
}  // namespace tendril
