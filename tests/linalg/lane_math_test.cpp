// Sine, cosine and arctangent against the C library's long double functions.
#include "tendril/linalg/lane_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using std::numbers::pi;

double ulps(double value, long double exact) {
  const double unit = std::nextafter(std::abs(double(exact)), INFINITY) - std::abs(double(exact));
  return double(std::abs((long double)value - exact) / unit);
}

// Around every multiple of pi/4, where quadrants and polynomials change over, and everywhere in between.
std::vector<double> angles(double largest) {
  std::vector<double> all = {0.0, -0.0, 1e-300, 1e-20, 1e-8};
  const int quarters = int(std::min(4000.0, largest / (0.25 * pi)));
  for (int k = -quarters; k <= quarters; ++k)
    for (const double nudge : {0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-4, -1e-4}) all.push_back(0.25 * pi * k + nudge);
  Random random(1);
  for (int i = 0; i < 20000; ++i) all.push_back(random.uniform(-largest, largest));
  return all;
}

TEST(SineCosine, IsRightTo3e16InTheWorkingRange) {
  double worst = 0.0;
  for (const double a : angles(100.0)) {
    const auto [s, c] = sine_cosine(a);
    worst = std::max({worst, double(std::abs((long double)s - std::sin((long double)a))),
                      double(std::abs((long double)c - std::cos((long double)a)))});
  }
  EXPECT_LT(worst, 3e-16);
}

TEST(SineCosine, IsRightTo3e16UpTo1e5) {
  double worst = 0.0;
  for (const double a : angles(1e5)) {
    const auto [s, c] = sine_cosine(a);
    worst = std::max({worst, double(std::abs((long double)s - std::sin((long double)a))),
                      double(std::abs((long double)c - std::cos((long double)a)))});
  }
  EXPECT_LT(worst, 3e-16);
}

// Small angles keep their relative precision: twists are differences of nearly equal angles.
TEST(SineCosine, KeepsSmallAngles) {
  for (double a = 0.7; a > 1e-300; a *= 0.3) {
    EXPECT_LT(ulps(sine_cosine(a).sine, std::sin((long double)a)), 2.0) << a;
    EXPECT_EQ(sine_cosine(-a).sine, -sine_cosine(a).sine);
    EXPECT_EQ(sine_cosine(-a).cosine, sine_cosine(a).cosine);
  }
  EXPECT_EQ(sine_cosine(0.0).sine, 0.0);
  EXPECT_EQ(sine_cosine(0.0).cosine, 1.0);
}

TEST(SineCosine, PassesNotANumberOn) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(std::isnan(sine_cosine(bad).sine));
    EXPECT_TRUE(std::isnan(sine_cosine(bad).cosine));
  }
}

TEST(AngleOf, IsRightTo4UlpsInEveryDirectionAndSize) {
  double worst = 0.0;
  for (const double a : angles(pi))
    for (const double length : {1.0, 1e-8, 1e-150, 1e150}) {
      const double x = length * std::cos(a), y = length * std::sin(a);
      const long double exact = std::atan2((long double)y, (long double)x);
      if (exact != 0.0L) worst = std::max(worst, ulps(angle_of(y, x), exact));
    }
  EXPECT_LT(worst, 4.0);
}

TEST(AngleOf, KnowsTheAxes) {
  EXPECT_EQ(angle_of(0.0, 1.0), 0.0);
  EXPECT_EQ(angle_of(1.0, 0.0), 0.5 * pi);
  EXPECT_EQ(angle_of(-1.0, 0.0), -0.5 * pi);
  EXPECT_EQ(angle_of(0.0, -1.0), pi);
  EXPECT_EQ(angle_of(0.0, 0.0), 0.0);
  EXPECT_EQ(angle_of(1.0, 1.0), 0.25 * pi);
  EXPECT_EQ(angle_of(-1.0, -1.0), -0.75 * pi);
}

TEST(AngleOf, UndoesSineAndCosine) {
  for (double a = -3.14; a < 3.14; a += 0.01) {
    const auto [s, c] = sine_cosine(a);
    EXPECT_NEAR(angle_of(s, c), a, 1e-15);
  }
}

// Lanes give the bits of doubles where no multiply-add is fused, and each lane its own answer.
template <class S>
class LaneMath : public testing::Test {};
using Types = testing::Types<Lanes<2>, Lanes<4>, Lanes<8>>;
TYPED_TEST_SUITE(LaneMath, Types);

TYPED_TEST(LaneMath, AgreesWithDoublesInEveryLane) {
  constexpr int w = lane_count<TypeParam>;
  const std::vector<double> all = angles(300.0);
  for (std::size_t i = 0; i + w <= all.size(); i += w) {
    const TypeParam a = load<TypeParam>(&all[i]);
    const auto [s, c] = sine_cosine(a);
    const TypeParam back = angle_of(s, c);
    double sines[w], cosines[w], angle[w];
    store(s, sines), store(c, cosines), store(back, angle);
    for (int lane = 0; lane < w; ++lane) {
      const auto [sine, cosine] = sine_cosine(all[i + std::size_t(lane)]);
      EXPECT_NEAR(sines[lane], sine, 3e-16);
      EXPECT_NEAR(cosines[lane], cosine, 3e-16);
      EXPECT_NEAR(angle[lane], angle_of(sines[lane], cosines[lane]), 1e-15);
    }
  }
}

}  // namespace
}  // namespace tendril
