// What the colours of a picture mean: a bar with numbers, the quantity and its unit.
#pragma once

#include <string>
#include <vector>

#include "tendril/render/colour_map.hpp"
#include "tendril/render/image.hpp"

namespace tendril::render {

struct Legend {
  std::string label, unit;
  ValueRange range;
  bool dark = false;  // the backdrop
};

// Round numbers within the range, five or so.
std::vector<float> legend_ticks(const ValueRange& range);
std::string tick_text(float value);  // "0.02", "3e-06"

// In the lower left corner, as large as the picture allows.
void paint_legend(const Legend& legend, Image& image);

}  // namespace tendril::render
