#include "tendril/scene/motion_keys.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

const std::string good =
    "# a nod\n"
    "time, tx, ty, tz, qw, qx, qy, qz\r\n"
    "\n"
    "0, 0, 0, 0, 1, 0, 0, 0\r\n"
    "0.5,1e-3,-2,0.25,0.8,0.6,0,0\n";

std::string refusal(const std::string& text) {
  const auto motion = parse_motion_keys(text, "head.csv");
  return motion ? "accepted" : motion.error().message();
}

TEST(MotionKeys, ReadsTimesPosesAndQuaternionsScalarFirst) {
  const auto motion = parse_motion_keys(good, "head.csv");
  ASSERT_TRUE(motion) << motion.error().message();
  EXPECT_EQ(motion.value().times, (std::vector<double>{0.0, 0.5}));
  EXPECT_EQ(motion.value().poses[1].translation, Eigen::Vector3d(1e-3, -2, 0.25));
  EXPECT_DOUBLE_EQ(motion.value().poses[1].rotation.w(), 0.8);
  EXPECT_DOUBLE_EQ(motion.value().poses[1].rotation.x(), 0.6);
}

TEST(MotionKeys, MakesQuaternionsExact) {
  const auto motion = parse_motion_keys("time,tx,ty,tz,qw,qx,qy,qz\n0,0,0,0,0.7071,0.7071,0,0\n", "head.csv");
  EXPECT_DOUBLE_EQ(motion.value().poses[0].rotation.norm(), 1.0);
}

TEST(MotionKeys, RefusesBadFilesWithFileAndLine) {
  const std::string header = "time,tx,ty,tz,qw,qx,qy,qz\n", first = "0,0,0,0,1,0,0,0\n";
  EXPECT_EQ(refusal(""), "head.csv: the first line must be time,tx,ty,tz,qw,qx,qy,qz");
  EXPECT_EQ(refusal(first), "head.csv:1: the first line must be time,tx,ty,tz,qw,qx,qy,qz");
  EXPECT_EQ(refusal("time,tx,ty,tz,qx,qy,qz,qw\n"), "head.csv:1: the first line must be time,tx,ty,tz,qw,qx,qy,qz");
  EXPECT_EQ(refusal(header), "head.csv: there is no key below the header line");
  EXPECT_EQ(refusal(header + first + "1,0,0,0,1,0,0\n"),
            "head.csv:3: 8 numbers are expected (time,tx,ty,tz,qw,qx,qy,qz), but there are 7");
  EXPECT_EQ(refusal(header + first + "1,0,0,zero,1,0,0,0\n"), "head.csv:3: tz = 'zero' is not a finite number");
  EXPECT_EQ(refusal(header + first + "1,0,0,nan,1,0,0,0\n"), "head.csv:3: tz = 'nan' is not a finite number");
  EXPECT_EQ(refusal(header + first + "1,0,0,,1,0,0,0\n"), "head.csv:3: tz = '' is not a finite number");
  EXPECT_EQ(refusal(header + first + first), "head.csv:3: time 0 does not come after 0; times must ascend");
  EXPECT_EQ(refusal(header + "0,0,0,0,0.5,0,0,0\n"),
            "head.csv:2: the quaternion has the length 0.5; that of a rotation is 1");
  EXPECT_EQ(refusal(header + "0,0,0,0,0,0,0,0\n"),
            "head.csv:2: the quaternion has the length 0; that of a rotation is 1");
}

TEST(MotionKeys, NamesAFileThatIsNotThere) {
  EXPECT_EQ(read_motion_keys("no/such.csv").error().message(),
            "no/such.csv: cannot be opened: No such file or directory");
}

TEST(MotionKeys, SurvivesMutations) {
  for (std::uint64_t round = 0; round < 5000; ++round) {
    Random random(5, round);
    std::string text = good;
    for (auto changes = 1 + random.below(5); changes > 0; --changes)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    text.resize(random.below(text.size() + 1));
    const auto motion = parse_motion_keys(text, "head.csv");
    if (!motion) continue;
    for (const Pose& pose : motion.value().poses) EXPECT_TRUE(std::isfinite(pose.translation.sum()));
  }
}

}  // namespace
}  // namespace tendril
