#include "tendril/geometry/pose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace tendril {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

Pose pose(double angle, const Vector3d& axis, const Vector3d& translation) {
  return {Quaterniond(AngleAxisd(angle, axis.normalized())), translation};
}

double distance(const Pose& a, const Pose& b) {
  return (a.rotation.toRotationMatrix() - b.rotation.toRotationMatrix()).norm() +
         (a.translation - b.translation).norm();
}

// Ends of turns small, large and of half a turn, with and without sliding along the axis.
std::vector<std::pair<Pose, Pose>> pairs() {
  const Pose start = pose(0.7, {1, 2, 3}, {0.1, -0.4, 2.0});
  std::vector<std::pair<Pose, Pose>> all;
  for (const double angle : {0.0, 1e-300, 1e-160, 1e-12, 1e-5, 0.3, 2.0, pi - 1e-9, pi, pi + 1e-9, 5.0})
    for (const Vector3d& shift : {Vector3d(0, 0, 0), Vector3d(0.2, 0.5, -0.3), Vector3d(10, 0, 0)})
      all.emplace_back(start, compose(start, pose(angle, {-1, 0.5, 2}, shift)));
  return all;
}

TEST(Pose, ComposesAsFunctionsDo) {
  const Pose a = pose(0.4, {0, 1, 1}, {1, 2, 3}), b = pose(-1.2, {1, 0, 2}, {-3, 0, 1});
  const Vector3d x(0.3, -0.8, 0.5);
  EXPECT_LT((apply(compose(a, b), x) - apply(a, apply(b, x))).norm(), 1e-14);
  EXPECT_LT((apply(inverse(a), apply(a, x)) - x).norm(), 1e-14);
  EXPECT_LT(distance(compose(a, inverse(a)), Pose{}), 1e-14);
}

TEST(ScrewInterpolation, ReturnsBothEndsBitForBit) {
  for (const auto& [a, b] : pairs()) {
    EXPECT_EQ(interpolate(a, b, 0.0).rotation.coeffs(), a.rotation.coeffs());
    EXPECT_EQ(interpolate(a, b, 0.0).translation, a.translation);
    EXPECT_EQ(interpolate(a, b, 1.0).rotation.coeffs(), b.rotation.coeffs());
    EXPECT_EQ(interpolate(a, b, 1.0).translation, b.translation);
  }
}

TEST(ScrewInterpolation, ArrivesAtTheEndsContinuously) {
  for (const auto& [a, b] : pairs()) {
    EXPECT_LT(distance(interpolate(a, b, 1e-15), a), 1e-13);
    EXPECT_LT(distance(interpolate(a, b, 1.0 - 1e-15), b), 1e-13);
  }
}

TEST(ScrewInterpolation, StaysRigid) {
  for (const auto& [a, b] : pairs())
    for (const double s : {0.1, 0.5, 0.77, 1.5, -0.4}) {
      const Pose p = interpolate(a, b, s);
      EXPECT_NEAR(p.rotation.norm(), 1.0, 1e-15);
      EXPECT_TRUE(p.translation.allFinite());
    }
}

// The twist between two near times, seen from the body, is the same all along the way.
TEST(ScrewInterpolation, HasOneConstantTwistVelocity) {
  for (const auto& [a, b] : pairs()) {
    const Pose first = compose(inverse(interpolate(a, b, 0.0)), interpolate(a, b, 0.125));
    for (int k = 1; k < 8; ++k) {
      const Pose next = compose(inverse(interpolate(a, b, k / 8.0)), interpolate(a, b, (k + 1) / 8.0));
      EXPECT_LT(distance(first, next), 1e-13);
    }
  }
}

TEST(ScrewInterpolation, IsTheSameOnTheWayBack) {
  for (const auto& [a, b] : pairs()) {
    const double angle = AngleAxisd(a.rotation.conjugate() * b.rotation).angle();
    if (std::abs(angle - pi) < 1e-8) continue;  // two shortest ways
    EXPECT_LT(distance(interpolate(a, b, 0.3), interpolate(b, a, 0.7)), 1e-13);
  }
}

TEST(ScrewInterpolation, TakesTheShorterTurn) {
  const Pose a, b = pose(1.5 * pi, {0, 0, 1}, {0, 0, 0});  // three quarters one way is a quarter the other way
  EXPECT_LT(distance(interpolate(a, b, 0.5), pose(-pi / 4, {0, 0, 1}, {0, 0, 0})), 1e-15);
  Pose flipped = b;
  flipped.rotation.coeffs() *= -1.0;
  EXPECT_LT(distance(interpolate(a, flipped, 0.5), interpolate(a, b, 0.5)), 1e-15);
}

TEST(ScrewInterpolation, GoesRoundACircleInHalfATurn) {
  // Half a turn about the z axis through (1, 0, 0) takes the origin to (2, 0, 0); half way it is at (1, -1, 0).
  const Pose b = pose(pi, {0, 0, 1}, {2, 0, 0});
  const Vector3d half_way = apply(interpolate(Pose{}, b, 0.5), Vector3d::Zero());
  EXPECT_LT((half_way - Vector3d(1, -1, 0)).norm(), 1e-15);
}

TEST(ScrewInterpolation, SlidesStraightWithoutATurn) {
  const Pose a = pose(0.7, {1, 2, 3}, {1, 1, 1});
  Pose b = a;
  b.translation = Vector3d(2, 1, 5);
  EXPECT_LT((interpolate(a, b, 0.25).translation - Vector3d(1.25, 1, 2)).norm(), 1e-15);
  EXPECT_EQ(interpolate(a, b, 0.25).rotation.coeffs(), a.rotation.coeffs());
}

// A pure translation and one with a turn of 1e-12 differ by that turn only: the formula has no bad range.
TEST(ScrewInterpolation, IsAccurateForSmallAngles) {
  for (const double angle : {1e-14, 1e-11, 1e-9, 1e-7}) {
    const Pose a, b = pose(angle, {0, 1, 0}, {1, 2, 3});
    EXPECT_LT((interpolate(a, b, 0.4).translation - Vector3d(0.4, 0.8, 1.2)).norm(), 4 * angle + 1e-15);
    EXPECT_NEAR(2 * std::asin(interpolate(a, b, 0.4).rotation.y()), 0.4 * angle, 1e-15 * angle);
  }
}

}  // namespace
}  // namespace tendril
