// Colours for numbers. Both maps rise evenly in lightness, or fall from their middle, and can be told apart by people
// who do not see red or green.
#pragma once

#include <span>

#include "tendril/render/rgb.hpp"

namespace tendril::render {

struct ValueRange {
  float low = 0.0f, high = 1.0f;
  bool log = false;        // equal ratios get equal distances
  bool diverging = false;  // zero is in the middle

  float share(float value) const;  // in [0, 1]; NaN of NaN
  float value(float share) const;
};

// Of all that is finite. Outliers do not spoil it: 1 % at either end may lie outside. Signed values with both signs get
// a range about zero; what spans more than two powers of ten and is positive gets a logarithmic one.
ValueRange range_of(std::span<const float> values, bool signed_values);

Rgb colour(const ValueRange& range, float value);  // of NaN: grey

}  // namespace tendril::render
