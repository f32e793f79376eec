#include "tendril/collide/segment_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "collide/scenes.hpp"
#include "support/test_data.hpp"

namespace tendril::collide {
namespace {

using nlohmann::json;

Vector3d vector_of(const json& list) {
  return Vector3d(list[0].get<double>(), list[1].get<double>(), list[2].get<double>());
}

double distance(const Segment& p, const Segment& q) { return closest_points(p, q).apart.norm(); }

// The optimum of a convex function over the square: no step along s, t or both that stays inside goes down.
void expect_closest(const Segment& p, const Segment& q) {
  const SegmentPoints found = closest_points(p, q);
  ASSERT_GE(found.s, 0.0);
  ASSERT_LE(found.s, 1.0);
  ASSERT_GE(found.t, 0.0);
  ASSERT_LE(found.t, 1.0);
  const double size = std::max(p.direction().norm(), q.direction().norm()) + (p.start - q.start).norm();
  EXPECT_LE((found.apart - (p.at(found.s) - q.at(found.t))).norm(), 1e-15 * (size + p.start.norm() + q.start.norm()));
  const double slope_s = found.apart.dot(p.direction()), slope_t = -found.apart.dot(q.direction());
  const double tolerance = 1e-11 * size * size;
  if (found.s > 0.0) {
    EXPECT_LE(slope_s, tolerance);
  }
  if (found.s < 1.0) {
    EXPECT_GE(slope_s, -tolerance);
  }
  if (found.t > 0.0) {
    EXPECT_LE(slope_t, tolerance);
  }
  if (found.t < 1.0) {
    EXPECT_GE(slope_t, -tolerance);
  }
}

TEST(SegmentPair, AgreesWithTheReference) {
  const json data = json::parse(std::ifstream(test_data("coulomb-contact_local.json")));
  ASSERT_EQ(data["segments"].size(), 20u);
  for (const json& one : data["segments"]) {
    const Segment p{vector_of(one["p0"]), vector_of(one["p1"])}, q{vector_of(one["q0"]), vector_of(one["q1"])};
    const SegmentPoints found = closest_points(p, q);
    EXPECT_NEAR(found.apart.norm(), one["dist"].get<double>(), 1e-14) << one["name"];
    if (!one["unique"].get<bool>()) continue;
    EXPECT_NEAR(found.s, one["s"].get<double>(), 1e-14) << one["name"];
    EXPECT_NEAR(found.t, one["t"].get<double>(), 1e-14) << one["name"];
  }
}

TEST(SegmentPair, IsClosestOnRandomSegments) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Segment p{random_vector(random, 1.0), random_vector(random, 1.0)};
    expect_closest(p, {random_vector(random, 1.0), random_vector(random, 1.0)});
  }
}

TEST(SegmentPair, IsClosestAtAnyAngleAndLength) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const double angle = std::pow(10.0, random.uniform(-18.0, 0.0)), size = std::pow(10.0, random.uniform(-6.0, 6.0));
    const Segment p{random_vector(random, 1.0), random_vector(random, 1.0)};
    const Vector3d along = (p.direction() + angle * random_vector(random, 1.0)) * (i % 2 == 0 ? size : -size);
    const Vector3d start = p.at(random.uniform(-1.0, 2.0)) + random.uniform(0.0, 0.3) * random_vector(random, 1.0);
    expect_closest(p, {start, start + along});
    expect_closest({start, start + along}, p);
  }
}

TEST(SegmentPair, OfParallelSegmentsTakesTheMiddleOfWhatTheyShare) {
  const Segment p{{0, 0, 0}, {1, 0, 0}};
  for (const bool turned : {false, true}) {
    const Segment q{{turned ? 2.0 : 0.5, 1, 0}, {turned ? 0.5 : 2.0, 1, 0}};
    const SegmentPoints found = closest_points(p, q);
    EXPECT_DOUBLE_EQ(found.s, 0.75);
    EXPECT_DOUBLE_EQ(found.t, turned ? 5.0 / 6.0 : 1.0 / 6.0);
    EXPECT_DOUBLE_EQ(found.apart.norm(), 1.0);
  }
  EXPECT_DOUBLE_EQ(distance(p, {{3, 0, 0}, {2, 0, 0}}), 1.0);    // collinear, apart
  EXPECT_DOUBLE_EQ(distance(p, {{0.5, 0, 0}, {2, 0, 0}}), 0.0);  // collinear, overlapping
}

