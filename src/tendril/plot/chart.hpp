// A chart: named series over two axes, drawn as SVG to stand inside a page (plot/page.hpp has the style sheet).
//
//   Chart chart{.title = "Energy", .x = {"time", "s"}, .y = {"energy", "J"}};
//   chart.add("kinetic", times, energies);
//   std::string svg = to_svg(chart);
//
// Values that are not finite, and those at or below zero on a logarithmic axis, leave gaps, and the description counts
// them. Of long series the extremes of every column of pixels are drawn, so that no peak is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tendril/plot/scale.hpp"

namespace tendril::plot {

struct Axis {
  std::string label = {}, unit = {};
  AxisKind kind = AxisKind::linear;
  bool whole = false;  // counts: no ticks between whole numbers, and upright axes begin at 0

  std::string title() const;  // "energy [J]"
};

// guide: a thin grey line that is no data, such as the slope of an expected order.
enum class Mark : std::uint8_t { line, points, line_and_points, steps, guide };

struct Series {
  std::string name;
  std::vector<double> x, y;  // what the longer one has beyond the shorter one is not drawn
  Mark mark = Mark::line;

  std::size_t size() const { return x.size() < y.size() ? x.size() : y.size(); }
};

enum class Direction : std::uint8_t { horizontal, vertical };

// A labelled line across the chart, at a value of the axis that it crosses.
struct Reference {
  Direction direction = Direction::horizontal;
  double value = 0.0;
  std::string label;
};

// A shaded stripe between two values.
struct Band {
  Direction direction = Direction::horizontal;
  double from = 0.0, to = 0.0;
  std::string label;
};

struct Chart {
  std::string title = {};
  std::string description = {};  // one sentence
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Reference> references = {};
  std::vector<Band> bands = {};

  void add(std::string name, std::vector<double> xs, std::vector<double> ys, Mark mark = Mark::line) {
    series.push_back({std::move(name), std::move(xs), std::move(ys), mark});
  }
  void mark_x(double value, std::string label) { references.push_back({Direction::vertical, value, std::move(label)}); }
  void mark_y(double value, std::string label) {
    references.push_back({Direction::horizontal, value, std::move(label)});
  }
};

// More series than this are not told apart by anybody: the rest is in the data only, and the description says so.
inline constexpr std::size_t most_series = 12;

// What was left out or thinned, as sentences, or nothing.
std::string remarks(const Chart& chart);

// The id is that of the SVG and the beginning of all ids in it: unique on the page, a letter and then letters, digits
// and hyphens.
std::string to_svg(const Chart& chart, std::string_view id = "chart");

}  // namespace tendril::plot
