// Parallel transport and reference twist against rotations by quaternions, and over many turns.
#include "tendril/geometry/transport.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using std::numbers::pi;

Vec3<double> kernel(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Vector3d eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Vector3d direction(Random& random) {
  const auto [x, y, z] = random.direction();
  return {x, y, z};
}
Vector3d normal_to(const Vector3d& t, Random& random) { return t.cross(direction(random)).normalized(); }

TEST(Transport, IsTheSmallestRotation) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d a = direction(random);
    Vector3d b = direction(random);
    if (i % 10 == 0) b = (a + 1e-6 * b).normalized();  // nearly the same
    if (a.dot(b) < -0.99) continue;
    const Vector3d u = normal_to(a, random);
    const Vector3d expected = Quaterniond::FromTwoVectors(a, b) * u;
    EXPECT_LT((eigen(transport_normal(kernel(a), kernel(b), kernel(u))) - expected).norm(), 1e-13);
    EXPECT_LT((eigen(transport_director(kernel(a), kernel(b), kernel(u))) - expected).norm(), 1e-13);
  }
}

TEST(Transport, KeepsLengthsAndRightAngles) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d a = direction(random), b = direction(random), u = normal_to(a, random), v = a.cross(u);
    if (a.dot(b) < -0.9) continue;
    const Vector3d x = eigen(transport_normal(kernel(a), kernel(b), kernel(u)));
    const Vector3d y = eigen(transport_normal(kernel(a), kernel(b), kernel(v)));
    EXPECT_NEAR(x.norm(), 1.0, 1e-14);
    EXPECT_NEAR(x.dot(y), 0.0, 1e-14);
    EXPECT_NEAR(x.dot(b), 0.0, 1e-14);
    EXPECT_LT((x.cross(y) - b).norm(), 1e-13);  // handedness
  }
}

TEST(Transport, ThereAndBackIsWhereItWas) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Vector3d a = direction(random), b = direction(random), u = normal_to(a, random);
    if (a.dot(b) < -0.9) continue;
    const Vec3<double> there = transport_normal(kernel(a), kernel(b), kernel(u));
    EXPECT_LT((eigen(transport_normal(kernel(b), kernel(a), there)) - u).norm(), 1e-14);
  }
}

// A million small steps: the round-off is taken out as it arises.
TEST(Transport, DirectorsStayUnitAndNormalOverAMillionSteps) {
  Random random(4);
  Vector3d t = direction(random), director = normal_to(t, random);
  for (int i = 0; i < 1000000; ++i) {
    const Vector3d next = (t + 0.05 * direction(random)).normalized();
    director = eigen(transport_director(kernel(t), kernel(next), kernel(director)));
    t = next;
  }
  EXPECT_NEAR(director.norm(), 1.0, 1e-15);
  EXPECT_NEAR(director.dot(t), 0.0, 1e-15);
}

// Around a closed cone the director comes back turned by the solid angle.
TEST(Transport, AroundAConeTurnsByTheSolidAngle) {
  const double opening = 0.7;
  const int steps = 20000;
  const auto tangent = [&](int i) {
    const double phi = 2.0 * pi * i / steps;
    return Vector3d(std::sin(opening) * std::cos(phi), std::sin(opening) * std::sin(phi), std::cos(opening));
  };
  const Vector3d start = tangent(0).cross(Vector3d::UnitY()).normalized();
  Vector3d director = start;
  for (int i = 0; i < steps; ++i)
    director = eigen(transport_director(kernel(tangent(i)), kernel(tangent(i + 1)), kernel(director)));
  const double turned = std::atan2(start.cross(director).dot(tangent(0)), start.dot(director));
  EXPECT_NEAR(turned, 2.0 * pi * (1.0 - std::cos(opening)), 1e-6);
}

TEST(ReferenceTwist, IsTheAngleBetweenCarriedDirectorAndDirector) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d e = direction(random), f = direction(random), a = normal_to(e, random);
    if (e.dot(f) < -0.9) continue;
    const double angle = random.uniform(-3.1, 3.1);
    const Vector3d b = AngleAxisd(angle, f) * (Quaterniond::FromTwoVectors(e, f) * a);
    EXPECT_NEAR(reference_twist(kernel(e), kernel(a), kernel(f), kernel(b), 0.0), angle, 1e-13);
    EXPECT_NEAR(reference_twist(kernel(e), kernel(a), kernel(f), kernel(b), angle + 6.0 * pi), angle + 6.0 * pi, 1e-13);
  }
}

// A director that is turned on and on: the twist counts whole turns either way, however far.
TEST(ReferenceTwist, CountsTurns) {
  Random random(6);
  const Vector3d e = direction(random), f = (e + 0.3 * direction(random)).normalized(), a = normal_to(e, random);
  const Vector3d carried = Quaterniond::FromTwoVectors(e, f) * a;
  for (const double way : {0.1, -0.1, 3.0, -3.0}) {
    double twist = 0.0;
    for (int i = 1; i <= 1000; ++i) {
      const Vector3d b = AngleAxisd(way * i, f) * carried;
      twist = reference_twist(kernel(e), kernel(a), kernel(f), kernel(b), twist);
      ASSERT_NEAR(twist, way * i, 1e-11 * std::max(1.0, std::abs(way) * i));
    }
  }
}

// Rigid turns of the whole joint change nothing.
TEST(ReferenceTwist, IsTheSameInEveryPose) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const Vector3d e = direction(random), f = direction(random), a = normal_to(e, random), b = normal_to(f, random);
    if (e.dot(f) < -0.9) continue;
    const Quaterniond turn(AngleAxisd(random.uniform(0.0, 6.0), direction(random)));
    const double plain = reference_twist(kernel(e), kernel(a), kernel(f), kernel(b), 0.0);
    EXPECT_NEAR(reference_twist(kernel(turn * e), kernel(turn * a), kernel(turn * f), kernel(turn * b), plain), plain,
                1e-13);
  }
}

TEST(MaterialFrame, IsTheDirectorTurnedAboutTheTangent) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    const Vector3d t = direction(random), a = normal_to(t, random);
    const double theta = random.uniform(-100.0, 100.0);
    const Frame<double> frame = material_frame(kernel(t), kernel(a), theta);
    EXPECT_LT((eigen(frame.m1) - AngleAxisd(theta, t) * a).norm(), 1e-14);
    EXPECT_LT((eigen(frame.m2) - t.cross(eigen(frame.m1))).norm(), 1e-14);
  }
}

TEST(Edge, KnowsItsLengthAndDirection) {
  const Edge<double> edge = make_edge(Vec3<double>{3e-5, 0.0, -4e-5});
  EXPECT_NEAR(edge.length, 5e-5, 1e-20);
  EXPECT_NEAR(edge.inverse_length, 2e4, 1e-11);
  EXPECT_LT((eigen(edge.tangent) - Vector3d(0.6, 0.0, -0.8)).norm(), 1e-15);
}

}  // namespace
}  // namespace tendril
