#include "tendril/plot/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tendril/plot/frame.hpp"
#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

constexpr double bar_height = 12.0, bar_pitch = 18.0, group_gap = 8.0;
constexpr std::size_t longest_category = 22;

std::size_t drawn_series(const BarChart& chart) { return std::min(most_series, chart.series.size()); }

std::size_t drawn_categories(const BarChart& chart) {
  return std::min(chart.categories.size(), most_bars / std::max<std::size_t>(1, drawn_series(chart)));
}

double value_of(const BarChart& chart, std::size_t series, std::size_t category) {
  const std::vector<double>& values = chart.series[series].values;
  return category < values.size() ? values[category] : std::numeric_limits<double>::quiet_NaN();
}

template <class F>
void for_each_bar(const BarChart& chart, F&& f) {
  for (std::size_t c = 0; c < drawn_categories(chart); ++c)
    for (std::size_t s = 0; s < drawn_series(chart); ++s) f(c, s, value_of(chart, s, c));
}

Range range_of(const BarChart& chart) {
  Range range;
  const auto include = [&](double value) {
    if (shows(chart.value.kind, value)) range.include(value);
  };
  for_each_bar(chart, [&](std::size_t, std::size_t, double value) { include(value); });
  for (const Reference& r : chart.references) include(r.value);
  include(0.0);  // a bar is read by its length
  return range;
}

std::string full_description(const BarChart& chart) {
  std::string text = chart.description + fmt::format(" Bars of {}:", chart.value.title());
  for_each_bar(chart, [&](std::size_t c, std::size_t s, double value) {
    text += fmt::format(" {}{} {};", chart.categories[c], drawn_series(chart) > 1 ? ", " + chart.series[s].name : "",
                        number_text(value));
  });
  if (text.ends_with(';')) text.back() = '.';
  for (const Reference& r : chart.references) text += fmt::format(" Line at {}: {}.", number_text(r.value), r.label);
  const std::string left_out = remarks(chart);
  return left_out.empty() ? text : text + " " + left_out;
}

}  // namespace

std::string remarks(const BarChart& chart) {
  std::size_t missing = 0;
  for_each_bar(chart,
               [&](std::size_t, std::size_t, double value) { missing += shows(chart.value.kind, value) ? 0 : 1; });
  std::string text;
  if (missing > 0)
    text = fmt::format("{} {} no bar: not finite{}.", counted(missing, "value"), missing == 1 ? "has" : "have",
                       chart.value.kind == AxisKind::logarithmic ? ", or not above zero" : "");
  if (drawn_categories(chart) < chart.categories.size())
    text += fmt::format("{}The first {} of {} groups are drawn.", text.empty() ? "" : " ", drawn_categories(chart),
                        count_text(double(chart.categories.size())));
  return text;
}

std::string to_svg(const BarChart& chart, std::string_view id) {
  const std::size_t series = drawn_series(chart), categories = drawn_categories(chart);
  const bool grouped = series > 1;
  std::size_t longest = 6, longest_number = 0;
  for (std::size_t c = 0; c < categories; ++c)
    longest = std::max(longest, std::min(longest_category, characters(chart.categories[c])));
  for_each_bar(chart, [&](std::size_t, std::size_t, double value) {
    longest_number = std::max(longest_number, number_text(value, 3).size());
  });

  const double pitch = bar_pitch * double(series) + group_gap;
  const double above = reference_row * double(chart.references.size());  // room for the names of lines
  Area area{.left = label_margin(longest),
            .top = 6.0 + above,
            .height = pitch * double(std::max<std::size_t>(1, categories))};
  area.width = canvas_width - area.left - letter_width * double(longest_number) - (grouped ? 26.0 : 14.0);
  const Ticks ticks =
      ticks_across(chart.value, axis_ends(chart.value.kind, range_of(chart)), area.width, AxisEnds::on_ticks);
  area.x = {chart.value.kind, ticks.ends};

  std::vector<LegendEntry> entries;
  for (std::size_t s = 0; grouped && s < series; ++s)
    entries.push_back(
        {chart.series[s].name,
         fmt::format("<rect class=\"bar s{0}\" x=\"0\" y=\"-5\" width=\"14\" height=\"10\"/>"
                     "<path class=\"{1} s{0}\" d=\"{2}\"/>",
                     s % series_colours.size(), marker_class(marker_of(s)), marker_path(marker_of(s), 21.0, 0.0))});
  const double legend_top = area.bottom() + axis_height;
  const Legend names = legend(entries, legend_top);

  std::string svg = opening(id, legend_top + names.height + 2.0, chart.title, full_description(chart));
  svg += x_axis(area, ticks, chart.value);
  for (std::size_t c = 0; c < categories; ++c) {
    const std::string name = shortened(chart.categories[c], longest_category);
    svg += fmt::format("<text class=\"legend end\" x=\"{}\" y=\"{}\">{}", pixels(area.left - 8.0),
                       pixels(area.top + pitch * (double(c) + 0.5) + 4.0), escaped(name));
    svg += name == chart.categories[c] ? "</text>\n"
                                       : fmt::format("<title>{}</title></text>\n", escaped(chart.categories[c]));
  }
  const double zero =
      chart.value.kind == AxisKind::linear ? std::clamp(area.at_x(0.0L), area.left, area.right()) : area.left;
  for_each_bar(chart, [&](std::size_t c, std::size_t s, double value) {
    if (!shows(chart.value.kind, value)) return;
    const double end = area.at_x(value), low = std::min(zero, end), high = std::max(zero, end);
    const double middle = area.top + pitch * double(c) + 0.5 * group_gap + bar_pitch * (double(s) + 0.5);
    svg += fmt::format("<rect class=\"bar s{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                       s % series_colours.size(), pixels(low), pixels(middle - 0.5 * bar_height),
                       pixels(std::max(1.0, high - low)), pixels(bar_height));
    // Numbers stand in a column of their own, where no line crosses them.
    if (grouped)
      svg += fmt::format("<path class=\"{} s{}\" d=\"{}\"/>", marker_class(marker_of(s)), s % series_colours.size(),
                         marker_path(marker_of(s), area.right() + 14.0, middle));
    svg += fmt::format("<text class=\"tick end\" x=\"{}\" y=\"{}\">{}</text>\n", pixels(canvas_width - 2.0),
                       pixels(middle + 4.0), number_text(value, 3));
  });
  area.top -= above, area.height += above;
  svg += reference_lines(area, chart.references);
  return svg + names.drawing + "</svg>\n";
}

}  // namespace tendril::plot
