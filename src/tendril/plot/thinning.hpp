// Fewer points for the same picture: of the points that follow each other within one column of pixels, the first, the
// lowest, the highest and the last remain.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tendril::plot {

struct Point {
  double x = 0.0, y = 0.0;  // in pixels
  std::size_t stretch = 0;  // grows at every gap: a line joins two neighbours of the same stretch only
};

// A curve that runs to and fro may stay in no column for long: where more than `most` would remain, the groups are
// runs of equally many points instead, whose extremes remain. The result has at most max(8, most) points.
std::vector<Point> thinned(std::span<const Point> points, std::size_t most);

}  // namespace tendril::plot
