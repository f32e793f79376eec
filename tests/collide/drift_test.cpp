#include "tendril/collide/drift.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "scenes.hpp"
#include "tendril/collide/continuous.hpp"

namespace tendril::collide {
namespace {

// What both ends do, in any mixture, is no more than the bound; and where they stay apart the bound is no excuse.
TEST(Drift, BoundsTheRelativeMotionOfAnyTwoPoints) {
  Random random(11);
  int apart = 0;
  for (int k = 0; k < 10000; ++k) {
    const double common = std::pow(10.0, random.uniform(-3.0, 1.0)), own = std::pow(10.0, random.uniform(-6.0, 0.0));
    const Vector3d both = random_vector(random, common);
    const auto way = [&] { return Vector3d(both + random_vector(random, own)); };
    const MovingSegment p{{Vector3d::Zero(), Vector3d::Zero()}, {way(), way()}},
        q{{Vector3d::Zero(), Vector3d::Zero()}, {way(), way()}};
    const Drift a = drift_of(p.end.start, p.end.end, 0.0), b = drift_of(q.end.start, q.end.end, 0.0);
    const double bound = relative_motion_bound(p, q);
    EXPECT_FALSE(stay_apart(a, b, float(0.999999 * bound)));
    apart += stay_apart(a, b, float(4.0 * own + 1e-4 * common));
  }
  EXPECT_GT(apart, 8000);
}

TEST(Drift, LeavesOpenWhatSinglePrecisionCannotTell) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Drift none = drift_of(Vector3d::Zero(), Vector3d::Zero(), 0.0);
  EXPECT_TRUE(stay_apart(none, none, 1e-3f));
  EXPECT_FALSE(stay_apart(none, none, 0.0f));
  EXPECT_FALSE(stay_apart(none, none, 1e-20f));
  const Drift huge = drift_of(Vector3d::Constant(1e60), Vector3d::Constant(1e60), 0.0);
  EXPECT_FALSE(stay_apart(huge, huge, 1.0f));
  EXPECT_FALSE(stay_apart(huge, none, infinity));
}

}  // namespace
}  // namespace tendril::collide
