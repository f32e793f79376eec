#include "tendril/plot/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/plot/bar_chart.hpp"
#include "tendril/plot/palette.hpp"
#include "tendril/plot/text.hpp"
#include "tendril/plot/thinning.hpp"
#include "xml_check.hpp"

namespace tendril::plot {
namespace {

using support::count;
using support::XmlCheck;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

template <class C>
std::string checked_svg(const C& chart) {
  const std::string svg = to_svg(chart, "c");
  const XmlCheck xml(svg);
  EXPECT_EQ(xml.fault, "");
  EXPECT_EQ(xml.ids, (std::set<std::string>{"c", "c-title", "c-desc"}));
  EXPECT_EQ(xml.labels, (std::set<std::string>{"c-title", "c-desc"}));
  for (const char* wrong : {"nan", "inf", "e+", "-0 "})
    EXPECT_EQ(count(svg.substr(svg.find("</desc>")), wrong), 0u) << wrong;
  return svg;
}

Chart energy() {
  Chart chart{.title = "Energy", .description = "What it is.", .x = {"time", "s"}, .y = {"energy", "J"}};
  chart.add("kinetic", {0.0, 1.0, 2.0}, {1.0, 3.0, 2.0});
  chart.add("elastic", {0.0, 1.0, 2.0}, {3.0, 1.0, 2.0});
  return chart;
}

TEST(Chart, HasNamesUnitsAndALegend) {
  const std::string svg = checked_svg(energy());
  for (const char* part : {"role=\"img\"", "<title id=\"c-title\">Energy</title>", "time [s]", "energy [J]",
                           ">kinetic</text>", ">elastic</text>", "What it is.", "from 0 to 2", "from 1 to 3"})
    EXPECT_EQ(count(svg, part) > 0, true) << part;
}

TEST(Chart, TellsSeriesApartByMoreThanColour) {
  Chart chart{.title = "many"};
  for (std::size_t i = 0; i < most_series; ++i) chart.add("s", {0.0, 1.0}, {0.0, double(i)}, Mark::line_and_points);
  const std::string svg = checked_svg(chart);
  std::set<std::string> cues;
  for (std::size_t i = 0; i < most_series; ++i) {
    cues.insert(std::to_string(i % dashes.size()) + "/" + std::to_string(i % markers));
    EXPECT_GT(count(svg, "d" + std::to_string(i % dashes.size()) + "\""), 0u);
  }
  EXPECT_EQ(cues.size(), most_series);
}

TEST(Chart, NeedsNoLegendWhereTheAxisNamesTheSeries) {
  Chart chart{.title = "one", .y = {"speed", "m/s"}};
  chart.add("speed", {0.0, 1.0}, {0.0, 1.0});
  EXPECT_EQ(count(checked_svg(chart), "class=\"legend\""), 0u);
}

TEST(Chart, IsTheSameEveryTime) { EXPECT_EQ(to_svg(energy()), to_svg(energy())); }

TEST(Chart, LeavesGapsAndCountsThem) {
  Chart chart{.title = "gaps"};
  chart.add("a", {0.0, 1.0, 2.0, 3.0, 4.0, nan}, {1.0, 2.0, nan, 3.0, inf, 1.0});
  const std::string svg = checked_svg(chart);
  EXPECT_EQ(remarks(chart), "3 values that are not finite are left out.");
  EXPECT_GT(count(svg, "3 values that are not finite are left out."), 0u);
  EXPECT_EQ(count(svg, "class=\"round s0\""), 1u) << "3 stands alone and is a dot";
  EXPECT_EQ(count(svg, "class=\"line s0 d0\""), 2u) << "the line and the legend";
}

TEST(Chart, LeavesOutWhatALogarithmicAxisCannotShow) {
  Chart chart{.title = "log", .y = {"error", "", AxisKind::logarithmic}};
  chart.add("a", {1.0, 2.0, 3.0, 4.0}, {0.0, 1e-3, -1.0, 1e-5});
  checked_svg(chart);
  EXPECT_EQ(remarks(chart), "2 values that are not above zero are left out.");
  chart.series.front().y = {1.0, 1e-3, 0.0, 1e-5};
  EXPECT_EQ(remarks(chart), "1 value that is not above zero is left out.");
}

TEST(Chart, SurvivesEveryDegenerateSeries) {
  const std::vector<std::vector<double>> values = {{},
                                                   {1.0},
                                                   {0.0},
                                                   {nan},
                                                   {5.0, 5.0, 5.0},
                                                   {0.0, 0.0, 0.0},
                                                   {1e-300, 2e-300, 3e-300},
                                                   {1e300, -1e300, 1.7976931348623157e308},
                                                   {5e-324, 1e-320, 0.0},
                                                   {-1.0, -2.0, -3.0},
                                                   {5e-324, 1.0, 1.7976931348623157e308},
                                                   {inf, -inf, nan}};
  for (const AxisKind x_kind : {AxisKind::linear, AxisKind::logarithmic})
    for (const AxisKind y_kind : {AxisKind::linear, AxisKind::logarithmic})
      for (const Mark mark : {Mark::line, Mark::points, Mark::line_and_points, Mark::steps, Mark::guide})
        for (const auto& xs : values)
          for (const auto& ys : values) {
            Chart chart{.title = "t", .x = {"x", "", x_kind}, .y = {"y", "", y_kind}};
            chart.add("s", xs, ys, mark);
            checked_svg(chart);
          }
  checked_svg(Chart{});
}

TEST(Chart, DrawsReferencesAndBands) {
  Chart chart = energy();
  chart.mark_y(3.5, "bar");
  chart.mark_y(3.4, "paper's value");
  chart.mark_x(1.5, "release");
  chart.mark_y(nan, "nowhere");
  chart.bands.push_back({Direction::horizontal, 1.0, 1.5, "usual"});
  chart.bands.push_back({Direction::vertical, 0.5, 0.1, "early"});
  const std::string svg = checked_svg(chart);
  for (const char* part :
       {">bar</text>", ">paper&#39;s value</text>", ">release</text>", ">usual</text>", ">early</text>"})
    EXPECT_EQ(count(svg, part), 1u) << part;
  EXPECT_EQ(count(svg, ">nowhere</text>"), 0u);
  EXPECT_EQ(count(svg, "class=\"band\""), 2u);
}

TEST(Chart, EscapesHostileNames) {
  Chart chart{.title = "<script>alert(1)</script>", .x = {"\"x\"", "<&>"}, .y = {"a\x01z\xff\xc0\xaf", ""}};
  chart.add("</svg><script>", {0.0, 1.0}, {0.0, 1.0}, Mark::line_and_points);
  chart.mark_y(0.5, "\"><img src=x>");
  const std::string svg = checked_svg(chart);
  EXPECT_EQ(count(svg, "<script"), 0u);
  EXPECT_EQ(count(svg, "<img"), 0u);
  EXPECT_GT(count(svg, "a\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"), 0u);
}

TEST(Chart, ShortensLongNamesAndBoundsTheNumberOfSeries) {
  Chart chart{.title = "long"};
  for (int i = 0; i < 100; ++i) chart.add(std::string(300, 'x') + std::to_string(i), {0.0, 1.0}, {0.0, 1.0});
  const std::string svg = checked_svg(chart);
  EXPECT_EQ(count(svg, "…</text>"), most_series);
  EXPECT_EQ(remarks(chart), "The first 12 of 100 series are drawn.");
}

void expect_small_with_peaks(std::size_t points, int series) {
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < points; ++i) xs.push_back(double(i)), ys.push_back(std::sin(1e-3 * double(i)));
  ys[points / 3] = 10.0, ys[points / 7] = -10.0;
  for (const Mark mark : {Mark::line, Mark::points, Mark::steps}) {
    Chart chart{.title = "long", .x = {"x", ""}, .y = {"y", ""}};
    for (int s = 0; s < series; ++s) chart.add("s" + std::to_string(s), xs, ys, mark);
    const std::string svg = checked_svg(chart);
    EXPECT_LT(svg.size(), 200'000u);
    // The axis reaches from -10 to 10, and so do the marks: the area is 220 high and begins at 26.
    const std::string marks = svg.substr(svg.find("s0"));
    EXPECT_GE(count(marks, " 26"), 1u);
    EXPECT_GE(count(marks, " 246"), 1u);
    EXPECT_GT(count(svg, "highest and lowest"), 0u);
  }
}

TEST(Chart, OfAMillionPointsIsSmallAndKeepsThePeaks) { expect_small_with_peaks(1'000'000, 1); }
TEST(Chart, OfManyLongSeriesIsSmallToo) { expect_small_with_peaks(50'000, int(most_series)); }

TEST(Chart, StaysSmallWhateverTheOrderAndTheGaps) {
  std::vector<double> xs, ys;
  for (int i = 0; i < 300'000; ++i)
    xs.push_back(std::fmod(7919.0 * i, 1000.0)), ys.push_back(i % 2 == 0 ? nan : std::cos(i));
  for (const Mark mark : {Mark::line, Mark::points, Mark::steps}) {
    Chart chart{.title = "to and fro"};
    chart.add("s", xs, ys, mark);
    EXPECT_LT(checked_svg(chart).size(), 200'000u);
  }
}

TEST(Thinning, KeepsTheExtremesOfEveryColumn) {
  std::vector<Point> points;
  for (int i = 0; i < 10'000; ++i) points.push_back({0.01 * i, std::cos(double(i * i)), 0});
  points[4242].y = 7.0;
  const std::vector<Point> kept = thinned(points, 1000);
  EXPECT_LE(kept.size(), 400u);
  for (int column = 0; column < 100; ++column) {
    double high = -9.0, kept_high = -9.0, low = 9.0, kept_low = 9.0;
    for (const Point& p : points)
      if (int(p.x) == column) high = std::max(high, p.y), low = std::min(low, p.y);
    for (const Point& p : kept)
      if (int(p.x) == column) kept_high = std::max(kept_high, p.y), kept_low = std::min(kept_low, p.y);
    EXPECT_EQ(kept_high, high) << column;
    EXPECT_EQ(kept_low, low) << column;
  }
  EXPECT_TRUE(std::ranges::is_sorted(kept, {}, &Point::x));
  EXPECT_EQ(thinned(std::span(points).first(50), 1000).size(), 50u);
  EXPECT_TRUE(thinned({}, 0).empty());
}

TEST(BarChart, NamesAndNumbersEveryBar) {
  BarChart chart{.title = "Time", .value = {"time", "s"}, .categories = {"setup", "step"}};
  chart.add("a", {0.25, 3.5});
  chart.add("b", {nan});
  chart.mark(2.0, "bar");
  const std::string svg = checked_svg(chart);
  for (const char* part : {">setup</text>", ">step</text>", ">0.25</text>", ">3.5</text>", ">bar</text>", "time [s]"})
    EXPECT_GE(count(svg, part), 1u) << part;
  EXPECT_EQ(remarks(chart), "2 values have no bar: not finite.");
}

TEST(BarChart, SurvivesEveryDegenerateValue) {
  for (const AxisKind kind : {AxisKind::linear, AxisKind::logarithmic})
    for (const std::vector<double>& values : std::vector<std::vector<double>>{
             {}, {0.0, 0.0}, {nan, inf}, {-1.0, 1.0}, {1e300, -1e300}, {5e-324, 0.0}, {-3.0, -4.0}}) {
      BarChart chart{.title = "t", .value = {"v", "", kind}, .categories = {"a", "b"}};
      chart.add("s", values);
      checked_svg(chart);
      chart.add("second", values);
      checked_svg(chart);
    }
  checked_svg(BarChart{});
}

TEST(BarChart, BoundsTheNumberOfBars) {
  BarChart chart{.title = "t"};
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) chart.categories.push_back(std::string(50, 'n')), values.push_back(i);
  chart.add("s", values);
  EXPECT_EQ(count(checked_svg(chart), "<rect"), most_bars);
  EXPECT_EQ(remarks(chart), "The first 72 of 1000 groups are drawn.");
}

double luminance(std::string_view colour) {
  double sum = 0.0;
  for (const auto& [at, weight] : {std::pair{1, 0.2126}, {3, 0.7152}, {5, 0.0722}}) {
    const double c = std::stoi(std::string(colour.substr(std::size_t(at), 2)), nullptr, 16) / 255.0;
    sum += weight * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view a, std::string_view b) {
  const double p = luminance(a), q = luminance(b);
  return (std::max(p, q) + 0.05) / (std::min(p, q) + 0.05);
}

TEST(Palette, StandsOutInLightAndDark) {
  EXPECT_NEAR(contrast("#000000", "#ffffff"), 21.0, 1e-9);
  for (const auto theme : {&Colour::light, &Colour::dark}) {
    for (const Colour& colour : series_colours)
      EXPECT_GE(contrast(colour.*theme, background.*theme), 3.0) << colour.*theme;
    for (const Colour& text : {ink, muted, good, bad})
      for (const Colour& behind : {background, panel})
        EXPECT_GE(contrast(text.*theme, behind.*theme), 4.5) << text.*theme;
  }
}

TEST(Text, ReplacesWhatIsNotXml) {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped(std::string("\0\x1f\x7f\t", 4)), replaced + replaced + replaced + "\t");
  EXPECT_EQ(escaped("é…𝄞"), "é…𝄞");
  EXPECT_EQ(escaped("\xc0\x80"), replaced + replaced) << "overlong";
  EXPECT_EQ(escaped("\xed\xa0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80").size(), 12u) << "above U+10FFFF";
  EXPECT_EQ(escaped("\xe2\x80"), replaced + replaced) << "cut short";
  EXPECT_EQ(escaped("\xef\xbf\xbe"), replaced) << "U+FFFE";
}

TEST(Text, WritesNumbersShort) {
  EXPECT_EQ(number_text(1.2e-6), "1.2e-6");
  EXPECT_EQ(number_text(-3e15), "-3e15");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(1e100), "1e100");
  EXPECT_EQ(count_text(1234567.0), "1\u202f234\u202f567");
  EXPECT_EQ(count_text(-12345.0), "-12\u202f345");
  EXPECT_EQ(count_text(2000.0), "2000");
  EXPECT_EQ(count_text(0.5), "0.5");
  EXPECT_EQ(count_text(1e300), "1e300");
  EXPECT_EQ(pixels(-0.04), "0");
  EXPECT_EQ(pixels(-0.5), "-0.5");
  EXPECT_EQ(pixels(12.34), "12.3");
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
}

}  // namespace
}  // namespace tendril::plot
