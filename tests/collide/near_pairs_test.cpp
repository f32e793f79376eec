#include "tendril/collide/near_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes.hpp"
#include "tendril/base/random.hpp"
#include "tendril/collide/narrow.hpp"
#include "tendril/collide/segment_pair.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

const NearPairs::Sweep sweep{{0.1, 0.0}, {4.1, 0.0}};

std::vector<SegmentPair> sorted(std::vector<SegmentPair> pairs) {
  std::ranges::sort(pairs);
  return pairs;
}

double distance(std::span<const Vector3d> x, const SegmentPair& pair) {
  return closest_points({x[pair.first], x[pair.first + 1]}, {x[pair.second], x[pair.second + 1]}).apart.norm();
}

// What a search must find: pairs that come closer than the margin on the way, as far as some times show.
std::vector<SegmentPair> pairs_that_come_near(const Strands& strands, std::span<const Vector3d> end,
                                              const Margin& margin) {
  std::vector<SegmentPair> found;
  for (const SegmentPair& pair : all_pairs(strands)) {
    const double reach =
        grown_radius(strands.view(), margin, pair.first) + grown_radius(strands.view(), margin, pair.second);
    for (const double time : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const auto at = [&](std::uint32_t v) {
        return Vector3d(strands.positions[v] + time * (end[v] - strands.positions[v]));
      };
      const auto [i, j] = pair;
      if (!(closest_points({at(i), at(i + 1)}, {at(j), at(j + 1)}).apart.norm() < 0.999 * reach)) continue;
      found.push_back(pair);
      break;
    }
  }
  return found;
}

void learn(const Strands& strands, std::span<const SegmentPair> pairs, NearPairs& near) {
  std::vector<float> distances;
  for (const SegmentPair& pair : pairs)
    distances.push_back(std::nextafter(float(distance(strands.positions, pair)), 0.0f));
  near.learn(distances);
}

// Strands that drift, turn all together, rest for a while and jump: a list lasts for a few steps or for none. A
// thousand scenes, each compared with all pairs.
TEST(NearPairs, FindsAllThatComeNearStepAfterStep) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Strands strands = random_strands(seed);
    Random random(seed);
    const double way = std::pow(10.0, random.uniform(-5.0, -1.0));
    const Vector3d wind = random_vector(random, 100.0 * way);
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(random.uniform(0.0, 0.1), random_vector(random, 1.0).normalized()));
    std::vector<Vector3d> velocity(strands.positions.size(), Vector3d::Zero());
    NearPairs near;
    std::vector<SegmentPair> pairs;
    for (int step = 0; step < 20; ++step) {
      for (Vector3d& v : velocity) v = 0.9 * v + random_vector(random, step % 11 == 10 ? 10.0 * way : way);
      std::vector<Vector3d> end = strands.positions;
      for (std::size_t v = 0; v < end.size(); ++v) end[v] += velocity[v];
      ASSERT_TRUE(near.find(strands.view(), end, sweep, pairs));
      const auto found_here = sorted(pairs);
      EXPECT_EQ(std::ranges::adjacent_find(found_here), found_here.end());
      EXPECT_TRUE(std::ranges::includes(all_pairs(strands), found_here));
      const auto wanted = pairs_that_come_near(strands, end, sweep.contacts);
      EXPECT_TRUE(std::ranges::includes(found_here, wanted)) << "seed " << seed << ", step " << step;
      found += wanted.size();
      if (step % 3 != 2) learn(strands, pairs, near);
      for (std::size_t v = 0; v < end.size(); ++v) strands.positions[v] = turn * end[v] + wind;
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(found, 1000u);
}

