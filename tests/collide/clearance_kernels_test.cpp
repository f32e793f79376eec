// What the lanes call far is far, for every instruction set.
#include "tendril/collide/clearance_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/scenes.hpp"
#include "tendril/collide/clearances.hpp"

namespace tendril::collide {
namespace {

constexpr Isa sets[] = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};
constexpr double ball = 0.5, relative = 0.1, absolute = 1e-4;

double gap(const Vector3d& place, double radius) { return place.norm() - ball - radius; }

double least_gap(const Vector3d& a, const Vector3d& b, double radius) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= 100; ++k) least = std::min(least, gap(a + 0.01 * k * (b - a), radius));
  return least;
}

// A strand about a ball that lies `shift` off the origin and goes on by `ride` in the step.
struct Case {
  std::vector<Vector3d> positions, motion;
  std::vector<double> radius, gap;
  std::vector<Clearances::Seen> seen;
  Vector3d shift, ride;

  ClearanceView view() const {
    ClearanceView made{positions[0].data(),
                       motion[0].data(),
                       radius.data(),
                       seen[0].place.data(),
                       gap.data(),
                       positions.size(),
                       {},
                       {},
                       relative,
                       absolute};
    for (int k = 0; k < 3; ++k) made.place.turn[k][k] = 1.0, made.place.by[k] = -shift[k], made.carry.by[k] = ride[k];
    return made;
  }
  // The lowest point of a segment, now and at the end of the step.
  double least(std::size_t v) const {
    const auto place = [&](std::size_t w, double time) {
      return Vector3d(positions[w] - shift + time * (motion[w] - ride));
    };
    const double thickest = std::max(radius[v], radius[v + 1]);
    return std::min(least_gap(place(v, 0.0), place(v + 1, 0.0), thickest),
                    least_gap(place(v, 1.0), place(v + 1, 1.0), thickest));
  }
};

// Vertices were seen a little way from where they are, some never; of some segments it is known how far all of it was.
Case random_case(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  Case made;
  made.shift = random_vector(random, 1.0), made.ride = random_vector(random, 0.01);
  Vector3d direction = random_direction(random);
  for (std::size_t v = 0; v < count; ++v) {
    direction = (direction + random_vector(random, 0.2)).normalized();
    const Vector3d before = direction * (ball + std::pow(10.0, random.uniform(-3.0, 0.0)));
    made.positions.push_back(made.shift + before + random_vector(random, std::pow(10.0, random.uniform(-6.0, -1.0))));
    made.motion.push_back(made.ride + random_vector(random, 0.01));
    made.radius.push_back(random.uniform(1e-4, 1e-2));
    made.seen.push_back(
        {before, random.below(10) == 0 ? -std::numeric_limits<double>::infinity() : before.norm() - ball});
  }
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t next = std::min(v + 1, count - 1);
    const double known =
        least_gap(made.seen[v].place, made.seen[next].place, std::max(made.radius[v], made.radius[next]));
    made.gap.push_back(random.below(2) == 0 ? known - 0.01 : -std::numeric_limits<double>::infinity());
  }
  return made;
}

TEST(ClearanceKernels, CallNothingFarThatComesNear) {
  std::size_t far = 0, near_by = 0;
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const std::size_t count = 2 + seed * 3 % 150;
      const Case c = random_case(seed, count);
      std::vector<std::uint32_t> near(count + 8);
      near.resize(clearance_kernels(isa).near_segments(c.view(), near.data()));
      EXPECT_TRUE(std::ranges::is_sorted(near));
      EXPECT_TRUE(near.empty() || near.back() + 1 < count);
      near_by += near.size(), far += count - 1 - near.size();
      for (std::size_t v = 0; v + 1 < count; ++v) {
        if (std::ranges::binary_search(near, std::uint32_t(v))) continue;
        EXPECT_GE(c.least(v), relative * std::max(c.radius[v], c.radius[v + 1]) + absolute);
      }
    }
  }
  EXPECT_GT(far, 2000u);
  EXPECT_GT(near_by, 2000u);
}

TEST(ClearanceKernels, MeasureTheLongestWay) {
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    for (std::size_t count = 1; count < 20; ++count) {
      Case c = random_case(count, count);
      double way = 0.0;
      for (std::size_t v = 0; v < count; ++v) way = std::max(way, (c.motion[v] - c.positions[v]).squaredNorm());
      const double* const from = c.positions[0].data();
      EXPECT_NEAR(clearance_kernels(isa).squared_longest_way(from, c.motion[0].data(), count), way, 1e-12 * way);
      for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        c.motion[count / 2][1] = bad;
        EXPECT_TRUE(std::isinf(clearance_kernels(isa).squared_longest_way(from, c.motion[0].data(), count)));
      }
    }
  }
}

TEST(ClearanceKernels, TellWhatIsTooLargeOrNoNumber) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const Isa isa : sets) {
    if (!machine_has(isa)) continue;
    const auto are_below = clearance_kernels(isa).are_below;
    for (std::size_t count = 1; count < 20; ++count) {
      std::vector<double> numbers(count, -1.0);
      EXPECT_TRUE(are_below(numbers.data(), count, 1.0));
      for (const double bad : {1.5, -1.5, infinity, -infinity, nan})
        for (std::size_t k = 0; k < count; ++k) {
          std::vector<double> others = numbers;
          others[k] = bad;
          EXPECT_FALSE(are_below(others.data(), count, 1.0)) << bad << " at " << k << " of " << count;
        }
    }
  }
}

}  // namespace
}  // namespace tendril::collide
