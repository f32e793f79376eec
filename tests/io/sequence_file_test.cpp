#include "tendril/io/sequence_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/pc2_file.hpp"
#include "tendril/io/vtp_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// Two strands of 2 vertices that move along z, one metre per frame.
CurveSequence moving_sequence(const std::vector<int>& frames) {
  CurveSequence sequence;
  sequence.groom.curves.offsets = {0, 2, 4};
  sequence.groom.curves.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}};
  sequence.groom.radius = {0.5, 0.25, 0.5, 0.25};
  sequence.sets = {{"all", 2}};
  sequence.frames = frames;
  sequence.fetch = [points = sequence.groom.curves.points, frames](std::size_t i) -> Result<CurveFrame> {
    CurveFrame frame{frames[i], double(frames[i]), {}, {}};
    for (const auto& p : points) {
      frame.positions.insert(frame.positions.end(), {float(p.x()), float(p.y()), float(frames[i])});
      frame.velocities.insert(frame.velocities.end(), {0.0f, 0.0f, 1.0f});
    }
    return frame;
  };
  return sequence;
}

class SequenceFile : public support::TemporaryFolder {};

TEST_F(SequenceFile, WritesOneFilePerFrame) {
  const CurveSequence sequence = moving_sequence({7, 12, 12345});
  for (const std::string extension : {".ply", ".obj", ".data", ".hair", ".usda"}) {
    const Status status = write_sequence(folder / ("hair.####" + extension), sequence);
    ASSERT_TRUE(status) << status.error().message();
    for (const auto& [name, z] : {std::pair("hair.0007", 7.0), {"hair.0012", 12.0}, {"hair.12345", 12345.0}}) {
      const auto groom = read_groom(folder / (name + extension));
      ASSERT_TRUE(groom) << groom.error().message();
      EXPECT_EQ(groom.value().curves.offsets, sequence.groom.curves.offsets);
      EXPECT_EQ(groom.value().curves.points[3], Eigen::Vector3d(2, 1, z));
    }
  }
  EXPECT_EQ(entries(), 15u);
}

