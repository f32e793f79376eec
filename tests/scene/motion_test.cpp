#include "tendril/scene/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tendril {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

Vector3d place(const MotionPart& part, double time, const Vector3d& point = Vector3d::Zero()) {
  return apply(pose_at(part, time), point);
}

TEST(Motion, LeavesPointsWhereTheyAreWithoutParts) {
  EXPECT_TRUE(Motion{}.still());
  EXPECT_EQ(apply(Motion{}.at(3.0), Vector3d(1, 2, 3)), Vector3d(1, 2, 3));
}

TEST(Motion, AppliesItsPartsInTheOrderOfTheList) {
  const SteadyTurn quarter{{0, 0, 1}, {0, 0, 0}, pi / 2, {0.0, 1.0, 0.0}};
  const SteadyShift right{{1, 0, 0}, {0.0, 1.0, 0.0}};
  const Motion turn_first({quarter, right}), shift_first({right, quarter});
  EXPECT_LT((apply(turn_first.at(1.0), Vector3d(1, 0, 0)) - Vector3d(1, 1, 0)).norm(), 1e-15);
  EXPECT_LT((apply(shift_first.at(1.0), Vector3d(1, 0, 0)) - Vector3d(0, 2, 0)).norm(), 1e-15);
}

TEST(SineShift, FollowsTheSineBetweenItsRamps) {
  const SineShift shake{{0.02, 0, 0}, {2.0, 0.3, {1.0, 3.0, 0.25}}};
  for (const double t : {1.25, 1.4, 2.0, 3.7})
    EXPECT_NEAR(place(shake, t).x(), 0.02 * std::sin(2 * pi * 2.0 * (t - 1.0) + 0.3), 1e-15);
  EXPECT_EQ(place(shake, 0.5), Vector3d::Zero());
  EXPECT_EQ(place(shake, 5.0), Vector3d::Zero());
}

TEST(SineShift, StartsAndEndsWithoutAJumpInVelocityOrAcceleration) {
  const SineShift shake{{1, 0, 0}, {2.0, 0.7, {1.0, 2.0, 0.25}}};
  const double h = 1e-4;
  for (const double edge : {1.0, 3.0}) {  // no motion outside the window, so none just inside it
    EXPECT_LT(std::abs(place(shake, edge + h).x() - place(shake, edge - h).x()) / (2 * h), 1e-5);
    EXPECT_LT(std::abs(place(shake, edge + h).x() - 2 * place(shake, edge).x() + place(shake, edge - h).x()) / (h * h),
              0.3);  // of up to (2 pi f)^2 = 158 in between
  }
}

TEST(SineShift, HoldsItsEndsWithoutARamp) {
  const SineShift shake{{1, 0, 0}, {1.0, pi / 2, {1.0, 0.25, 0.0}}};
  EXPECT_NEAR(place(shake, 0.0).x(), 1.0, 1e-15);
  EXPECT_NEAR(place(shake, 1.125).x(), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(place(shake, 9.0).x(), 0.0, 1e-15);
}

TEST(SineTurn, SwingsAboutItsCentre) {
  const SineTurn nod{{1, 0, 0}, {0, 1, 0}, 0.4, {0.5, 0.0, {}}};
  EXPECT_LT((place(nod, 0.3, {0, 1, 0}) - Vector3d(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT((place(nod, 0.5, {0, 2, 0}) - Vector3d(0, 1 + std::cos(0.4), std::sin(0.4))).norm(), 1e-15);
}

TEST(SteadyTurn, TurnsAtItsRateWithinTheWindow) {
  const SteadyTurn turn{{0, 1, 0}, {0, 0, 0}, 3.0, {0.5, 2.0, 0.0}};
  const auto angle = [&](double t) { return AngleAxisd(pose_at(turn, t).rotation).angle(); };
  EXPECT_EQ(angle(0.5), 0.0);
  EXPECT_NEAR(angle(1.0), 1.5, 1e-14);
  EXPECT_NEAR(angle(2.5), 2 * pi - 6.0, 1e-14);  // 6 radians are less than half a turn the other way
  EXPECT_NEAR(angle(9.0), 2 * pi - 6.0, 1e-14);
}

TEST(SteadyShift, RampsItsSpeedUpAndDown) {
  const SteadyShift pull{{2, 0, 0}, {1.0, 3.0, 0.5}};
  const double h = 1e-6;
  const auto speed = [&](double t) { return (place(pull, t + h).x() - place(pull, t - h).x()) / (2 * h); };
  EXPECT_NEAR(speed(1.0), 0.0, 1e-9);
  EXPECT_NEAR(speed(1.25), 1.0, 1e-9);  // half way up
  EXPECT_NEAR(speed(1.5), 2.0, 1e-9);
  EXPECT_NEAR(speed(2.7), 2.0, 1e-9);
  EXPECT_NEAR(speed(3.75), 1.0, 1e-9);
  EXPECT_NEAR(speed(4.0), 0.0, 1e-9);
  EXPECT_NEAR(place(pull, 10.0).x(), 2.0 * (3.0 - 0.5), 1e-14);  // each ramp costs half its time
  for (const double t : {1.1, 1.4, 2.0, 3.6, 3.9})
    EXPECT_NEAR(speed(t), 2.0 * pull.window.strength(t), 1e-8) << t;  // the integral is that of the strength
}

TEST(SteadyShift, GoesOnForEverWithoutADuration) {
  const SteadyShift pull{{1, 0, 0}, {0.0, std::numeric_limits<double>::infinity(), 1.0}};
  EXPECT_NEAR(place(pull, 1000.0).x(), 999.5, 1e-12);
}

KeyedMotion keys() {
  const Pose a{Quaterniond(AngleAxisd(0.3, Vector3d::UnitX())), {0, 0, 1}};
  const Pose b{Quaterniond(AngleAxisd(1.1, Vector3d::UnitY())), {0.5, 0, 0}};
  const Pose c{Quaterniond(AngleAxisd(2.9, Vector3d::UnitZ())), {0, -0.25, 0}};
  return {{0.1, 0.7, 1.9}, {a, b, c}};
}

TEST(KeyedMotion, IsExactAtItsKeysAndHeldOutside) {
  const KeyedMotion motion = keys();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(pose_at(motion, motion.times[k]).translation, motion.poses[k].translation);
    EXPECT_EQ(pose_at(motion, motion.times[k]).rotation.coeffs(), motion.poses[k].rotation.coeffs());
  }
  EXPECT_EQ(pose_at(motion, -5.0).translation, motion.poses.front().translation);
  EXPECT_EQ(pose_at(motion, 50.0).translation, motion.poses.back().translation);
}

TEST(KeyedMotion, MovesOnScrewsBetweenKeys) {
  const KeyedMotion motion = keys();
  const Pose half_way = pose_at(motion, 0.4), expected = interpolate(motion.poses[0], motion.poses[1], 0.5);
  EXPECT_LT((half_way.translation - expected.translation).norm(), 1e-15);
  EXPECT_LT(half_way.rotation.angularDistance(expected.rotation), 1e-15);
  const KeyedMotion one{{2.0}, {motion.poses[1]}};
  EXPECT_EQ(pose_at(one, 0.0).translation, motion.poses[1].translation);
}

}  // namespace
}  // namespace tendril
