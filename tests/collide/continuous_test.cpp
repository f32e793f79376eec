#include "tendril/collide/continuous.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "collide/scenes.hpp"
#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

double distance_at(const MovingSegment& p, const MovingSegment& q, double time) {
  return closest_points(p.at(time), q.at(time)).apart.norm();
}

MovingSegment random_motion(Random& random, double way) {
  const Segment start{random_vector(random, 1.0), random_vector(random, 1.0)};
  return {start, {start.start + random_vector(random, way), start.end + random_vector(random, way)}};
}

// The smallest distance over the step, and where: samples, then smaller and smaller stretches around the best.
struct Least {
  double time = 0.0, distance = 1e9;
};

Least least_by_sampling(const MovingSegment& p, const MovingSegment& q, double from, double to, int samples) {
  Least least;
  for (int k = 0; k <= samples; ++k) {
    const double time = from + (to - from) * k / samples;
    if (const double here = distance_at(p, q, time); here < least.distance) least = {time, here};
  }
  return least;
}

TEST(Continuous, AgreesWithDenseSamplesOfTime) {
  Random random(1);
  int crossed = 0, passed = 0;
  for (int k = 0; k < 3000; ++k) {
    const MovingSegment p = random_motion(random, k % 2 == 0 ? 1.0 : 0.3), q = random_motion(random, 1.0);
    Least least = least_by_sampling(p, q, 0.0, 1.0, 400);
    for (double width = 1.0 / 200; width > 1e-13; width *= 0.2)
      least = least_by_sampling(p, q, std::max(0.0, least.time - width), std::min(1.0, least.time + width), 40);
    const auto found = first_crossing(p, q);
    if (least.distance < 1e-10) {
      EXPECT_TRUE(found.has_value()) << k;
      ++crossed;
    } else if (least.distance > 1e-6) {
      EXPECT_FALSE(found.has_value()) << k;
      ++passed;
    }
    if (!found) continue;
    EXPECT_LT((p.at(found->time).at(found->s) - q.at(found->time).at(found->t)).norm(), 1e-7);
    // It is the first: up to it the segments never come as close as 1e-6 unless they are about to meet.
    const Least before = least_by_sampling(p, q, 0.0, std::max(0.0, found->time - 1e-3), 400);
    EXPECT_GT(before.distance, 1e-9) << k;
  }
  EXPECT_GT(crossed, 250);
  EXPECT_GT(passed, 1000);
}

TEST(Continuous, FindsThatOneRodFallsThroughAnotherInABlink) {
  const Segment p{{-1, 0, 0}, {1, 0, 0}};
  for (const double way : {1e-6, 1.0, 1e6}) {
    const MovingSegment resting{p, p};
    const MovingSegment falling{{{0, -1, 0.25 * way}, {0, 1, 0.25 * way}}, {{0, -1, -0.75 * way}, {0, 1, -0.75 * way}}};
    const auto found = first_crossing(resting, falling);
    ASSERT_TRUE(found) << way;
    EXPECT_NEAR(found->time, 0.25, 1e-9);
    EXPECT_NEAR(found->s, 0.5, 1e-9);
    EXPECT_NEAR(found->t, 0.5, 1e-9);
    const MovingSegment short_of{{{0, -1, 0.25 * way}, {0, 1, 0.25 * way}}, {{0, -1, 0.01 * way}, {0, 1, 0.01 * way}}};
    EXPECT_FALSE(first_crossing(resting, short_of)) << way;
  }
}

TEST(Continuous, FindsMeetingsWithinOnePlane) {
  const Segment p{{-1, 0, 0}, {1, 0, 0}};
  const MovingSegment resting{p, p};
  const MovingSegment upwards{{{0, -2, 0}, {0, -1, 0}}, {{0, -0.8, 0}, {0, 0.2, 0}}};  // its tip comes through
  const auto found = first_crossing(resting, upwards);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 1.0 / 1.2, 1e-6);
  const MovingSegment beside{{{2, -2, 0}, {2, -1, 0}}, {{2, 0.2, 0}, {2, 1.2, 0}}};
  EXPECT_FALSE(first_crossing(resting, beside));
  const MovingSegment parallel{{{-1, 1, 0}, {1, 1, 0}}, {{-1, -1, 0}, {1, -1, 0}}};
  ASSERT_TRUE(first_crossing(resting, parallel));
  EXPECT_NEAR(first_crossing(resting, parallel)->time, 0.5, 1e-6);
  EXPECT_FALSE(first_crossing(resting, {{{-1, 1, 0}, {1, 1, 0}}, {{-1, 1, 0}, {1, 1, 0}}}));
}

TEST(Continuous, CountsTouchingAtTheStartTheEndAndATurn) {
  const Segment p{{-1, 0, 0}, {1, 0, 0}};
  const MovingSegment resting{p, p};
  const auto across = [](double z) { return Segment{{0, -1, z}, {0, 1, z}}; };
  ASSERT_TRUE(first_crossing(resting, {across(0.0), across(1.0)}));
  EXPECT_EQ(first_crossing(resting, {across(0.0), across(1.0)})->time, 0.0);
  ASSERT_TRUE(first_crossing(resting, {across(1.0), across(0.0)}));
  EXPECT_EQ(first_crossing(resting, {across(1.0), across(0.0)})->time, 1.0);
}