TEST_F(SequenceFile, WritesVelocitiesIntoEveryVtp) {
  const CurveSequence sequence = moving_sequence({7, 8});
  ASSERT_TRUE(write_sequence(folder / "a##b.vtp", sequence));
  EXPECT_EQ(read_bytes(folder / "a08b.vtp").value(), encode_vtp(sequence, sequence.fetch(1).value()));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(SequenceFile, WritesOneFrameWithoutANumber) {
  ASSERT_TRUE(write_sequence(folder / "hair.obj", moving_sequence({7})));
  EXPECT_EQ(read_groom(folder / "hair.obj").value().curves.points[1].z(), 7.0);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SequenceFile, RefusesSeveralFramesInAFileForOne) {
  const Status status = write_sequence(folder / "hair.ply", moving_sequence({1, 2, 3}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), (folder / "hair.ply").string() +
                                          ": would hold one of 3 frames; write #### into the name for the frame's "
                                          "number, or take a format for motion: .usda, .pvd, .pc2");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SequenceFile, RefusesUnknownFormats) {
  const std::string rest =
      " is not a format that strands are written to; there are .hair, .data, .usda, .ply, .obj, .vtp";
  EXPECT_EQ(write_sequence(folder / "hair.abc", moving_sequence({1})).error().message(),
            (folder / "hair.abc").string() + ": '.abc'" + rest);
  EXPECT_EQ(write_sequence(folder / "hair.#.tfx", moving_sequence({1, 2})).error().message(),
            (folder / "hair.1.tfx").string() + ": '.tfx'" + rest);
  EXPECT_EQ(write_sequence(folder / "hair", moving_sequence({1})).error().message(),
            (folder / "hair").string() + ": ''" + rest);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SequenceFile, WritesMotionFormatsByTheirExtension) {
  ASSERT_TRUE(write_sequence(folder / "a.usda", moving_sequence({1, 2})));
  EXPECT_NE(read_text(folder / "a.usda").value().find("points.timeSamples"), std::string::npos);
  ASSERT_TRUE(write_sequence(folder / "b.pvd", moving_sequence({1, 2})));
  EXPECT_TRUE(fs::exists(folder / "b" / "b.0002.vtp"));
}

TEST_F(SequenceFile, WritesPointsIntoPc2) {
  const CurveSequence sequence = moving_sequence({4, 6, 8});
  ASSERT_TRUE(write_sequence(folder / "a.pc2", sequence));
  const auto cache = read_pc2(read_bytes(folder / "a.pc2").value(), "a.pc2");
  ASSERT_TRUE(cache) << cache.error().message();
  EXPECT_EQ(cache.value().points, 4);
  EXPECT_EQ(cache.value().start, 4.0f);
  EXPECT_EQ(cache.value().rate, 2.0f);
  ASSERT_EQ(cache.value().sample_count(), 3u);
  std::vector<float> expected;
  for (std::size_t i = 0; i < 3; ++i) {
    const CurveFrame frame = sequence.fetch(i).value();
    expected.insert(expected.end(), frame.positions.begin(), frame.positions.end());
  }
  EXPECT_EQ(cache.value().samples, expected);
  ASSERT_TRUE(write_sequence(folder / "b.pc2", moving_sequence({4})));
  EXPECT_EQ(read_pc2(read_bytes(folder / "b.pc2").value(), "b.pc2").value().rate, 1.0f);
}

TEST_F(SequenceFile, RefusesMissingFramesInPc2) {
  const Status status = write_sequence(folder / "a.pc2", moving_sequence({1, 2, 4}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(),
            (folder / "a.pc2").string() + ": cannot leave out frames between 2 and 4; its samples are 1 apart");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SequenceFile, RefusesPc2WithoutPoints) {
  CurveSequence sequence = still(Groom(), "bald");
  EXPECT_FALSE(write_sequence(folder / "a.pc2", sequence));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SequenceFile, NamesWhatItWouldMake) {
  const CurveSequence sequence = moving_sequence({9, 10});
  using Paths = std::vector<fs::path>;
  EXPECT_EQ(sequence_outputs("d/a.##.ply", sequence), (Paths{"d/a.09.ply", "d/a.10.ply"}));
  EXPECT_EQ(sequence_outputs("d/a.pvd", sequence), (Paths{"d/a.pvd", "d/a"}));
  EXPECT_EQ(sequence_outputs("d/a.usda", sequence), (Paths{"d/a.usda"}));
  EXPECT_EQ(sequence_outputs("d/a.pc2", sequence), (Paths{"d/a.pc2"}));
  CurveSequence large = sequence;
  large.groom.curves.points.resize(10'000'001);
  EXPECT_EQ(sequence_outputs("d/a.usda", large), (Paths{"d/a.usda", "d/a_clips"}));
}

TEST_F(SequenceFile, KeepsTheOldFileWhenAFrameIsBroken) {
  for (const char* name : {"a.usda", "a.pc2"}) {
    ASSERT_TRUE(write_file(folder / name, "old"));
    CurveSequence sequence = moving_sequence({1, 2, 3});
    sequence.fetch = [fetch = sequence.fetch](std::size_t i) { return i < 2 ? fetch(i) : Error{"frame 3", "is torn"}; };
    EXPECT_EQ(write_sequence(folder / name, sequence).error().message(), "frame 3: is torn");
    EXPECT_EQ(read_text(folder / name).value(), "old");
  }
  EXPECT_EQ(entries(), 2u);
}

// The k-th call that writes fails, for every k: the old file stays, or a new one is whole.
TEST_F(SequenceFile, KeepsTheOldFileWhereverTheDiskIsFull) {
  const CurveSequence sequence = moving_sequence({1, 2});
  for (const char* name : {"a.usda", "a.pc2", "a.pvd"}) {
    fs::create_directories(folder / "good");
    ASSERT_TRUE(write_sequence(folder / "good" / name, sequence));
    const std::string good = read_text(folder / "good" / name).value();
    for (std::int64_t k = 1;; ++k) {
      ASSERT_TRUE(write_file(folder / name, "old"));
      fail_writes_from(k);
      const Status status = write_sequence(folder / name, sequence);
      const std::int64_t calls = fail_writes_from(0);
      for (const auto& entry : fs::recursive_directory_iterator(folder)) EXPECT_NE(entry.path().extension(), ".part");
      EXPECT_EQ(read_text(folder / name).value(), status ? good : "old") << name << ", " << k;
      if (!status) continue;
      EXPECT_EQ(calls, k - 1);
      EXPECT_GE(calls, 6) << "open, header, two samples, close, rename";
      break;
    }
  }
}

}  // namespace
}  // namespace tendril
