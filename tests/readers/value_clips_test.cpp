// Frames above the limit of one file go to value clips. No run of a test is that large, so the limit is lowered here.
// And a cache with samples of the shutter and what belongs to guides. With TENDRIL_CLIPS the files stay in that folder,
// for the readers of test_usda_readers.py.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/usda_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// At time t; three strands of 2, 3 and 2 vertices.
void fall(float t, std::vector<float>& positions, std::vector<float>& velocities) {
  for (int v = 0; v < 7; ++v) {
    for (const float x : {0.013f * float(v), -4.905f * t * t, 1e-7f / float(v + 1)}) positions.push_back(x);
    for (const float u : {0.0f, -9.81f * t, 0.0f}) velocities.push_back(u);
  }
}

// Two sets of strands that fall; frames 2, 4 and 8. With a shutter of 0.3 all but frame 4 have a sample of it.
CurveSequence falling(double shutter = 0.0) {
  CurveSequence sequence;
  sequence.name = "falling strands";
  sequence.fps = 24.0;
  sequence.groom.curves.offsets = {0, 2, 5, 7};
  sequence.groom.curves.points.assign(7, Eigen::Vector3d::Zero());
  sequence.groom.radius = {4e-5, 3e-5, 4e-5, 3e-5, 2e-5, 1e-4, 1e-4};
  sequence.sets = {{"hair", 2}, {"rope", 1}};
  sequence.frames = {2, 4, 8};
  sequence.fetch = [numbers = sequence.frames](std::size_t i) -> Result<CurveFrame> {
    CurveFrame frame{numbers[i], (numbers[i] - 1) / 24.0, {}, {}};
    fall(float(frame.time), frame.positions, frame.velocities);
    return frame;
  };
  sequence.shutter = shutter;
  sequence.fetch_shutter = [numbers = sequence.frames, shutter](std::size_t i) -> Result<CurveFrame> {
    CurveFrame frame{numbers[i], (numbers[i] - 1 + shutter) / 24.0, {}, {}};
    if (numbers[i] != 4) fall(float(frame.time), frame.positions, frame.velocities);
    return frame;
  };
  return sequence;
}

Frame frame_of(int number, double time) {
  Frame frame{number, time, 0, {0, 2, 5, 7}, {}};
  std::vector<float> positions, velocities;
  fall(float(time), positions, velocities);
  frame.channels = {{"position", PerElement::vertex, 3, positions},
                    {"velocity", PerElement::vertex, 3, velocities},
                    {"radius", PerElement::vertex, 1, std::vector<float>(7, 5e-5f)},
                    {"guide", PerElement::strand, 1, std::vector<std::uint32_t>{1, 0, 1}},
                    {"closest_guides", PerElement::strand, 3, std::vector<std::uint32_t>{0, 0, 0, 0, 2, 2, 2, 2, 2}},
                    {"guide_weights", PerElement::strand, 3, std::vector<float>{1, 0, 0, 0.7f, 0.3f, 0, 1, 0, 0}}};
  return frame;
}

TEST(ValueClips, HoldOneLayerPerFrameAndAManifest) {
  const char* wish = std::getenv("TENDRIL_CLIPS");
  const fs::path folder = wish ? fs::path(wish) : fs::temp_directory_path() / "tendril_value_clips_test";
  fs::create_directories(folder);
  const CurveSequence sequence = falling();
  const UsdaOptions at_most{.most_points = 3 * 7}, fewer{.most_points = 3 * 7 - 1};
  ASSERT_TRUE(bool(write_usda(folder / "plain.usda", sequence, at_most)));
  ASSERT_TRUE(bool(write_usda(folder / "clipped.usda", sequence, fewer)));

  EXPECT_EQ(usda_outputs(folder / "plain.usda", sequence, at_most), std::vector{folder / "plain.usda"});
  EXPECT_EQ(usda_outputs(folder / "clipped.usda", sequence, fewer),
            (std::vector{folder / "clipped.usda", folder / "clipped_clips"}));
  EXPECT_FALSE(fs::exists(folder / "plain_clips"));
  for (const char* name : {"manifest.usda", "frame.0002.usda", "frame.0004.usda", "frame.0008.usda"})
    EXPECT_TRUE(fs::exists(folder / "clipped_clips" / name)) << name;
  const auto plain = read_groom(folder / "plain.usda"), clipped = read_groom(folder / "clipped.usda");
  ASSERT_TRUE(plain && clipped) << (clipped ? plain : clipped).error().message();
  EXPECT_EQ(plain.value().curves.points, clipped.value().curves.points);

  const CurveSequence blurred = falling(0.3);
  ASSERT_TRUE(bool(write_usda(folder / "blurred.usda", blurred)));
  ASSERT_TRUE(bool(write_usda(folder / "blurred_clipped.usda", blurred, fewer)));
  EXPECT_EQ(read_groom(folder / "blurred_clipped.usda").value().curves.points, plain.value().curves.points);
  if (!wish) fs::remove_all(folder);
}

TEST(ValueClips, HaveACacheBesideThem) {
  const char* wish = std::getenv("TENDRIL_CLIPS");
  if (!wish) GTEST_SKIP() << "TENDRIL_CLIPS is not set";
  const fs::path folder = fs::path(wish) / "guided";
  fs::create_directories(folder);
  for (int number = 1; number <= 3; ++number) {
    ASSERT_TRUE(bool(write_frame(folder / frame_name(number), frame_of(number, (number - 1) / 24.0))));
    ASSERT_TRUE(bool(write_frame(folder / shutter_name(number), frame_of(number, (number - 0.5) / 24.0))));
  }
  ASSERT_TRUE(bool(write_file(folder / cache_index_name, R"({"name": "guided", "fps": 24, "shutter": 0.5})")));
}

}  // namespace
}  // namespace tendril
