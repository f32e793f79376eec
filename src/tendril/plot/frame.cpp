#include "tendril/plot/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

constexpr double legend_sample = 30.0, legend_gap = 18.0;

std::string text_at(double x, double y, std::string_view classes, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", classes, pixels(x), pixels(y), escaped(text));
}

std::string axis_title(const Axis& axis, const Ticks& ticks) {
  return ticks.offset.empty() ? axis.title() : fmt::format("{}, counted from {}", axis.title(), ticks.offset);
}

// Labels of lines that are close to each other move apart.
std::vector<double> moved_apart(std::vector<double> places, double distance, double last) {
  std::vector<std::size_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places[i]; });
  for (std::size_t k = 1; k < order.size(); ++k)
    places[order[k]] = std::max(places[order[k]], places[order[k - 1]] + distance);
  double limit = last;
  for (std::size_t k = order.size(); k-- > 0; limit = places[order[k]] - distance)
    places[order[k]] = std::min(places[order[k]], limit);
  return places;
}

}  // namespace

double label_margin(std::size_t letters) { return 14.0 + letter_width * double(letters); }

Ticks ticks_across(const Axis& axis, const Ends& ends, double width, AxisEnds where) {
  for (int wanted = 8; wanted > 2; --wanted) {
    Ticks ticks = make_ticks(axis.kind, ends, wanted, where, axis.whole);
    const auto labelled = std::ranges::count_if(ticks.ticks, [](const Tick& t) { return !t.label.empty(); });
    if (double(labelled) * (letter_width * double(ticks.longest_label()) + 8.0) <= width) return ticks;
  }
  return make_ticks(axis.kind, ends, 2, where, axis.whole);
}

std::string opening(std::string_view id, double height, std::string_view title, std::string_view description) {
  return fmt::format(
      "<svg id=\"{0}\" class=\"chart\" role=\"img\" aria-labelledby=\"{0}-title {0}-desc\" "
      "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {1} {2}\">\n"
      "<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n",
      id, pixels(canvas_width), pixels(height), escaped(title), escaped(description));
}

std::string x_axis(const Area& area, const Ticks& ticks, const Axis& axis) {
  std::string marks, labels;
  for (const Tick& tick : ticks.ticks) {
    const double x = area.at_x(tick.value);
    marks += fmt::format("M{} {}v{}", pixels(x), pixels(area.bottom()), tick.label.empty() ? 3 : 5);
    if (!tick.label.empty()) labels += text_at(x, area.bottom() + 19.0, "tick middle", tick.label) + "\n";
  }
  return fmt::format("<path class=\"axis\" d=\"M{} {}h{}{}\"/>\n{}{}\n", pixels(area.left), pixels(area.bottom()),
                     pixels(area.width), marks, labels,
                     text_at(area.right(), area.bottom() + 38.0, "name end", axis_title(axis, ticks)));
}

std::string y_axis(const Area& area, const Ticks& ticks, const Axis& axis) {
  std::string grid, marks, labels;
  for (const Tick& tick : ticks.ticks) {
    const double y = area.at_y(tick.value);
    if (tick.label.empty()) {
      marks += fmt::format("M{} {}h-4", pixels(area.left), pixels(y));
    } else {
      grid += fmt::format("M{} {}h{}", pixels(area.left), pixels(y), pixels(area.width));
      labels += text_at(area.left - 8.0, y + 4.0, "tick end", tick.label) + "\n";
    }
  }
  // The title begins where the labels do: above them it needs no turned letters and no room at the side.
  return fmt::format("<path class=\"grid\" d=\"{}\"/>\n{}{}{}\n", grid,
                     marks.empty() ? "" : fmt::format("<path class=\"axis\" d=\"{}\"/>\n", marks), labels,
                     text_at(2.0, 13.0, "name", axis_title(axis, ticks)));
}

std::string reference_lines(const Area& area, std::span<const Reference> references) {
  std::string lines, labels;
  std::vector<double> places;
  std::vector<const Reference*> horizontal;
  double row = area.top + 12.0;  // labels of vertical lines, one below the other
  for (const Reference& r : references) {
    const bool level = r.direction == Direction::horizontal;
    if (!shows(level ? area.y.kind : area.x.kind, r.value)) continue;
    if (level) {
      const double y = area.at_y(r.value);
      lines += fmt::format("M{} {}h{}", pixels(area.left), pixels(y), pixels(area.width));
      horizontal.push_back(&r), places.push_back(std::max(y - 5.0, area.top + 11.0));
    } else {
      const double x = area.at_x(r.value);
      lines += fmt::format("M{} {}v{}", pixels(x), pixels(area.top), pixels(area.height));
      const bool left_of_it = x + 5.0 + letter_width * double(characters(r.label)) > area.right();
      labels += text_at(left_of_it ? x - 5.0 : x + 5.0, row, left_of_it ? "note end" : "note", r.label) + "\n";
      row += reference_row;
    }
  }
  places = moved_apart(std::move(places), reference_row, area.bottom() - 3.0);
  for (std::size_t i = 0; i < places.size(); ++i)
    labels += text_at(area.right() - 2.0, places[i], "note end", horizontal[i]->label) + "\n";
  return lines.empty() ? "" : fmt::format("<path class=\"reference\" d=\"{}\"/>\n{}", lines, labels);
}

std::string marker_path(Marker marker, double x, double y) {
  switch (marker) {
    case Marker::circle: return fmt::format("M{} {}h0", pixels(x), pixels(y));
    case Marker::square: return fmt::format("M{} {}h6v6h-6z", pixels(x - 3.0), pixels(y - 3.0));
    case Marker::triangle: return fmt::format("M{} {}l4 7h-8z", pixels(x), pixels(y - 4.0));
    case Marker::diamond: return fmt::format("M{} {}l4 4-4 4-4-4z", pixels(x), pixels(y - 4.0));
    case Marker::cross: return fmt::format("M{} {}l6 6m0-6l-6 6", pixels(x - 3.0), pixels(y - 3.0));
    case Marker::plus: break;
  }
  return fmt::format("M{} {}v8m-4-4h8", pixels(x), pixels(y - 4.0));
}

std::string_view marker_class(Marker marker) {
  switch (marker) {
    case Marker::circle: return "round";
    case Marker::square:
    case Marker::triangle:
    case Marker::diamond: return "solid";
    case Marker::cross:
    case Marker::plus: break;
  }
  return "open";
}

Legend legend(std::span<const LegendEntry> entries, double top) {
  Legend out;
  if (entries.empty()) return out;
  std::size_t longest = 0;
  for (const LegendEntry& entry : entries) longest = std::max(longest, characters(entry.name));
  longest = std::min(longest, std::size_t((canvas_width - legend_sample - 4.0) / letter_width));
  const double pitch = legend_sample + letter_width * double(longest) + legend_gap;
  const std::size_t columns = std::max<std::size_t>(1, std::size_t((canvas_width + legend_gap) / pitch));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& whole = entries[i].name;
    const std::string name = shortened(whole, longest);
    out.drawing +=
        fmt::format("<g transform=\"translate({} {})\">{}<text class=\"legend\" x=\"{}\" y=\"4\">{}</text>",
                    pixels(2.0 + pitch * double(i % columns)), pixels(top + row_height * (double(i / columns) + 0.5)),
                    entries[i].sample, pixels(legend_sample), escaped(name));
    out.drawing += name == whole ? "</g>\n" : fmt::format("<title>{}</title></g>\n", escaped(whole));
  }
  out.height = row_height * double((entries.size() + columns - 1) / columns);
  return out;
}

}  // namespace tendril::plot