TEST(SegmentPair, FollowsSegmentsThatCloseInOnEachOtherAtATinyAngle) {
  for (const double slope : {1e-3, 1e-7, 0.9e-7, 1e-9, 1e-11}) {
    const SegmentPoints found = closest_points({{0, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {1, 1 - slope, 0}});
    EXPECT_NEAR(1.0 - found.apart.norm(), slope, 1e-3 * slope);
  }
}

TEST(SegmentPair, TakesPointsForSegmentsWithoutLength) {
  const Segment point{{0.3, 2, 0}, {0.3, 2, 0}}, p{{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(closest_points(point, p).s, 0.0);
  EXPECT_DOUBLE_EQ(closest_points(point, p).t, 0.3);
  EXPECT_DOUBLE_EQ(closest_points(p, point).s, 0.3);
  EXPECT_DOUBLE_EQ(distance(point, {{0.3, 5, 4}, {0.3, 5, 4}}), 5.0);
  EXPECT_DOUBLE_EQ(distance(point, point), 0.0);
}

TEST(SegmentPair, KeepsItsDigitsFarFromTheOriginAndAtAnySize) {
  for (const double size : {1e-70, 1e-30, 1e-3, 1e30, 1e60}) {
    const Segment p{{0, 0, 0}, {size, 0, 0}}, q{{0.5 * size, -size, 0.3 * size}, {0.5 * size, size, 0.3 * size}};
    const SegmentPoints found = closest_points(p, q);
    EXPECT_NEAR(found.s, 0.5, 1e-15) << size;
    EXPECT_NEAR(found.t, 0.5, 1e-15) << size;
    EXPECT_NEAR(found.apart.norm() / size, 0.3, 1e-15);
  }
  const Vector3d far(1e6, -1e6, 1e6);
  const Segment p{far, far + Vector3d(1, 0, 0)}, q{far + Vector3d(0.5, -1, 0.25), far + Vector3d(0.5, 1, 0.25)};
  EXPECT_NEAR(distance(p, q), 0.25, 1e-12);
}

TEST(SegmentPair, FacesAlongTheStretchThatBothShare) {
  const Segment p{{0, 0, 0}, {1, 0, 0}};
  const SegmentOverlap shifted = facing_stretch(p, {{0.5, 1, 0}, {2, 1, 0}});
  ASSERT_TRUE(shifted.exists);
  EXPECT_DOUBLE_EQ(shifted.first.s, 0.5);
  EXPECT_DOUBLE_EQ(shifted.first.t, 0.0);
  EXPECT_DOUBLE_EQ(shifted.last.s, 1.0);
  EXPECT_DOUBLE_EQ(shifted.last.t, 1.0 / 3.0);
  const SegmentOverlap turned = facing_stretch(p, {{2, 1, 0}, {0.5, 1, 0}});
  ASSERT_TRUE(turned.exists);
  EXPECT_DOUBLE_EQ(turned.first.s, 0.5);
  EXPECT_DOUBLE_EQ(turned.first.t, 1.0);
  EXPECT_DOUBLE_EQ(turned.last.s, 1.0);
  EXPECT_DOUBLE_EQ(turned.last.t, 2.0 / 3.0);
  const SegmentOverlap inside = facing_stretch(p, {{0.2, 0.1, 0}, {0.7, 0.1, 0}});
  ASSERT_TRUE(inside.exists);
  EXPECT_DOUBLE_EQ(inside.first.s, 0.2);
  EXPECT_DOUBLE_EQ(inside.last.s, 0.7);
  EXPECT_EQ(inside.first.t, 0.0);
  EXPECT_EQ(inside.last.t, 1.0);
}

TEST(SegmentPair, FacesNothingAcrossOrBeyondOrWithoutLength) {
  const Segment p{{0, 0, 0}, {1, 0, 0}};
  EXPECT_FALSE(facing_stretch(p, {{0.5, -1, 0.1}, {0.5, 1, 0.1}}).exists);
  EXPECT_FALSE(facing_stretch(p, {{1.0, 0.1, 0}, {2, 0.1, 0}}).exists);
  EXPECT_FALSE(facing_stretch(p, {{-2, 0.1, 0}, {0, 0.1, 0}}).exists);
  EXPECT_FALSE(facing_stretch(p, {{0.5, 0, 0}, {0.5, 0, 0}}).exists);
  EXPECT_FALSE(facing_stretch({{0.5, 0, 0}, {0.5, 0, 0}}, p).exists);
  EXPECT_FALSE(facing_stretch(p, {{0, 0, 0.1}, {1, 0.12, 0.1}}).exists);
  EXPECT_TRUE(facing_stretch(p, {{0, 0, 0.1}, {1, 0.08, 0.1}}).exists);
}

}  // namespace
}  // namespace tendril::collide
