// Boxes that meet, against comparing all with all.
#include "tendril/collide/box_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "collide/scenes.hpp"

namespace tendril::collide {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Pair> met(const std::vector<Bounds>& boxes, BoxRows& rows) {
  std::vector<std::uint32_t> names(boxes.size());
  std::iota(names.begin(), names.end(), 0u);
  rows.enter(boxes, names);
  std::vector<SlotPair> found;
  for (std::size_t c = 0; c < rows.chunk_count(); ++c) rows.find_pairs(c, found);
  std::vector<Pair> pairs;
  for (const SlotPair& pair : found) pairs.push_back(std::minmax(pair.a, pair.b));
  std::ranges::sort(pairs);
  EXPECT_EQ(std::ranges::adjacent_find(pairs), pairs.end());
  return pairs;
}

// All that meet are found, and not many more.
void expect_brute_force(const std::vector<Bounds>& boxes) {
  BoxRows rows;
  const std::vector<Pair> found = met(boxes, rows);
  std::size_t count = 0;
  for (std::uint32_t a = 0; a < boxes.size(); ++a) {
    std::vector<std::uint32_t> here;
    rows.find_at(boxes[a], here);
    std::ranges::sort(here);
    EXPECT_EQ(std::ranges::adjacent_find(here), here.end());
    for (std::uint32_t b = 0; b < boxes.size(); ++b) {
      if (!boxes[a].meets(boxes[b])) continue;
      EXPECT_TRUE(std::ranges::binary_search(here, b));
      if (a >= b) continue;
      ++count;
      EXPECT_TRUE(std::ranges::binary_search(found, Pair{a, b})) << a << ' ' << b;
    }
  }
  EXPECT_GE(found.size(), count);
}

std::vector<Bounds> random_boxes(std::uint64_t seed, double spread_of_sizes) {
  Random random(seed);
  std::vector<Bounds> boxes(50 + random.below(150));
  for (Bounds& box : boxes) {
    const double size = 0.1 * std::pow(10.0, random.uniform(-spread_of_sizes, spread_of_sizes));
    box.low = random_vector(random, 1.0);
    box.high = box.low + size * random_vector(random, 1.0).cwiseAbs();
  }
  return boxes;
}

TEST(BoxRows, FindWhatBruteForceFinds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    expect_brute_force(random_boxes(seed, seed % 2 == 0 ? 0.3 : 3.0));
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(BoxRows, BearOutliersAndAnySize) {
  for (const double size : {1e-60, 1e-9, 1.0, 1e9, 1e60})
    for (const double far : {0.0, 1e3, 1e9}) {
      std::vector<Bounds> boxes = random_boxes(5, 1.0);
      boxes.push_back({Vector3d::Constant(far), Vector3d::Constant(far + 0.1)});
      boxes.push_back({Vector3d::Constant(-far), Vector3d::Constant(far)});
      for (Bounds& box : boxes) box.low *= size, box.high *= size;
      expect_brute_force(boxes);
    }
}

TEST(BoxRows, FindBoxesThatOnlyTouchAndThoseWithoutSize) {
  std::vector<Bounds> boxes;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) boxes.push_back({Vector3d(x, y, z), Vector3d(x + 1, y + 1, z + 1)});
  expect_brute_force(boxes);
  for (Bounds& box : boxes) box.high = box.low;
  boxes.push_back(boxes.front());
  expect_brute_force(boxes);
}

}  // namespace
}  // namespace tendril::collide
