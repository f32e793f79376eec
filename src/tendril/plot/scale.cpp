#include "tendril/plot/scale.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::plot {

bool shows(AxisKind kind, double value) { return std::isfinite(value) && (kind == AxisKind::linear || value > 0.0); }

void Range::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

Ends axis_ends(AxisKind kind, const Range& range) {
  if (range.empty()) return kind == AxisKind::linear ? Ends{0.0L, 1.0L} : Ends{1.0L, 10.0L};
  const long double low = range.low, high = range.high;
  if (kind == AxisKind::logarithmic) return low < high ? Ends{low, high} : Ends{low / 3.0L, high * 3.0L};
  const long double largest = std::max(std::abs(low), std::abs(high)), extent = high - low;
  if (largest == 0.0L) return {-1.0L, 1.0L};
  if (extent == 0.0L) return {low - 0.1L * largest, high + 0.1L * largest};
  const long double missing = std::max(0.0L, 1e-12L * largest - extent);
  return {low - 0.5L * missing, high + 0.5L * missing};
}

double Scale::operator()(long double value) const {
  if (kind == AxisKind::logarithmic) return double(std::log10(value / ends.low) / std::log10(ends.high / ends.low));
  return double((value - ends.low) / (ends.high - ends.low));
}

}  // namespace tendril::plot
