// Horizontal bars, one group per category: names of any length stay readable, and every bar carries its number.
//
//   BarChart chart{.title = "Time per stage", .value = {"time", "s"}, .categories = {"setup", "step"}};
//   chart.add("run", {0.1, 3.2});
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tendril/plot/chart.hpp"

namespace tendril::plot {

struct BarSeries {
  std::string name;
  std::vector<double> values;  // one per category; missing ones have no bar
};

struct BarChart {
  std::string title = {};
  std::string description = {};  // one sentence
  Axis value = {};               // bars on a logarithmic axis begin at its low end
  std::vector<std::string> categories = {};
  std::vector<BarSeries> series = {};
  std::vector<Reference> references = {};  // their direction is vertical

  void add(std::string name, std::vector<double> values) { series.push_back({std::move(name), std::move(values)}); }
  void mark(double at, std::string label) { references.push_back({Direction::vertical, at, std::move(label)}); }
};

// The height grows with the bars, so their number is bounded; the description says what is left out.
inline constexpr std::size_t most_bars = 72;

std::string remarks(const BarChart& chart);
std::string to_svg(const BarChart& chart, std::string_view id = "chart");

}  // namespace tendril::plot