// The contacts are those that all pairs of swept boxes give, in whatever state the list is.
TEST(NearPairs, GiveTheSameContactsAsAFreshSearch) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Strands strands = random_strands(seed);
    Random random(seed);
    const double way = std::pow(10.0, random.uniform(-4.0, -1.0));
    NearPairs near;
    Narrow narrow, narrow_without;
    Grid grid;
    std::vector<SegmentPair> pairs;
    for (int step = 0; step < 12; ++step) {
      std::vector<Vector3d> motion(strands.positions.size()), end = strands.positions;
      for (std::size_t v = 0; v < end.size(); ++v) motion[v] = random_vector(random, way), end[v] += motion[v];
      ContactRefs with_list, without;
      ASSERT_TRUE(near.find(strands.view(), end, sweep, pairs));
      narrow.find(strands.view(), pairs, {sweep.contacts, 0.0, motion, end, sweep.boxes}, {}, with_list);
      near.learn(narrow.distances());
      ASSERT_TRUE(grid.find_swept(strands.view(), end, {sweep.boxes, true}, pairs));
      narrow_without.find(strands.view(), pairs, {sweep.contacts, 0.0, motion}, {}, without);
      ASSERT_EQ(with_list.size(), without.size()) << "seed " << seed << ", step " << step;
      for (std::size_t k = 0; k < without.size(); ++k) {
        EXPECT_EQ(contact_order(*with_list[k], *without[k]), std::weak_ordering::equivalent);
        EXPECT_EQ(with_list[k]->gap, without[k]->gap);
      }
      found += without.size();
      for (std::size_t v = 0; v < end.size(); ++v) strands.positions[v] += 0.1 * motion[v];
    }
  }
  EXPECT_GT(found, 1000u);
}

// Some strands go elsewhere, and then elsewhere again; the others go where they were to go. In later steps there is a
// list.
TEST(NearPairs, FindAllThatGoAstray) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Strands strands = random_strands(seed);
    Random random(seed);
    const double way = std::pow(10.0, random.uniform(-3.0, 0.5));
    NearPairs near;
    for (int step = 0; step < 4; ++step) {
      std::vector<Vector3d> end = strands.positions;
      for (Vector3d& x : end) x += random_vector(random, way);
      std::vector<SegmentPair> first, astray_pairs;
      ASSERT_TRUE(near.find(strands.view(), end, sweep, first));
      learn(strands, first, near);
      std::vector<std::uint32_t> astray;
      for (std::uint32_t s = 0; s + 1 < strands.offsets.size(); ++s)
        if (random.below(3) == 0) astray.push_back(s);
      for (int round = 0; round < 3; ++round) {
        for (const std::uint32_t s : astray)
          for (std::uint32_t v = strands.offsets[s]; v < strands.offsets[s + 1]; ++v)
            if (random.below(2) == 0) end[v] += random_vector(random, 5.0 * way);
        ASSERT_TRUE(near.find_astray(strands.view(), end, astray, astray_pairs));
        std::vector<SegmentPair> all = first;
        all.insert(all.end(), astray_pairs.begin(), astray_pairs.end());
        std::ranges::sort(all);
        const auto allowed = all_pairs(strands);
        for (const SegmentPair& pair : all) EXPECT_TRUE(std::ranges::binary_search(allowed, pair));
        const auto wanted = pairs_that_come_near(strands, end, {-1.0, 1e-3});
        for (const SegmentPair& pair : wanted) EXPECT_TRUE(std::ranges::binary_search(all, pair));
        found += wanted.size();
      }
      if (HasFailure()) FAIL() << "seed " << seed << ", step " << step;
      for (std::size_t v = 0; v < end.size(); ++v) strands.positions[v] += 0.02 * (end[v] - strands.positions[v]);
    }
  }
  EXPECT_GT(found, 100u);
}

