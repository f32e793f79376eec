// Where values stand on an axis. Everything between a denormal number and the largest one has its place: differences
// are taken in long double, whose exponent reaches further than that of any double.
#pragma once

#include <cstdint>
#include <limits>

namespace tendril::plot {

enum class AxisKind : std::uint8_t { linear, logarithmic };

// A value that the axis can show: finite, and above zero where the axis is logarithmic.
bool shows(AxisKind kind, double value);

// Least and largest of what was included; nothing yet: empty.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool empty() const { return !(low <= high); }
  void include(double value);
};

// The ends of an axis. A range without extent is widened, so that a constant has a place in the middle; so is one of
// less than 1e-12 of its values, where only round-off is left to see. Without values: 0 to 1, or 1 to 10.
struct Ends {
  long double low = 0.0L, high = 1.0L;
};
Ends axis_ends(AxisKind kind, const Range& range);

struct Scale {
  AxisKind kind = AxisKind::linear;
  Ends ends;

  double operator()(long double value) const;  // 0 at the low end, 1 at the high end
};

}  // namespace tendril::plot
