// Frames above the limit of one file go to value clips. No run of a test is that large, so the limit is lowered here.
// With TENDRIL_CLIPS the files stay in that folder, for the readers of test_usda_readers.py.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tendril/io/usda_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// Two sets of strands that fall; frames 2, 4 and 8.
CurveSequence falling() {
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
    const auto t = float(frame.time);
    for (int v = 0; v < 7; ++v) {
      for (const float x : {0.013f * float(v), -4.905f * t * t, 1e-7f / float(v + 1)}) frame.positions.push_back(x);
      for (const float u : {0.0f, -9.81f * t, 0.0f}) frame.velocities.push_back(u);
    }
    return frame;
  };
  return sequence;
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
  if (!wish) fs::remove_all(folder);
}

}  // namespace
}  // namespace tendril