// All fall together, as far as segments are long, and come no nearer to each other; then some are held.
TEST(NearPairs, TakeBackWhatDoesNotGoTheSameWay) {
  Random random(5);
  Strands strands;
  for (int s = 0; s < 60; ++s) {
    std::vector<Vector3d> points = {random_vector(random, 0.1)};
    for (int k = 0; k < 8; ++k) points.push_back(points.back() + random_vector(random, 0.2));
    strands.add(points, 1e-4);
  }
  NearPairs near;
  std::size_t found = 0;
  for (int step = 0; step < 6; ++step) {
    const Vector3d fall(0.0, -0.01, 0.0);
    std::vector<Vector3d> end = strands.positions;
    for (Vector3d& x : end) x += fall + random_vector(random, 1e-4);
    std::vector<SegmentPair> pairs;
    ASSERT_TRUE(near.find(strands.view(), end, sweep, pairs));
    EXPECT_TRUE(std::ranges::includes(sorted(pairs), pairs_that_come_near(strands, end, sweep.contacts)));
    learn(strands, pairs, near);
    const std::size_t before = pairs.size();
    std::vector<std::uint32_t> held;
    for (std::uint32_t s = 0; s + 1 < strands.offsets.size(); s += 2) {
      held.push_back(s);
      for (std::uint32_t v = strands.offsets[s]; v < strands.offsets[s + 1]; ++v) end[v] -= fall;
    }
    ASSERT_TRUE(near.find_astray(strands.view(), end, held, pairs));
    const auto met = pairs_that_come_near(strands, end, {-1.0, 1e-4});
    EXPECT_TRUE(std::ranges::includes(sorted(pairs), met)) << "step " << step;
    if (step > 2) found += pairs.size() - before;
  }
  EXPECT_GT(found, 100u);
}

// All but one strand rest, and that one jumps about: the list stays for some steps, and nothing of the one is missed,
// neither where it goes nor where it or another one is led astray.
TEST(NearPairs, FindAFewThatLeaveTheList) {
  Random random(3);
  Strands strands;
  for (int s = 0; s < 80; ++s) {
    std::vector<Vector3d> points = {random_vector(random, 0.5)};
    for (int k = 0; k < 8; ++k) points.push_back(points.back() + random_vector(random, 0.05));
    strands.add(points, 0.01);
  }
  const std::uint32_t first = strands.offsets[17], last = strands.offsets[18];
  NearPairs near;
  std::size_t found = 0;
  for (int step = 0; step < 8; ++step) {
    std::vector<Vector3d> end = strands.positions;
    const Vector3d jump = step > 0 ? random_vector(random, 0.4) : Vector3d::Zero();
    for (std::uint32_t v = first; v < last; ++v) end[v] += jump;
    std::vector<SegmentPair> pairs;
    ASSERT_TRUE(near.find(strands.view(), end, sweep, pairs));
    const auto wanted = pairs_that_come_near(strands, end, sweep.contacts);
    EXPECT_TRUE(std::ranges::includes(sorted(pairs), wanted)) << "step " << step;
    learn(strands, pairs, near);
    const std::vector<std::uint32_t> astray = {16, 17};
    for (std::uint32_t v = strands.offsets[16]; v < last; ++v) end[v] += random_vector(random, 0.3);
    ASSERT_TRUE(near.find_astray(strands.view(), end, astray, pairs));
    const auto met = pairs_that_come_near(strands, end, {-1.0, 1e-3});
    EXPECT_TRUE(std::ranges::includes(sorted(pairs), met)) << "step " << step;
    found += std::size_t(std::ranges::count_if(
        wanted, [&](const SegmentPair& pair) { return pair.first >= first && pair.first < last; }));
    for (std::uint32_t v = first; v < last; ++v) strands.positions[v] += jump;
  }
  EXPECT_GE(found, 20u);
}

TEST(NearPairs, RefusesWhatIsNotFiniteAndGoesOnAfterwards) {
  Strands strands = random_strands(1);
  NearPairs near;
  std::vector<SegmentPair> pairs;
  EXPECT_FALSE(near.find_astray(strands.view(), strands.positions, {}, pairs));
  ASSERT_TRUE(near.find(strands.view(), strands.positions, sweep, pairs));
  std::vector<Vector3d> end = strands.positions;
  end[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(near.find(strands.view(), end, sweep, pairs));
  ASSERT_TRUE(near.find(strands.view(), strands.positions, sweep, pairs));
  EXPECT_TRUE(std::ranges::includes(sorted(pairs), pairs_that_come_near(strands, strands.positions, sweep.contacts)));
  const std::vector<std::uint32_t> all = {0};
  EXPECT_FALSE(near.find_astray(strands.view(), end, all, pairs));
}

}  // namespace
}  // namespace tendril::collide
