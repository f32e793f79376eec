// Strands for tests of detection.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/collide/contact.hpp"
#include "tendril/collide/grid.hpp"
#include "tendril/collide/narrow.hpp"
#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

struct Strands {
  std::vector<Vector3d> positions;
  std::vector<std::uint32_t> offsets = {0};
  std::vector<double> radius;
  std::vector<std::uint32_t> group;

  void add(const std::vector<Vector3d>& points, double thickness, std::uint32_t of_group = 0) {
    positions.insert(positions.end(), points.begin(), points.end());
    radius.resize(positions.size(), thickness);
    offsets.push_back(static_cast<std::uint32_t>(positions.size()));
    group.push_back(of_group);
  }
  Polylines view() const { return {positions, offsets, radius, group}; }
};

inline Vector3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline Vector3d random_direction(Random& random) {
  const auto d = random.direction();
  return {d[0], d[1], d[2]};
}

// Strands that wander through a box of size 1: of all lengths of edges and radii, some short, some parallel to another
// one or the same, some flat, some with an edge of no length.
inline Strands random_strands(std::uint64_t seed) {
  Random random(seed, 77);
  Strands strands;
  const std::size_t count = 2 + random.below(12);
  const double step = std::pow(10.0, random.uniform(-2.0, 0.3)), thickness = std::pow(10.0, random.uniform(-2.5, -0.7));
  const bool flat = random.below(5) == 0, unequal = random.below(3) == 0;
  for (std::size_t s = 0; s < count; ++s) {
    std::vector<Vector3d> points;
    if (s > 0 && random.below(4) == 0) {  // beside the first strand
      const Vector3d aside = thickness * random.uniform(0.0, 3.0) * random_direction(random);
      for (std::size_t v = 0; v < strands.offsets[1]; ++v) points.push_back(strands.positions[v] + aside);
    } else {
      Vector3d at = random_vector(random, 1.0), way = random_direction(random);
      for (std::size_t v = 0, last = random.below(25); v < last; ++v) {
        points.push_back(at);
        way = (way + 0.5 * random_direction(random)).normalized();
        if (random.below(20) != 0) at += step * (unequal ? std::pow(10.0, random.uniform(-2.0, 1.0)) : 1.0) * way;
      }
    }
    if (flat)
      for (Vector3d& point : points) point.z() = 0.25;
    const double own = thickness * (unequal ? std::pow(10.0, random.uniform(-2.0, 0.5)) : 1.0);
    strands.add(points, own, static_cast<std::uint32_t>(random.below(3)));
    if (unequal)
      for (std::size_t v = strands.offsets[s]; v < strands.offsets[s + 1]; ++v) strands.radius[v] *= random.uniform();
  }
  return strands;
}

inline std::vector<SegmentPair> pairs_by_grid(const Strands& strands, const GridOptions& options = {}) {
  Grid grid;
  std::vector<SegmentPair> pairs;
  const Status found = grid.find(strands.view(), options, pairs);
  EXPECT_TRUE(found) << found.error().message();
  return pairs;
}

inline std::vector<Contact> contacts_of(const Strands& strands, const std::vector<SegmentPair>& pairs,
                                        const NarrowOptions& options = {}, const LastContacts& last = {}) {
  Narrow narrow;
  ContactRefs found;
  narrow.find(strands.view(), pairs, options, last, found);
  std::vector<Contact> copies;
  for (const Contact* const contact : found) copies.push_back(*contact);
  return copies;
}

inline std::vector<Contact> contacts_of(const Strands& strands) { return contacts_of(strands, pairs_by_grid(strands)); }

inline void expect_same_bits(const std::vector<Contact>& found, const std::vector<Contact>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_TRUE(contact_order(found[k], expected[k]) == 0);
    EXPECT_EQ(found[k].gap, expected[k].gap);
    EXPECT_EQ(found[k].normal, expected[k].normal);
    EXPECT_EQ(found[k].point_a, expected[k].point_a);
    EXPECT_EQ(found[k].point_b, expected[k].point_b);
    EXPECT_EQ(found[k].side, expected[k].side);
    EXPECT_EQ(found[k].body.feature, expected[k].body.feature);
  }
}

// The rules of grid.hpp, written again.
inline bool may_meet(const Strands& strands, std::size_t s1, std::size_t i, std::size_t s2, std::size_t j,
                     bool within_groups) {
  if (!within_groups && strands.group[s1] == strands.group[s2]) return false;
  if (s1 != s2) return true;
  if (j <= i + 2) return false;
  double arc = 0.0;
  for (std::size_t v = i + 1; v < j; ++v) arc += (strands.positions[v + 1] - strands.positions[v]).norm();
  double radius = 0.0;
  for (const std::size_t v : {i, i + 1, j, j + 1}) radius = std::max(radius, strands.radius[v]);
  return arc >= 4.0 * radius;
}

inline std::vector<SegmentPair> all_pairs(const Strands& strands, bool within_groups = true) {
  std::vector<SegmentPair> pairs;
  for (std::size_t s1 = 0; s1 + 1 < strands.offsets.size(); ++s1)
    for (std::size_t i = strands.offsets[s1]; i + 1 < strands.offsets[s1 + 1]; ++i)
      for (std::size_t s2 = s1; s2 + 1 < strands.offsets.size(); ++s2)
        for (std::size_t j = strands.offsets[s2]; j + 1 < strands.offsets[s2 + 1]; ++j)
          if (i < j && may_meet(strands, s1, i, s2, j, within_groups))
            pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace tendril::collide
