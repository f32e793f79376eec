#include "tendril/plot/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tendril::plot {
namespace {

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks.ticks)
    if (!tick.label.empty()) out.push_back(tick.label);
  return out;
}

Ticks linear(double low, double high, int wanted = 5, AxisEnds where = AxisEnds::on_ticks) {
  return make_ticks(AxisKind::linear, axis_ends(AxisKind::linear, {low, high}), wanted, where);
}

Ticks logarithmic(double low, double high, int wanted = 5) {
  return make_ticks(AxisKind::logarithmic, axis_ends(AxisKind::logarithmic, {low, high}), wanted, AxisEnds::on_ticks);
}

using Labels = std::vector<std::string>;

TEST(Ticks, AreOneTwoOrFiveTimesAPowerOfTenApart) {
  EXPECT_EQ(labels(linear(0.0, 1.0)), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(linear(0.0, 2.4)), (Labels{"0", "0.5", "1.0", "1.5", "2.0", "2.5"}));
  EXPECT_EQ(labels(linear(-30.0, 71.0)), (Labels{"−50", "0", "50", "100"}));
  EXPECT_EQ(labels(linear(0.0, 3000.0)), (Labels{"0", "1000", "2000", "3000"}));
}

TEST(Ticks, OfSmallAndLargeValuesShareOnePowerOfTen) {
  EXPECT_EQ(labels(linear(0.0, 1.5e-6)), (Labels{"0", "0.5e−6", "1.0e−6", "1.5e−6"}));
  EXPECT_EQ(labels(linear(-2e8, 2e8, 4)), (Labels{"−2e8", "−1e8", "0", "1e8", "2e8"}));
}

TEST(Ticks, LieWithinExactEnds) {
  const Ticks ticks = linear(0.13, 0.98, 5, AxisEnds::exact);
  EXPECT_EQ(labels(ticks), (Labels{"0.2", "0.4", "0.6", "0.8"}));
  EXPECT_EQ(double(ticks.ends.low), 0.13);
  EXPECT_EQ(double(ticks.ends.high), 0.98);
}

TEST(Ticks, CountFromAnOffsetWhereLabelsWouldOnlyDifferInTheirLastDigits) {
  const Ticks ticks = linear(1.2345678, 1.2345682);
  EXPECT_EQ(ticks.offset, "1.2345678");
  EXPECT_EQ(labels(ticks), (Labels{"0", "+1e−7", "+2e−7", "+3e−7", "+4e−7"}));
  EXPECT_TRUE(linear(100.0, 101.0).offset.empty());
}

TEST(Ticks, OfCountsAreWhole) {
  EXPECT_EQ(labels(make_ticks(AxisKind::linear, {0.0L, 1.0L}, 5, AxisEnds::on_ticks, true)), (Labels{"0", "1"}));
  EXPECT_EQ(labels(make_ticks(AxisKind::linear, {0.0L, 12.0L}, 5, AxisEnds::on_ticks, true)),
            (Labels{"0", "5", "10", "15"}));
}

TEST(Ticks, SurroundAConstant) {
  for (const double value : {1.0, -3.0, 1e-300, 5e-324, 1e300, 1.7976931348623157e308}) {
    const Ticks ticks = linear(value, value);
    EXPECT_LT(ticks.ends.low, value) << value;
    EXPECT_GT(ticks.ends.high, value) << value;
    EXPECT_GE(labels(ticks).size(), 2u) << value;
    EXPECT_LE(labels(ticks).size(), 8u) << value;
  }
  EXPECT_EQ(labels(linear(0.0, 0.0)), (Labels{"−1.0", "−0.5", "0", "0.5", "1.0"}));
}

TEST(Ticks, AreFewForEveryRangeThatNumbersHave) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{-huge, huge},
                                                                        {0.0, tiny},
                                                                        {-tiny, tiny},
                                                                        {0.0, 1e-310},
                                                                        {1e300, huge},
                                                                        {1.0, 1.0 + 2.3e-16},
                                                                        {1e15, 1e15 + 0.125},
                                                                        {-1e-300, 1e300}}) {
    for (const AxisEnds where : {AxisEnds::exact, AxisEnds::on_ticks}) {
      const Ticks ticks = linear(low, high, 5, where);
      const long double slack = 1e-8L * (ticks.ends.high - ticks.ends.low);  // a hundred-millionth of the axis
      EXPECT_LE(ticks.ends.low, low + slack);
      EXPECT_GE(ticks.ends.high, high - slack);
      EXPECT_GE(ticks.ticks.size(), 1u) << low << " to " << high;
      EXPECT_LE(ticks.ticks.size(), 8u) << low << " to " << high;
      EXPECT_LE(ticks.longest_label(), 12u) << low << " to " << high;
    }
  }
}

TEST(LogTicks, AreAtDecadesWithSmallOnesBetween) {
  const Ticks ticks = logarithmic(3e-6, 2e-2);
  EXPECT_EQ(labels(ticks), (Labels{"1e−6", "1e−5", "1e−4", "1e−3", "1e−2", "1e−1"}));
  EXPECT_EQ(ticks.ticks.size(), 6u + 5u * 8u);
}

TEST(LogTicks, ArePlainNearOne) {
  EXPECT_EQ(labels(logarithmic(0.002, 900.0, 8)), (Labels{"0.001", "0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(labels(logarithmic(1.0, 9.0)), (Labels{"1", "2", "3", "4", "5", "6", "8", "10"}));
  EXPECT_EQ(labels(logarithmic(1.0, 99.0)), (Labels{"1", "2", "5", "10", "20", "50", "100"}));
}

TEST(LogTicks, KeepTheirNumberOverManyDecades) {
  const Ticks ticks = logarithmic(5e-324, 1.7e308);
  EXPECT_GE(labels(ticks).size(), 3u);
  EXPECT_LE(labels(ticks).size(), 7u);
  EXPECT_LE(ticks.ticks.size(), 70u);
}

TEST(LogTicks, DoNotRoundAPowerOfTenOutwards) {
  for (int decade = -300; decade <= 300; decade += 7) {
    const double low = std::pow(10.0, decade);
    const Ticks ticks = logarithmic(low, low * 1000.0);
    EXPECT_NEAR(double(ticks.ends.low / low), 1.0, 1e-12) << decade;
    EXPECT_EQ(labels(ticks).size(), 4u) << decade;
  }
}

TEST(LogTicks, SurroundAConstant) {
  const Ticks ticks = logarithmic(1e-3, 1e-3);
  EXPECT_LT(ticks.ends.low, 1e-3L);
  EXPECT_GT(ticks.ends.high, 1e-3L);
}

TEST(Scale, PlacesExtremesOfAllNumbers) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const Scale all{AxisKind::linear, {-huge, huge}}, none{AxisKind::linear, {0.0L, tiny}};
  EXPECT_DOUBLE_EQ(all(0.0L), 0.5);
  EXPECT_DOUBLE_EQ(all(huge), 1.0);
  EXPECT_DOUBLE_EQ(none(tiny), 1.0);
  const Scale decades{AxisKind::logarithmic, {1e-4L, 1e4L}};
  EXPECT_NEAR(decades(1.0L), 0.5, 1e-15);
}

}  // namespace
}  // namespace tendril::plot