TEST(Continuous, AcceptsSegmentsWithoutLength) {
  const Segment p{{-1, 0, 0}, {1, 0, 0}}, above{{0, 0, 1}, {0, 0, 1}}, below{{0, 0, -1}, {0, 0, -1}};
  EXPECT_TRUE(first_crossing({p, p}, {above, below}));
  EXPECT_FALSE(first_crossing({p, p}, {above, above}));
  EXPECT_TRUE(first_crossing({above, above}, {above, above}));
}

TEST(Continuous, BoundsTheRelativeMotion) {
  Random random(2);
  for (int k = 0; k < 500; ++k) {
    const MovingSegment p = random_motion(random, 1.0), q = random_motion(random, 1.0);
    const double bound = relative_motion_bound(p, q);
    double most = 0.0;
    for (int i = 0; i <= 10; ++i)
      for (int j = 0; j <= 10; ++j) {
        const double s = i / 10.0, t = j / 10.0;
        most = std::max(most, ((p.end.at(s) - p.start.at(s)) - (q.end.at(t) - q.start.at(t))).norm());
      }
    EXPECT_NEAR(most, bound, 1e-12);  // the corners are among the samples
    const double before = distance_at(p, q, 0.0), after = distance_at(p, q, 1.0);
    EXPECT_LE(std::abs(after - before), bound + 1e-12);
  }
}

// A comb that is pulled through a row of strands crosses each once, by brute force and by search.
TEST(Continuous, FindsAllCrossingsOfAStep) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Strands strands = random_strands(seed);
    Random random(seed);
    std::vector<Vector3d> end = strands.positions;
    const double way = std::pow(10.0, random.uniform(-2.0, 0.3));
    for (Vector3d& x : end) x += random_vector(random, way);
    CrossingSearch search;
    std::vector<StrandCrossing> crossings, again;
    ASSERT_TRUE(search.find(strands.view(), end, {}, crossings));
    for (const int threads : {1, 3}) {
      set_thread_count(threads);
      ASSERT_TRUE(search.find(strands.view(), end, {}, again));
      ASSERT_EQ(again.size(), crossings.size());
      for (std::size_t k = 0; k < again.size(); ++k) EXPECT_EQ(again[k].crossing.time, crossings[k].crossing.time);
    }
    set_thread_count(0);
    std::size_t expected = 0;
    const auto moving = [&](std::size_t v) {
      return MovingSegment{{strands.positions[v], strands.positions[v + 1]}, {end[v], end[v + 1]}};
    };
    for (std::size_t s1 = 0; s1 + 1 < strands.offsets.size(); ++s1)
      for (std::size_t s2 = s1 + 1; s2 + 1 < strands.offsets.size(); ++s2)
        for (std::size_t i = strands.offsets[s1]; i + 1 < strands.offsets[s1 + 1]; ++i)
          for (std::size_t j = strands.offsets[s2]; j + 1 < strands.offsets[s2 + 1]; ++j)
            expected += first_crossing(moving(i), moving(j)) ? 1 : 0;
    std::size_t between_strands = 0;
    for (const StrandCrossing& one : crossings) {
      const auto strand = [&](std::uint32_t v) {
        return std::ranges::upper_bound(strands.offsets, v) - strands.offsets.begin();
      };
      between_strands += strand(one.segments.first) != strand(one.segments.second) ? 1 : 0;
    }
    EXPECT_EQ(between_strands, expected) << seed;
  }
}

// Those that are known not to cross need not be asked: with all others settled the same crossings are found.
TEST(Continuous, AsksOnlyForWhatIsNotSettled) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Strands strands = random_strands(seed);
    Random random(seed);
    std::vector<Vector3d> end = strands.positions;
    for (Vector3d& x : end) x += random_vector(random, 0.1);
    Grid grid;
    std::vector<SegmentPair> pairs;
    ASSERT_TRUE(grid.find_swept(strands.view(), end, {}, pairs));
    CrossingSearch search;
    std::vector<StrandCrossing> all, some, none;
    search.among(strands.view(), end, pairs, {}, {}, all);
    std::vector<char> is_settled(end.size(), 1);
    search.among(strands.view(), end, pairs, {}, is_settled, none);
    EXPECT_TRUE(none.empty());
    for (const StrandCrossing& one : all) is_settled[one.segments.first] = 0;
    search.among(strands.view(), end, pairs, {}, is_settled, some);
    ASSERT_EQ(some.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(some[k].segments, all[k].segments);
    found += all.size();
  }
  EXPECT_GT(found, 100u);
}

TEST(Continuous, RefusesAnEndOfAnotherSize) {
  const Strands strands = random_strands(1);
  CrossingSearch search;
  std::vector<StrandCrossing> crossings;
  EXPECT_FALSE(search.find(strands.view(), {}, {}, crossings));
  std::vector<Vector3d> end = strands.positions;
  end[0].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(search.find(strands.view(), end, {}, crossings));
}

}  // namespace
}  // namespace tendril::collide
