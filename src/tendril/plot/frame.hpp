// What all charts share: the drawing's opening with its name and description, axes with ticks and titles, labelled
// lines across, markers, and the legend. The units are pixels of a drawing `canvas_width` wide, which scales as a
// whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/plot/chart.hpp"
#include "tendril/plot/palette.hpp"
#include "tendril/plot/ticks.hpp"

namespace tendril::plot {

// Small enough that its letters can still be read on a telephone, where the whole drawing is as wide as the screen.
inline constexpr double canvas_width = 480.0;
// No browser is here to measure letters: an average for the largest size in the style sheet, so that nothing overlaps.
inline constexpr double letter_width = 8.0;
inline constexpr double row_height = 20.0, reference_row = 15.0;  // of the legend, of labels inside the area
inline constexpr double title_height = 26.0, axis_height = 50.0;

// Beside the plotting area, for labels of at most this many characters.
double label_margin(std::size_t letters);

// The plotting area. y grows downwards, as in SVG.
struct Area {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
  Scale x = {}, y = {};

  double at_x(long double value) const { return left + width * x(value); }
  double at_y(long double value) const { return top + height * (1.0 - y(value)); }
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// As many ticks as have room side by side.
Ticks ticks_across(const Axis& axis, const Ends& ends, double width, AxisEnds where);

std::string opening(std::string_view id, double height, std::string_view title, std::string_view description);
std::string x_axis(const Area& area, const Ticks& ticks, const Axis& axis);
std::string y_axis(const Area& area, const Ticks& ticks, const Axis& axis);
std::string reference_lines(const Area& area, std::span<const Reference> references);

// One subpath, as short as can be: a circle is the round end of a line without length.
std::string marker_path(Marker marker, double x, double y);
std::string_view marker_class(Marker marker);

struct LegendEntry {
  std::string name;
  std::string sample;  // elements in a box 24 wide, 0 to 24, around y = 0
};
// Entries from `top` on, in as many columns as the longest name allows.
struct Legend {
  std::string drawing;
  double height = 0.0;
};
Legend legend(std::span<const LegendEntry> entries, double top);

}  // namespace tendril::plot
