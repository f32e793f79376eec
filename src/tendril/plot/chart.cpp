#include "tendril/plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tendril/plot/frame.hpp"
#include "tendril/plot/text.hpp"
#include "tendril/plot/thinning.hpp"

namespace tendril::plot {
namespace {

constexpr double plot_height = 220.0;
constexpr std::size_t most_points = 12000;  // of all series together: the drawing stays below 200 kB
constexpr std::size_t most_tooltips = 64;   // per series; each is an element of its own

std::span<const Series> drawn(const Chart& chart) {
  return std::span(chart.series).first(std::min(most_series, chart.series.size()));
}

std::size_t points_per_series(const Chart& chart) {
  return most_points / std::max<std::size_t>(1, drawn(chart).size());
}

struct Omitted {
  std::size_t not_finite = 0, not_positive = 0, thinned = 0;
};

Omitted omitted(const Chart& chart) {
  Omitted out;
  for (const Series& s : drawn(chart)) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!shows(AxisKind::linear, s.x[i]) || !shows(AxisKind::linear, s.y[i]))
        ++out.not_finite;
      else if (!shows(chart.x.kind, s.x[i]) || !shows(chart.y.kind, s.y[i]))
        ++out.not_positive;
    }
    if (s.size() > points_per_series(chart)) out.thinned = std::max(out.thinned, s.size());
  }
  return out;
}

Range range_of(const Chart& chart, Direction across) {
  const bool horizontal = across == Direction::horizontal;  // lines across at values of y
  const AxisKind kind = horizontal ? chart.y.kind : chart.x.kind;
  Range range;
  const auto include = [&](double value) {
    if (shows(kind, value)) range.include(value);
  };
  for (const Series& s : drawn(chart))
    for (std::size_t i = 0; i < s.size(); ++i)  // x also where y has a gap: charts of one run have the same axis
      if (shows(chart.x.kind, s.x[i])) include(horizontal ? s.y[i] : s.x[i]);
  if (horizontal && chart.y.whole) include(0.0), include(1.0);
  for (const Reference& r : chart.references)
    if (r.direction == across) include(r.value);
  for (const Band& b : chart.bands)
    if (b.direction == across) include(b.from), include(b.to);
  return range;
}

std::string axis_text(const char* which, const Axis& axis, const Range& range) {
  if (range.empty()) return "";
  return fmt::format(" {} axis: {}{}, from {} to {}.", which, axis.title(),
                     axis.kind == AxisKind::logarithmic ? ", logarithmic" : "", number_text(range.low),
                     number_text(range.high));
}

// For those who do not see the drawing: what is on the axes, how far it reaches, what the series are called.
std::string full_description(const Chart& chart) {
  std::string text = chart.description;
  text += axis_text("Horizontal", chart.x, range_of(chart, Direction::vertical));
  text += axis_text("Vertical", chart.y, range_of(chart, Direction::horizontal));
  std::string names;
  for (const Series& s : drawn(chart)) names += (names.empty() ? "" : ", ") + s.name;
  if (!names.empty()) text += fmt::format(" Series: {}.", names);
  for (const Reference& r : chart.references) text += fmt::format(" Line at {}: {}.", number_text(r.value), r.label);
  const std::string left_out = remarks(chart);
  return left_out.empty() ? text : text + " " + left_out;
}

std::vector<Point> points_of(const Chart& chart, const Area& area, const Series& s) {
  std::vector<Point> points;
  std::size_t stretch = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!shows(chart.x.kind, s.x[i]) || !shows(chart.y.kind, s.y[i])) {
      ++stretch;
      continue;
    }
    const Point point{area.at_x(s.x[i]), area.at_y(s.y[i]), stretch};
    if (s.mark == Mark::steps && !points.empty() && points.back().stretch == stretch)
      points.push_back({point.x, points.back().y, stretch});  // a value holds until the next one
    points.push_back(point);
  }
  return points;
}

bool joined(std::span<const Point> points, std::size_t i) {
  return i > 0 && i < points.size() && points[i].stretch == points[i - 1].stretch;
}

std::string line_path(std::span<const Point> points) {
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!joined(points, i) && !joined(points, i + 1)) continue;  // alone: drawn as a marker
    path += fmt::format("{}{} {}", joined(points, i) ? " " : "M", pixels(points[i].x), pixels(points[i].y));
  }
  return path;
}

std::string line_element(const Series& s, std::size_t index, std::string_view path) {
  if (path.empty()) return "";
  if (s.mark == Mark::guide) return fmt::format("<path class=\"guide\" d=\"{}\"/>\n", path);
  return fmt::format("<path class=\"line s{} d{}\" d=\"{}\"/>\n", index % series_colours.size(), index % dashes.size(),
                     path);
}

std::string marker_element(std::size_t index, std::string_view path, std::string_view tooltip = {}) {
  const std::string classes = fmt::format("{} s{}", marker_class(marker_of(index)), index % series_colours.size());
  if (tooltip.empty()) return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes, path);
  return fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n", classes, path, escaped(tooltip));
}

std::string markers_of(const Chart& chart, const Area& area, const Series& s, std::size_t index,
                       std::span<const Point> points) {
  std::string out, path;
  if (s.size() <= most_tooltips) {
    for (std::size_t i = 0; i < s.size(); ++i)
      if (shows(chart.x.kind, s.x[i]) && shows(chart.y.kind, s.y[i]))
        out += marker_element(index, marker_path(marker_of(index), area.at_x(s.x[i]), area.at_y(s.y[i])),
                              fmt::format("{}: {} at {}", s.name, with_unit(number_text(s.y[i]), chart.y.unit),
                                          with_unit(number_text(s.x[i]), chart.x.unit)));
    return out;
  }
  for (const Point& p : points) path += marker_path(marker_of(index), p.x, p.y);
  return path.empty() ? "" : marker_element(index, path);
}

