// Ways in lanes are those of each segment by itself, a little longer, for every instruction set.
#include "tendril/collide/way_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "scenes.hpp"
#include "tendril/collide/drift.hpp"

namespace tendril::collide {
namespace {

constexpr Isa sets[] = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};
constexpr double relative = 0.1, absolute = 1e-4;

struct Strand {
  std::vector<Vector3d> place, start, end;
  std::vector<double> radius;
  std::vector<float> gone, ahead, reach, need, budget;
  std::vector<Drift> drift, approach;
  AffineNumbers common;

  Strand(std::uint64_t seed, std::size_t count) {
    Random random(seed);
    for (std::size_t v = 0; v < count; ++v) {
      place.push_back(random_vector(random, 1.0));
      start.push_back(place.back() + random_vector(random, 0.1));
      end.push_back(start.back() + random_vector(random, 0.1));
      radius.push_back(random.uniform(0.0, 0.01));
      gone.push_back(float(random.uniform(0.0, 0.1)));
    }
    for (auto* values : {&ahead, &reach, &need, &budget}) values->assign(count, -7.0f);
    drift.resize(count), approach.resize(count);
    for (int k = 0; k < 3; ++k) common.turn[k][k] = 1.0, common.by[k] = 0.01 * k;
  }
  WayView view() const { return {start[0].data(), end[0].data(), radius.data(), start.size(), 1e70}; }
  Ways ways() { return {gone.data(), ahead.data(), reach.data(), need.data(), &drift[0].x, &approach[0].x}; }
  bool measure(Isa isa) {
    return way_kernels(isa).measure(view(), common, relative, absolute, place[0].data(), ways());
  }
};

void expect_a_little_more(double made, double wanted) {
  EXPECT_GE(made, wanted);
  EXPECT_LE(made, wanted * (1.0 + 1e-5) + 1e-6);
}

TEST(WayKernels, MeasureEachSegment) {
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::size_t count = 1; count < 140; count += count < 12 ? 1 : 13) {
      const Strand before(count, count);
      Strand strand = before;
      ASSERT_TRUE(strand.measure(isa));
      for (std::size_t e = 0; e + 1 < count; ++e) {
        const auto ahead = [&](std::size_t v) { return Vector3d(before.end[v] - before.start[v]); };
        const auto since = [&](std::size_t v) {
          return (before.start[v] - before.place[v] - Vector3d(0.0, 0.01, 0.02)).norm();
        };
        const double widest = std::max(before.radius[e], before.radius[e + 1]);
        expect_a_little_more(strand.gone[e], before.gone[e] + std::max(since(e), since(e + 1)));
        expect_a_little_more(strand.ahead[e], std::max(ahead(e).norm(), ahead(e + 1).norm()));
        expect_a_little_more(strand.reach[e], widest + relative * widest + 0.5 * absolute);
        expect_a_little_more(strand.need[e], double(strand.gone[e]) + strand.ahead[e] + strand.reach[e]);
        const Drift &made = strand.drift[e], &near = strand.approach[e];
        const Vector3d mean = 0.5 * (ahead(e) + ahead(e + 1));
        EXPECT_LE((Vector3d(made.x, made.y, made.z) - mean).norm(), 1e-7);
        expect_a_little_more(made.spread, 0.5 * (ahead(e + 1) - ahead(e)).norm());
        EXPECT_EQ(Vector3d(near.x, near.y, near.z), Vector3d(made.x, made.y, made.z));
        expect_a_little_more(near.spread, double(strand.gone[e]) + strand.reach[e] + made.spread);
      }
      EXPECT_EQ(strand.place, before.start);
      // The tip has no segment, and what follows it belongs to another strand.
      EXPECT_EQ(strand.ahead.back(), -7.0f);
      EXPECT_EQ(strand.gone.back(), before.gone.back());
    }
  }
}

TEST(WayKernels, TellWhatGoesFartherThanItWasTo) {
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::size_t count = 2; count < 80; count += 7) {
      Strand strand(count, count);
      ASSERT_TRUE(strand.measure(isa));
      std::ranges::fill(strand.budget, 1.0f);
      const auto again = [&] {
        return way_kernels(isa).measure_again(strand.view(), strand.budget.data(), strand.ways());
      };
      EXPECT_TRUE(again());
      for (std::size_t v = 0; v < count; v += 3) {
        Strand other = strand;
        std::swap(other, strand);
        strand.end[v] += Vector3d(0.3, 0.0, 0.0);
        EXPECT_FALSE(again()) << "vertex " << v << " of " << count;
        std::swap(other, strand);
        strand.budget[std::min(v, count - 2)] = -1.0f;
        EXPECT_FALSE(again());
        strand.budget[std::min(v, count - 2)] = 1.0f;
      }
    }
  }
}

TEST(WayKernels, RefuseWhatIsNotUsable) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (const std::size_t count : {1u, 5u, 70u})
      for (const double bad : {nan, std::numeric_limits<double>::infinity(), 1e80}) {
        for (std::vector<Vector3d> Strand::*places : {&Strand::start, &Strand::end}) {
          Strand strand(1, count);
          (strand.*places).back()[1] = bad;
          EXPECT_FALSE(strand.measure(isa));
        }
        Strand strand(1, count);
        strand.radius.back() = bad;
        EXPECT_FALSE(strand.measure(isa));
      }
    Strand strand(1, 5);
    strand.radius[3] = -1.0;
    EXPECT_FALSE(strand.measure(isa));
  }
}

}  // namespace
}  // namespace tendril::collide
