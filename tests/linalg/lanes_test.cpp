// The kernel scalar, as one double and as lanes of any width on any machine (the compiler splits what it has no
// register for): the same operations, lane by lane.
#include "tendril/linalg/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tendril/linalg/vec3.hpp"

namespace tendril {
namespace {

template <class S>
class LaneType : public testing::Test {};
using Types = testing::Types<double, Lanes<2>, Lanes<4>, Lanes<8>>;
TYPED_TEST_SUITE(LaneType, Types);

// Lane i of a register holds f(i).
template <class S, class F>
S filled(F&& f) {
  double values[lane_count<S>];
  for (int i = 0; i < lane_count<S>; ++i) values[i] = f(i);
  return load<S>(values);
}
template <class S>
double lane(const S& value, int i) {
  double values[lane_count<S>];
  store(value, values);
  return values[i];
}

TYPED_TEST(LaneType, LoadsAndStoresUnaligned) {
  constexpr int w = lane_count<TypeParam>;
  double in[w + 1], out[w + 2] = {};
  for (int i = 0; i <= w; ++i) in[i] = 1.5 * i - 2.0;
  store(load<TypeParam>(in + 1), out + 1);
  for (int i = 0; i < w; ++i) EXPECT_EQ(out[i + 1], in[i + 1]);
  EXPECT_EQ(out[0], 0.0);
  EXPECT_EQ(out[w + 1], 0.0);
}

TYPED_TEST(LaneType, BroadcastsToAllLanes) {
  const TypeParam value = broadcast<TypeParam>(-3.25);
  for (int i = 0; i < lane_count<TypeParam>; ++i) EXPECT_EQ(lane(value, i), -3.25);
}

TYPED_TEST(LaneType, ArithmeticIsThatOfDoubles) {
  const auto f = [](int i) { return 0.1 + 0.7 * i; };
  const auto g = [](int i) { return 2.3 - 0.9 * i; };
  const TypeParam a = filled<TypeParam>(f), b = filled<TypeParam>(g);
  const TypeParam sum = a + b, difference = a - b, product = a * b, quotient = a / b, root = square_root(a);
  for (int i = 0; i < lane_count<TypeParam>; ++i) {
    EXPECT_EQ(lane(sum, i), f(i) + g(i));
    EXPECT_EQ(lane(difference, i), f(i) - g(i));
    EXPECT_EQ(lane(product, i), f(i) * g(i));
    EXPECT_EQ(lane(quotient, i), f(i) / g(i));
    EXPECT_EQ(lane(root, i), std::sqrt(f(i)));
  }
}

TYPED_TEST(LaneType, ReciprocalRootsAreRightToTheLastBits) {
  for (double scale = 1e-300; scale < 1e300; scale *= 1.7e9) {
    const auto f = [&](int i) { return scale * (1.0 + 0.37 * i); };
    const TypeParam root = reciprocal_root(filled<TypeParam>(f));
    for (int i = 0; i < lane_count<TypeParam>; ++i) {
      const double exact = double(1.0L / std::sqrt((long double)f(i)));
      EXPECT_NEAR(lane(root, i), exact, 4e-16 * exact) << f(i);
    }
  }
}

TYPED_TEST(LaneType, SelectsLaneByLane) {
  const auto f = [](int i) { return i % 3 - 1.0; };
  const TypeParam a = filled<TypeParam>(f), zero{};
  const TypeParam chosen = a > zero ? a * 10.0 : a - 5.0;
  const TypeParam both = a > zero || a == -1.0 ? broadcast<TypeParam>(1.0) : zero;
  for (int i = 0; i < lane_count<TypeParam>; ++i) {
    EXPECT_EQ(lane(chosen, i), f(i) > 0.0 ? 10.0 * f(i) : f(i) - 5.0);
    EXPECT_EQ(lane(both, i), f(i) == 0.0 ? 0.0 : 1.0);
  }
}

TYPED_TEST(LaneType, MaximumMinimumAndMagnitude) {
  const auto f = [](int i) { return i - 2.5; };
  const auto g = [](int i) { return 1.5 - i; };
  const TypeParam a = filled<TypeParam>(f), b = filled<TypeParam>(g);
  const TypeParam larger = maximum(a, b), smaller = minimum(a, b), size = magnitude(a);
  for (int i = 0; i < lane_count<TypeParam>; ++i) {
    EXPECT_EQ(lane(larger, i), std::max(f(i), g(i)));
    EXPECT_EQ(lane(smaller, i), std::min(f(i), g(i)));
    EXPECT_EQ(lane(size, i), std::abs(f(i)));
  }
  const TypeParam nan = broadcast<TypeParam>(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(lane(maximum(nan, a), 0), f(0));  // as documented: a NaN on the left gives the right-hand side
  EXPECT_EQ(lane(minimum(nan, a), 0), f(0));
}

TYPED_TEST(LaneType, RoundsToTheNearestInteger) {
  const double values[] = {0.0, 0.49, 0.51, -0.49, -0.51, 1.5, 2.5, -1.5, 1e9 + 0.3, -1e9 - 0.7, 2251799813685247.0};
  for (const double v : values) {
    const TypeParam rounded = nearest_integer(broadcast<TypeParam>(v));
    EXPECT_EQ(lane(rounded, 0), std::nearbyint(v)) << v;
  }
}

TYPED_TEST(LaneType, VectorsFollowTheRulesOfSpace) {
  using V = Vec3<TypeParam>;
  const auto make = [](double a, double b, double c) {
    return V{filled<TypeParam>([=](int i) { return a + i; }), filled<TypeParam>([=](int i) { return b - i; }),
             filled<TypeParam>([=](int i) { return c + 0.5 * i; })};
  };
  const V a = make(1, 2, 3), b = make(-2, 0.5, 1), n = cross(a, b);
  const TypeParam across_a = dot(n, a), across_b = dot(n, b), square = dot(n, n),
                  lagrange = dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b);
  const Sym3<TypeParam> outer_square = identity_plus_outer(broadcast<TypeParam>(2.0), broadcast<TypeParam>(3.0), a);
  const V twice = outer_square * b;  // 2 b + 3 a (a . b)
  for (int i = 0; i < lane_count<TypeParam>; ++i) {
    EXPECT_NEAR(lane(across_a, i), 0.0, 1e-13);
    EXPECT_NEAR(lane(across_b, i), 0.0, 1e-13);
    EXPECT_NEAR(lane(square, i), lane(lagrange, i), 1e-12 * std::abs(lane(square, i)));
    EXPECT_NEAR(lane(twice.y, i), 2.0 * lane(b.y, i) + 3.0 * lane(a.y, i) * lane(dot(a, b), i), 1e-12);
  }
  double memory[3 * lane_count<TypeParam>];
  store3(a, memory);
  const V back = load3<TypeParam>(memory);
  for (int i = 0; i < lane_count<TypeParam>; ++i) EXPECT_EQ(lane(back.z, i), 3.0 + 0.5 * i);
}

// The order of components in memory is x of all lanes, y of all lanes, z of all lanes.
TYPED_TEST(LaneType, KeepsComponentsTogetherInMemory) {
  constexpr int w = lane_count<TypeParam>;
  double memory[3 * w];
  for (int i = 0; i < 3 * w; ++i) memory[i] = i;
  const Vec3<TypeParam> v = load3<TypeParam>(memory);
  EXPECT_EQ(lane(v.x, w - 1), w - 1.0);
  EXPECT_EQ(lane(v.y, 0), double(w));
  EXPECT_EQ(lane(v.z, w - 1), 3.0 * w - 1.0);
}

TEST(InstructionSets, AreNamedAndTheBestIsPresent) {
  EXPECT_TRUE(machine_has(Isa::reference));
  EXPECT_TRUE(machine_has(best_isa()));
  EXPECT_TRUE(machine_has(active_isa()));
  EXPECT_EQ(isa_name(Isa::v2), "v2");
  EXPECT_EQ(active_isa_name(), isa_name(active_isa()));
  if (machine_has(Isa::avx512)) {
    EXPECT_EQ(best_isa(), Isa::avx512);
  }
}

}  // namespace
}  // namespace tendril