std::string lone_markers(std::size_t index, std::span<const Point> points) {
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!joined(points, i) && !joined(points, i + 1)) path += marker_path(marker_of(index), points[i].x, points[i].y);
  return path.empty() ? "" : marker_element(index, path);
}

std::string draw(const Chart& chart, const Area& area, const Series& s, std::size_t index) {
  const std::vector<Point> points = thinned(points_of(chart, area, s), points_per_series(chart));
  std::string out;
  if (s.mark != Mark::points) out += line_element(s, index, line_path(points));
  if (s.mark == Mark::points || s.mark == Mark::line_and_points)
    out += markers_of(chart, area, s, index, points);
  else
    out += lone_markers(index, points);
  return out;
}

// The stripes lie below everything else and their names above it.
struct BandDrawing {
  std::string stripe, name;
};

BandDrawing draw(const Area& area, const Band& band) {
  const bool level = band.direction == Direction::horizontal;
  const AxisKind kind = level ? area.y.kind : area.x.kind;
  if (!shows(kind, band.from) || !shows(kind, band.to)) return {};
  const auto [low, high] = level ? std::minmax({area.at_y(band.from), area.at_y(band.to)})
                                 : std::minmax({area.at_x(band.from), area.at_x(band.to)});
  const double x = level ? area.left : low, y = level ? low : area.top;
  return {fmt::format("<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", pixels(x), pixels(y),
                      pixels(level ? area.width : high - low), pixels(level ? high - low : area.height)),
          fmt::format("<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>\n", pixels(x + 5.0), pixels(y + 13.0),
                      escaped(band.label))};
}

LegendEntry legend_entry(const Series& s, std::size_t index) {
  std::string sample;
  if (s.mark != Mark::points) sample = line_element(s, index, "M0 0 24 0");
  if (s.mark == Mark::points || s.mark == Mark::line_and_points)
    sample += marker_element(index, marker_path(marker_of(index), 12.0, 0.0));
  return {s.name, sample};
}

}  // namespace

std::string Axis::title() const { return with_unit(label, unit); }

std::string remarks(const Chart& chart) {
  const Omitted out = omitted(chart);
  std::string text;
  const auto say = [&](std::string sentence) { text += (text.empty() ? "" : " ") + sentence; };
  const auto left_out = [&](std::size_t count, const char* what) {
    if (count > 0)
      say(fmt::format("{} that {} {} {} left out.", counted(count, "value"), count == 1 ? "is" : "are", what,
                      count == 1 ? "is" : "are"));
  };
  left_out(out.not_finite, "not finite");
  left_out(out.not_positive, "not above zero");
  if (out.thinned > 0)
    say(fmt::format("Of up to {} in a series the highest and lowest of every column of pixels are drawn.",
                    counted(out.thinned, "point")));
  if (chart.series.size() > most_series)
    say(fmt::format("The first {} of {} series are drawn.", most_series, count_text(double(chart.series.size()))));
  return text;
}

std::string to_svg(const Chart& chart, std::string_view id) {
  Ends x_ends = axis_ends(chart.x.kind, range_of(chart, Direction::vertical));
  if (chart.x.kind == AxisKind::logarithmic) x_ends.low /= 1.2L, x_ends.high *= 1.2L;  // markers clear of the frame
  const Ends y_ends = axis_ends(chart.y.kind, range_of(chart, Direction::horizontal));
  const Ticks y_ticks = make_ticks(chart.y.kind, y_ends, 5, AxisEnds::on_ticks, chart.y.whole);

  Area area{.top = title_height, .height = plot_height};
  // Most charts of a page have labels of at most 6 letters: their areas stand exactly below each other.
  area.left = label_margin(std::max<std::size_t>(6, y_ticks.longest_label()));
  area.width = canvas_width - 14.0 - area.left;
  const Ticks x_ticks = ticks_across(chart.x, x_ends, area.width, AxisEnds::exact);
  area.x = {chart.x.kind, x_ticks.ends};
  area.y = {chart.y.kind, y_ticks.ends};

  std::vector<LegendEntry> entries;
  const std::span<const Series> series = drawn(chart);
  const bool named_by_axis = series.size() == 1 && series.front().name == chart.y.label;
  for (std::size_t i = 0; i < series.size() && !named_by_axis; ++i) entries.push_back(legend_entry(series[i], i));
  const double legend_top = area.bottom() + axis_height;
  const Legend names = legend(entries, legend_top);

  std::string svg = opening(id, legend_top + names.height + 2.0, chart.title, full_description(chart));
  std::string band_names;
  for (const Band& band : chart.bands) {
    const BandDrawing drawing = draw(area, band);
    svg += drawing.stripe, band_names += drawing.name;
  }
  svg += y_axis(area, y_ticks, chart.y);
  svg += x_axis(area, x_ticks, chart.x);
  for (std::size_t i = 0; i < series.size(); ++i) svg += draw(chart, area, series[i], i);
  svg += band_names + reference_lines(area, chart.references);
  return svg + names.drawing + "</svg>\n";
}

}  // namespace tendril::plot
