// Lanes give the bits of one pair alone, for every instruction set.
#include "tendril/collide/segment_pair_kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "collide/scenes.hpp"
#include "tendril/collide/pair_view.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {
namespace {

constexpr Isa sets[] = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};

struct Pairs {
  std::vector<Vector3d> positions;
  std::vector<SegmentPair> pairs;

  Segment segment(std::uint32_t v) const { return {positions[v], positions[v + 1]}; }
  void add(const Segment& p, const Segment& q) {
    const auto first = std::uint32_t(positions.size());
    positions.insert(positions.end(), {p.start, p.end, q.start, q.end});
    pairs.push_back({first, first + 2});
  }
};

// Of all lengths and angles; some parallel, nearly so, in one line, in each other, or without length.
Pairs random_pairs(std::uint64_t seed) {
  Random random(seed);
  Pairs made;
  const double size = std::pow(10.0, random.uniform(-4.0, 3.0));
  for (int k = 0; k < 103; ++k) {
    const Vector3d a = random_vector(random, size), along = random_vector(random, size);
    const Vector3d b = a + random_vector(random, size * std::pow(10.0, random.uniform(-3.0, 0.0)));
    const double length = random.uniform(-2.0, 2.0);
    const std::array<Vector3d, 5> directions = {random_vector(random, size), length * along,
                                                length * along + random_vector(random, 0.05 * size),
                                                length * along + random_vector(random, 1e-13 * size), Vector3d::Zero()};
    const Vector3d across = directions[random.below(directions.size())];
    const Vector3d start = random.below(8) == 0 ? a : random.below(8) == 0 ? Vector3d(a + 0.3 * along) : b;
    const Segment p{a, random.below(20) == 0 ? a : Vector3d(a + along)}, q{start, start + across};
    random.below(2) == 0 ? made.add(p, q) : made.add(q, p);
  }
  return made;
}

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
}

void expect_same(const SegmentPointsGroup& lanes, std::size_t lane, const SegmentPoints& alone) {
  expect_same_bits(lanes.s[lane], alone.s);
  expect_same_bits(lanes.t[lane], alone.t);
  for (int axis = 0; axis < 3; ++axis) expect_same_bits(lanes.apart[axis][lane], alone.apart[axis]);
  expect_same_bits(lanes.distance[lane], alone.apart.norm());
}

TEST(SegmentPairKernels, GiveTheBitsOfOnePairAlone) {
  std::size_t facing = 0, others = 0;
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Pairs of = random_pairs(seed);
      const std::size_t groups = (of.pairs.size() + pairs_per_group - 1) / pairs_per_group;
      std::vector<SegmentPairGroup> measured(groups);
      segment_pair_kernels(isa).measure(pair_view(of.positions, {}, {}, of.pairs), 0, groups, measured.data());
      for (std::size_t k = 0; k < of.pairs.size(); ++k) {
        const SegmentPairGroup& group = measured[k / pairs_per_group];
        const std::size_t lane = k % pairs_per_group;
        const Segment p = of.segment(of.pairs[k].first), q = of.segment(of.pairs[k].second);
        expect_same(group.closest, lane, closest_points(p, q));
        const SegmentOverlap overlap = facing_stretch(p, q);
        ASSERT_EQ(group.faces[lane] != 0.0, overlap.exists);
        ++(overlap.exists ? facing : others);
        if (!overlap.exists) continue;
        expect_same(group.first, lane, overlap.first);
        expect_same(group.last, lane, overlap.last);
      }
    }
  }
  EXPECT_GT(facing, 10000u);
  EXPECT_GT(others, 10000u);
}

TEST(SegmentPairKernels, MeasureARangeOfGroups) {
  const Pairs of = random_pairs(7);
  const PairView view = pair_view(of.positions, {}, {}, of.pairs);
  std::vector<SegmentPairGroup> all(10), some(3);
  const SegmentPairKernels& kernels = segment_pair_kernels(active_isa());
  kernels.measure(view, 0, 10, all.data());
  kernels.measure(view, 4, 7, some.data());
  for (std::size_t g = 0; g < some.size(); ++g)
    for (std::size_t lane = 0; lane < pairs_per_group; ++lane)
      expect_same_bits(some[g].closest.distance[lane], all[g + 4].closest.distance[lane]);
}

}  // namespace
}  // namespace tendril::collide
