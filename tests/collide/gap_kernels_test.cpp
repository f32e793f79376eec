// Gaps in single precision are never wider than the distance of two segments, and hardly narrower, for every
// instruction set.
#include "tendril/collide/gap_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/scenes.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {
namespace {

constexpr Isa sets[] = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};

// Segments k and k + 1 of a list of vertices, of all angles: some without length, some nearly parallel, some that meet.
std::vector<Vector3d> random_vertices(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Vector3d> x = {Vector3d::Zero()};
  while (x.size() < count) {
    const std::size_t kind = random.below(8);
    const Vector3d along = x.size() > 1 ? Vector3d(x.back() - x[x.size() - 2]) : Vector3d::UnitX();
    const double bend = std::pow(10.0, random.uniform(-8.0, 0.0));
    x.push_back(kind == 0   ? x.back()
                : kind <= 4 ? Vector3d(x.back() - along + random_vector(random, bend))
                            : random_vector(random, 1.0));
  }
  return x;
}

struct Found {
  std::vector<float> gaps;
  std::vector<std::uint32_t> left;
};

Found gaps_of(Isa isa, const std::vector<Vector3d>& x, const std::vector<std::uint32_t>& pairs, float reach) {
  std::vector<SingleSegment> segments(x.size() - 1);
  const std::vector<float> reaches(segments.size(), reach);
  const GapKernels& kernels = gap_kernels(isa);
  kernels.pack(x.front().data(), x[x.size() / 2].data(), reaches.data(), segments.size(), segments.data());
  Found found;
  found.gaps.resize(pairs.size() / 2 + gaps_per_register), found.left.resize(pairs.size() / 2 + gaps_per_register);
  found.left.resize(
      kernels.within_reach(segments.data(), pairs.data(), pairs.size() / 2, found.gaps.data(), found.left.data()));
  return found;
}

TEST(GapKernels, AreNoWiderThanDistancesAndHardlyNarrower) {
  constexpr float reach = 0.2f;
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const double size = std::pow(10.0, double(seed % 9) - 4.0);
      std::vector<Vector3d> x = random_vertices(seed, 100 + seed % 9);
      for (Vector3d& one : x) one *= size;
      std::vector<std::uint32_t> pairs;
      for (std::uint32_t a = 0; a + 1 < x.size(); ++a)
        for (std::uint32_t b = a + 1; b + 1 < x.size(); ++b) pairs.insert(pairs.end(), {a, b});
      const Found found = gaps_of(isa, x, pairs, float(size) * reach);
      for (std::size_t k = 0; k < pairs.size() / 2; ++k) {
        const std::uint32_t a = pairs[2 * k], b = pairs[2 * k + 1];
        const double distance = closest_points({x[a], x[a + 1]}, {x[b], x[b + 1]}).apart.norm();
        EXPECT_LE(found.gaps[k], distance) << a << ' ' << b;
        EXPECT_GE(found.gaps[k], distance - 2e-3 * size) << a << ' ' << b;
        const bool is_left = std::ranges::binary_search(found.left, std::uint32_t(k));
        EXPECT_TRUE(is_left || distance > 2.0 * double(reach) * size) << a << ' ' << b;
        EXPECT_FALSE(is_left && distance > 2.1 * double(reach) * size) << a << ' ' << b;
      }
    }
  }
}

TEST(GapKernels, AreNothingWhereSinglePrecisionCannotTell) {
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (const double size : {1e-30, 1e60}) {
      const std::vector<Vector3d> x = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {size, size, size}, {2 * size, 0, 0}};
      const Found found = gaps_of(isa, x, {0, 2, 0, 3, 1, 3}, 0.0f);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.gaps[k], 0.0f);
      EXPECT_EQ(found.left.size(), 3u);
    }
  }
}

}  // namespace
}  // namespace tendril::collide
