// What the lanes rule out the exact code rules out too, for every instruction set.
#include "tendril/collide/pair_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collide/scenes.hpp"
#include "tendril/collide/continuous.hpp"
#include "tendril/collide/pair_view.hpp"

namespace tendril::collide {
namespace {

constexpr Isa sets[] = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};

struct Case {
  Strands strands;
  std::vector<Vector3d> motion, end;
  std::vector<SegmentPair> pairs;
};

// Pairs of segments of all lengths and angles, near each other; every fifth nearly parallel.
Case random_pairs(std::uint64_t seed) {
  Random random(seed);
  Case made;
  const double size = std::pow(10.0, random.uniform(-4.0, 3.0)), way = std::pow(10.0, random.uniform(-3.0, 0.5));
  for (int k = 0; k < 101; ++k) {
    const Vector3d a = random_vector(random, 1.0), along = random_vector(random, 1.0);
    const Vector3d across =
        random.below(5) == 0 ? Vector3d(along + random_vector(random, 0.02)) : random_vector(random, 1.0);
    const Vector3d b = a + random_vector(random, std::pow(10.0, random.uniform(-3.0, 0.0)));
    made.strands.add({size * a, size * (a + along)}, size * 0.01);
    made.strands.add({size * b, size * (random.below(20) == 0 ? b : Vector3d(b + across))}, size * 0.02);
    made.pairs.push_back({std::uint32_t(4 * k), std::uint32_t(4 * k + 2)});
  }
  for (const Vector3d& x : made.strands.positions) {
    made.motion.push_back(size * random_vector(random, way));
    made.end.push_back(x + made.motion.back());
  }
  return made;
}

std::vector<double> reach_of(const Strands& strands) {
  std::vector<double> reach;
  for (const double radius : strands.radius) reach.push_back(Margin{}.grown(radius));
  return reach;
}

std::vector<std::uint32_t> ruled_out(std::size_t count, std::vector<std::uint32_t> left, std::size_t kept) {
  left.resize(kept);
  EXPECT_TRUE(std::ranges::is_sorted(left));
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k < count; ++k)
    if (!std::ranges::binary_search(left, k)) out.push_back(k);
  return out;
}

TEST(PairKernels, RuleOutOnlyWhatGivesNoContactAndNoCrossing) {
  std::size_t no_contact = 0, no_crossing = 0, pairs = 0;
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Case c = random_pairs(seed);
      const std::vector<double> reach = reach_of(c.strands);
      const std::size_t groups = (c.pairs.size() + pairs_per_group - 1) / pairs_per_group;
      std::vector<SeparatorGroup> separators(groups);
      std::vector<std::uint32_t> left(pairs_per_group * (groups + 1));
      std::vector<float> distances(left.size());
      const bool moves = seed % 2 == 0;
      const std::span<const Vector3d> motion =
          moves ? std::span<const Vector3d>(c.motion) : std::span<const Vector3d>();
      const PairView view = pair_view(c.strands.positions, motion, reach, c.pairs);
      std::size_t kept = pair_kernels(isa).may_touch(view, 0, groups, separators.data(), distances.data(), left.data());
      const auto by_brute_force = [&](std::uint32_t k) {
        const auto& x = c.strands.positions;
        const auto& [i, j] = c.pairs[k];
        const SegmentPoints at = closest_points({x[i], x[i + 1]}, {x[j], x[j + 1]});
        const double beyond = at.apart.norm() - reach[i] - reach[j];
        if (!moves) return beyond < 0.0;
        const Vector3d way =
            c.motion[i] + at.s * (c.motion[i + 1] - c.motion[i]) - c.motion[j] - at.t * (c.motion[j + 1] - c.motion[j]);
        return beyond < 0.0 || beyond + at.apart.dot(way) / at.apart.norm() < 0.0;
      };
      for (std::size_t k = 0; k < c.pairs.size(); ++k) {
        const auto& x = c.strands.positions;
        const auto& [i, j] = c.pairs[k];
        const double distance = closest_points({x[i], x[i + 1]}, {x[j], x[j + 1]}).apart.norm();
        EXPECT_LE(double(distances[k]), distance);
        EXPECT_GE(double(distances[k]), 0.99 * distance - 1e-6);
      }
      for (const std::uint32_t k : ruled_out(c.pairs.size(), left, kept)) {
        ++no_contact;
        EXPECT_FALSE(by_brute_force(k)) << seed << ' ' << k;
      }
      kept = pair_kernels(isa).may_cross(pair_view(c.end, {}, {}, c.pairs), 0, groups, separators.data(), left.data());
      for (const std::uint32_t k : ruled_out(c.pairs.size(), left, kept)) {
        ++no_crossing;
        const auto moving = [&](std::uint32_t v) {
          const auto& x = c.strands.positions;
          return MovingSegment{{x[v], x[v + 1]}, {c.end[v], c.end[v + 1]}};
        };
        EXPECT_FALSE(first_crossing(moving(c.pairs[k].first), moving(c.pairs[k].second))) << seed << ' ' << k;
      }
      pairs += c.pairs.size();
      if (HasFailure()) FAIL() << "seed " << seed << " with " << isa_name(isa);
    }
  }
  EXPECT_GT(no_contact, pairs / 4);
  EXPECT_GT(no_crossing, pairs / 4);
}

}  // namespace
}  // namespace tendril::collide
