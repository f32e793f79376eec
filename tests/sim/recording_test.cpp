#include "tendril/sim/recording.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

const std::string text = R"([run]
name = "two"
frames = 3
fps = 24
[[strands]]
name = "hair"
source = { generator = "straight", count = 20, vertices = 8, length = "10 cm" }
motion = [ { sine = ["2 cm", 0, 0], frequency = "3 Hz" } ]
[[strands]]
name = "rods"
source = { generator = "vertical", count = 2, vertices = 5, length = "10 cm" }
[output]
shutter = 0.5
)";

class RecordingTest : public support::TemporaryFolder {
 protected:
  void run_scene() {
    RunOptions options;
    options.out = folder / "run";
    const Result<RunReport> report = run(parse_scene(text, "scene.toml").value(), options);
    ASSERT_TRUE(report) << report.error().message();
  }
};

TEST_F(RecordingTest, OfARunHasFramesSetsBodiesAndRest) {
  run_scene();
  const Result<Recording> opened = Recording::open(folder / "run");
  ASSERT_TRUE(opened) << opened.error().message();
  const Recording& r = opened.value();
  EXPECT_EQ(r.name(), "two");
  EXPECT_EQ(r.fps(), 24.0);
  EXPECT_EQ(r.frames(), (std::vector<int>{1, 2, 3, 4}));
  ASSERT_EQ(r.sets().size(), 2u);
  EXPECT_EQ(r.sets()[1].name, "rods");
  ASSERT_EQ(r.bodies().size(), 1u);
  EXPECT_EQ(r.bodies()[0].name, "head");
  ASSERT_TRUE(r.rest());
  const Frame frame = r.frame(3).value();
  EXPECT_EQ(frame.number, 3);
  const TriangleMesh drawn = r.body_mesh(0).value(), moved = posed(drawn, 0, false, frame).value();
  EXPECT_GT((moved.points[0] - drawn.points[0]).norm(), 1e-4);
  EXPECT_TRUE(r.shutter_frame(2).value());
  EXPECT_EQ(r.frame(9).error().message(), (folder / "run").string() + ": has no frame 9; there are 1 to 4");
}

TEST_F(RecordingTest, FollowsARunThatGoesOn) {
  run_scene();
  fs::rename(folder / "run/frame_0004.tendril", folder / "later");
  Recording r = Recording::open(folder / "run").value();
  EXPECT_EQ(r.frames().size(), 3u);
  fs::rename(folder / "later", folder / "run/frame_0004.tendril");
  r.refresh();
  EXPECT_EQ(r.frames().size(), 4u);
}

TEST_F(RecordingTest, OfAFrameAloneAndOfAGroom) {
  run_scene();
  const Recording alone = Recording::open(folder / "run/frame_0002.tendril").value();
  EXPECT_EQ(alone.frames(), std::vector<int>{2});
  Groom groom;
  groom.curves.points = {{0, 0, 0}, {0, 0, 100}, {1, 0, 0}, {1, 0, 50}, {1, 0, 70}};
  groom.curves.offsets = {0, 2, 5};
  groom.attributes.push_back({"Clump ID", false, 1, {3.0, 4.0}});
  const fs::path file = folder / "groom.ply";
  ASSERT_TRUE(write_groom(file, groom));
  const Recording r = Recording::open(file, {0.01, UpAxis::z}).value();
  const Frame frame = r.frame(1).value();
  const std::vector<float>& x = std::get<std::vector<float>>(frame.channel("position")->values);
  EXPECT_NEAR(x[4], 1.0f, 1e-6f) << "centimetres, z up";
  EXPECT_EQ(std::get<std::vector<float>>(frame.channel("radius")->values).size(), 5u);
}

TEST_F(RecordingTest, SaysWhatIsMissing) {
  EXPECT_EQ(Recording::open("nowhere").error().message(),
            "nowhere: does not exist; give the folder of a run or a groom file");
  EXPECT_EQ(Recording::open(folder).error().message(),
            folder.string() + ": holds no frames of a run; `tendril run SCENE --out FOLDER` makes some");
}

// cache.json is read from disk: it must not lead out of the folder.
TEST_F(RecordingTest, BodiesOutsideTheFolderAreNoBodies) {
  run_scene();
  for (const char* file : {"/etc/passwd", "../x.ply", "bodies/../../x.ply", "bodies/..", "bodies/", "x.ply", ""}) {
    std::ofstream(folder / "run/cache.json")
        << R"({"bodies": [{"name": "b", "deforms": false, "mesh": ")" << file << "\"}]}";
    EXPECT_TRUE(Recording::open(folder / "run").value().bodies().empty()) << file;
  }
}

TEST_F(RecordingTest, FramesThatLackABodySayIt) {
  run_scene();
  const Recording r = Recording::open(folder / "run").value();
  Frame frame = r.frame(1).value();
  std::erase_if(frame.channels, [](const Channel& c) { return c.name == "body_pose"; });
  EXPECT_FALSE(posed(r.body_mesh(0).value(), 0, false, frame));
  EXPECT_FALSE(posed(r.body_mesh(0).value(), 0, true, frame));
}

}  // namespace
}  // namespace tendril
