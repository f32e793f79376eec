#include "tendril/collide/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collide/scenes.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/collide/segment_pair.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

void expect_brute_force(const Strands& strands, const GridOptions& options = {}) {
  const NarrowOptions narrow{options.margin, 0.0, {}};
  const auto pairs = pairs_by_grid(strands, options);
  EXPECT_TRUE(std::ranges::is_sorted(pairs));
  EXPECT_EQ(std::ranges::adjacent_find(pairs), pairs.end());
  const auto allowed = all_pairs(strands, options.within_groups);
  EXPECT_TRUE(std::ranges::includes(allowed, pairs));
  expect_same_bits(contacts_of(strands, pairs, narrow), contacts_of(strands, allowed, narrow));
}

TEST(Grid, FindsTheContactsOfBruteForceInAThousandRandomScenes) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Strands strands = random_strands(seed);
    GridOptions options;
    options.within_groups = seed % 3 != 0;
    options.margin.absolute = seed % 5 == 0 ? 0.05 : 0.0;
    expect_brute_force(strands, options);
    contacts += contacts_of(strands).size();
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(contacts, 20000u);  // else the scenes would be too thin to fail
}

TEST(Grid, ReportsFewPairsThatAreFarApart) {
  std::size_t pairs = 0, near = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Strands strands = random_strands(seed);
    const auto& x = strands.positions;
    for (const SegmentPair& pair : pairs_by_grid(strands)) {
      const double apart =
          closest_points({x[pair.first], x[pair.first + 1]}, {x[pair.second], x[pair.second + 1]}).apart.norm();
      const double radii = std::max(strands.radius[pair.first], strands.radius[pair.first + 1]) +
                           std::max(strands.radius[pair.second], strands.radius[pair.second + 1]);
      ++pairs, near += apart <= 1.100001 * radii ? 1 : 0;
    }
  }
  EXPECT_GT(pairs, 1000u);
  EXPECT_EQ(near, pairs);
}

TEST(Grid, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const std::uint64_t seed : {3u, 4u, 5u}) {
    Strands strands;
    for (std::uint64_t part = 0; part < 40; ++part) {
      const Strands some = random_strands(100 * seed + part);
      for (std::size_t s = 0; s + 1 < some.offsets.size(); ++s)
        strands.add({some.positions.begin() + some.offsets[s], some.positions.begin() + some.offsets[s + 1]}, 0.01);
    }
    set_thread_count(1);
    const auto pairs = pairs_by_grid(strands);
    const auto contacts = contacts_of(strands, pairs);
    EXPECT_GT(contacts.size(), 1000u);
    for (const int threads : {2, 3, 7}) {
      set_thread_count(threads);
      EXPECT_EQ(pairs_by_grid(strands), pairs);
      expect_same_bits(contacts_of(strands, pairs), contacts);
    }
    set_thread_count(0);
  }
}

TEST(Grid, CanBeUsedAgainForOtherStrands) {
  Grid grid;
  std::vector<SegmentPair> pairs;
  for (const std::uint64_t seed : {9u, 2u, 14u, 0u}) {
    const Strands strands = random_strands(seed);
    ASSERT_TRUE(grid.find(strands.view(), {}, pairs));
    EXPECT_EQ(pairs, pairs_by_grid(strands));
  }
}

TEST(Grid, FindsNothingAmongNothing) {
  Strands strands;
  EXPECT_TRUE(pairs_by_grid(strands).empty());
  strands.add({}, 0.1);
  strands.add({{0, 0, 0}}, 0.1);
  strands.add({{0, 0, 0}}, 0.1);
  EXPECT_TRUE(pairs_by_grid(strands).empty());
  strands.add({{0, 0, 0}, {1, 0, 0}}, 0.1);
  EXPECT_TRUE(pairs_by_grid(strands).empty());
  strands.add({{0.5, 0, 0.1}, {0.5, 1, 0.1}}, 0.1);
  EXPECT_EQ(pairs_by_grid(strands).size(), 1u);
  Grid grid;
  std::vector<SegmentPair> pairs;
  EXPECT_TRUE(grid.find({}, {}, pairs));
}

TEST(Grid, AcceptsSegmentsWithoutLengthAndStrandsInOnePoint) {
  Strands strands;
  for (int s = 0; s < 3; ++s) strands.add({{1, 1, 1}, {1, 1, 1}}, s == 0 ? 0.0 : 0.1);
  EXPECT_EQ(pairs_by_grid(strands).size(), 3u);
  for (double& radius : strands.radius) radius = 0.0;
  EXPECT_EQ(pairs_by_grid(strands).size(), 3u);  // at distance zero
}

TEST(Grid, IsNotSpoiltByAnOutlierOrByOneOfEachSize) {
  for (const double far : {1e3, 1e9, 1e15, 1e30, 1e60, 1e70}) {
    Strands strands = random_strands(12);
    strands.add({{far, -far, 0.5 * far}, {far, -far, 0.5 * far + 1.0}}, 0.05);
    expect_brute_force(strands);
    strands.add({{-far, 0, 0.01}, {far, 0, 0.01}}, 0.05);  // a long one through all
    expect_brute_force(strands);
  }
  Strands strands = random_strands(12);
  strands.add({{0, 0, 0}, {0.1, 0, 0}}, 1e4);  // a thick one around all
  expect_brute_force(strands);
  strands.add({{0, 0, 0}, {0.1, 0, 0}}, 1e65);
  expect_brute_force(strands);
}

