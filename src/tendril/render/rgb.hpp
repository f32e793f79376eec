// Colours as light: linear, with the primaries and white of sRGB.
#pragma once

#include <Eigen/Core>

namespace tendril::render {

using Rgb = Eigen::Array3f;

inline float luminance(const Rgb& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }

}  // namespace tendril::render
