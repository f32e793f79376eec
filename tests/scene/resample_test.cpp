#include "tendril/scene/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tendril {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

// A curve whose speed and curvature vary.
Points spiral(int samples) {
  Points points;
  for (int i = 0; i <= samples; ++i) {
    const double t = 6.0 * i / samples;
    points.push_back(Vector3d(t * std::cos(t), t * std::sin(t), 0.3 * t * t));
  }
  return points;
}

double segment(const Points& points, std::size_t i) { return (points[i + 1] - points[i]).norm(); }

TEST(WalkWithChord, MakesAllSegmentsEqual) {
  Points points;
  walk_with_chord(spiral(5000), 0.2, 80, points);
  ASSERT_EQ(points.size(), 80u);
  EXPECT_EQ(points.front(), Vector3d::Zero());
  for (std::size_t i = 0; i + 1 < points.size(); ++i) EXPECT_NEAR(segment(points, i), 0.2, 1e-14);
}

TEST(WalkWithChord, StaysOnTheCurve) {
  const Points curve = spiral(5000);
  Points points;
  walk_with_chord(curve, 0.2, 80, points);
  for (const Vector3d& p : points) {
    double nearest = 1.0;
    for (const Vector3d& c : curve) nearest = std::min(nearest, (c - p).norm());
    EXPECT_LT(nearest, 0.005);  // half the distance of two samples
  }
}

TEST(WalkWithChord, TakesStepsShorterAndLongerThanTheSamples) {
  const Points line = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  for (const double chord : {0.01, 0.3, 0.99, 1.0, 1.7}) {
    Points points;
    walk_with_chord(line, chord, 2, points);
    EXPECT_LT((points[1] - Vector3d(chord, 0, 0)).norm(), 1e-15);
  }
}

TEST(WalkWithChord, GoesOnStraightPastTheEnd) {
  Points points;
  walk_with_chord(Points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 1.0, 5, points);
  EXPECT_LT((points[4] - Vector3d(1, 3, 0)).norm(), 1e-15);
}

TEST(WalkWithChord, PassesOverRepeatedSamples) {
  Points points;
  walk_with_chord(Points{{0, 0, 0}, {0, 0, 0}, {0.5, 0, 0}, {0.5, 0, 0}, {2, 0, 0}}, 0.5, 4, points);
  EXPECT_LT((points[3] - Vector3d(1.5, 0, 0)).norm(), 1e-15);
}

TEST(FittingChord, EndsTheWalkAtTheLastSample) {
  const Points curve = spiral(5000);
  for (const std::size_t vertices : {2u, 3u, 10u, 300u}) {
    Points points;
    const double chord = fitting_chord(curve, vertices);
    walk_with_chord(curve, chord, vertices, points);
    EXPECT_LT((points.back() - curve.back()).norm(), 1e-11) << vertices;
  }
}

}  // namespace
}  // namespace tendril