TEST(Grid, WorksFarFromTheOriginAndAtAnySize) {
  for (const double size : {1e-60, 1e-9, 1e9, 1e50})
    for (const double far : {0.0, 1e6, 1e12}) {
      Strands strands = random_strands(7);
      for (Vector3d& x : strands.positions) x = size * (x + Vector3d(far, -far, 0.3 * far));
      for (double& radius : strands.radius) radius *= size;
      expect_brute_force(strands);
    }
}

TEST(Grid, RefusesWhatIsNotFiniteAndNamesIt) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity, 1e71}) {
    Strands strands;
    strands.add({{0, 0, 0}, {1, 0, 0}}, 0.1);
    strands.add({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0.1);
    Grid grid;
    std::vector<SegmentPair> pairs;
    const auto refused = [&] {
      const Status status = grid.find(strands.view(), {}, pairs);
      return status ? std::string() : status.error().message();
    };
    strands.positions[4].y() = bad;
    EXPECT_TRUE(refused().starts_with("strand 1, vertex 2: the position (2, ")) << refused();
    strands.positions[4].y() = 0.0, strands.radius[1] = bad;
    EXPECT_TRUE(refused().starts_with("strand 0, vertex 1: the radius ")) << refused();
    strands.radius[1] = -1.0;
    EXPECT_FALSE(refused().empty());
    strands.radius[1] = 1.0;
    EXPECT_TRUE(refused().empty());
    GridOptions options;
    options.margin.relative = bad;
    EXPECT_FALSE(grid.find(strands.view(), options, pairs));
  }
}

TEST(Grid, RefusesSizesThatDoNotFit) {
  Strands strands = random_strands(1);
  Grid grid;
  std::vector<SegmentPair> pairs;
  Strands fewer_radii = strands, wrong_offsets = strands, fewer_groups = strands, falling = strands;
  fewer_radii.radius.pop_back();
  wrong_offsets.offsets.back() += 1;
  fewer_groups.group.pop_back();
  falling.offsets[1] = falling.offsets.back() + 1;
  for (const Strands& bad : {fewer_radii, wrong_offsets, fewer_groups, falling})
    EXPECT_FALSE(grid.find(bad.view(), {}, pairs));
  const std::vector<Vector3d> end(strands.positions.size() + 1, Vector3d::Zero());
  EXPECT_FALSE(grid.find_swept(strands.view(), end, {}, pairs));
}

TEST(Grid, LeavesOutNeighboursOnAStrand) {
  Strands strands;  // a hairpin: out and back, a hair's breadth apart
  std::vector<Vector3d> points;
  for (int v = 0; v < 10; ++v) points.push_back({0.1 * v, 0.0, 0.0});
  for (int v = 9; v >= 0; --v) points.push_back({0.1 * v, 0.01, 0.0});
  strands.add(points, 0.005);
  const auto pairs = pairs_by_grid(strands);
  EXPECT_FALSE(pairs.empty());
  for (const SegmentPair& pair : pairs) EXPECT_GT(pair.second - pair.first, 2u);
  for (double& radius : strands.radius) radius = 0.1;  // now four radii are four edges
  for (const SegmentPair& pair : pairs_by_grid(strands)) EXPECT_GE(pair.second - pair.first, 5u);
}

TEST(Grid, FindsAllThatSweepsClose) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Strands strands = random_strands(seed);
    Random random(seed);
    std::vector<Vector3d> end = strands.positions;
    const double way = std::pow(10.0, random.uniform(-3.0, 0.5));
    for (Vector3d& x : end) x += random_vector(random, way);
    Grid grid;
    std::vector<SegmentPair> pairs;
    ASSERT_TRUE(grid.find_swept(strands.view(), end, {}, pairs));
    std::ranges::sort(pairs);
    EXPECT_EQ(std::ranges::adjacent_find(pairs), pairs.end());
    EXPECT_TRUE(std::ranges::includes(all_pairs(strands), pairs));
    for (const double time : {0.0, 0.3, 0.9, 1.0}) {
      Strands moved = strands;
      for (std::size_t v = 0; v < end.size(); ++v) moved.positions[v] += time * (end[v] - strands.positions[v]);
      for (const SegmentPair& pair : all_pairs(strands)) {
        const auto& x = moved.positions;
        const auto closest = closest_points({x[pair.first], x[pair.first + 1]}, {x[pair.second], x[pair.second + 1]});
        const double reach = std::min(strands.radius[pair.first], strands.radius[pair.first + 1]) +
                             std::min(strands.radius[pair.second], strands.radius[pair.second + 1]);
        if (!(closest.apart.norm() < reach)) continue;
        EXPECT_TRUE(std::ranges::binary_search(pairs, pair)) << seed << ' ' << pair.first << ' ' << pair.second;
      }
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace tendril::collide
