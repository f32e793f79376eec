#include "tendril/render/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tendril/render/image.hpp"

namespace tendril::render {
namespace {

// On the screen, from 0 to 1. From a dark violet by way of teal to yellow.
constexpr std::array<std::array<float, 3>, 7> rising = {{{0.25f, 0.04f, 0.37f},
                                                         {0.25f, 0.24f, 0.53f},
                                                         {0.18f, 0.42f, 0.56f},
                                                         {0.12f, 0.57f, 0.55f},
                                                         {0.26f, 0.72f, 0.44f},
                                                         {0.61f, 0.84f, 0.24f},
                                                         {0.98f, 0.91f, 0.16f}}};
// From blue by way of a light grey to a reddish brown.
constexpr std::array<std::array<float, 3>, 5> two_sided = {{{0.09f, 0.29f, 0.60f},
                                                            {0.42f, 0.64f, 0.84f},
                                                            {0.91f, 0.91f, 0.90f},
                                                            {0.90f, 0.60f, 0.35f},
                                                            {0.60f, 0.20f, 0.05f}}};

template <std::size_t N>
Rgb between(const std::array<std::array<float, 3>, N>& knots, float share) {
  const float place = std::clamp(share, 0.0f, 1.0f) * float(N - 1);
  const std::size_t i = std::min<std::size_t>(N - 2, std::size_t(place));
  Rgb out;
  for (std::size_t c = 0; c < 3; ++c)
    out[Eigen::Index(c)] = to_light(knots[i][c] + (place - float(i)) * (knots[i + 1][c] - knots[i][c]));
  return out;
}

}  // namespace

float ValueRange::share(float value) const {
  if (std::isnan(value)) return value;
  if (log)
    value = std::log(std::max(value, low) / low) / std::log(high / low);
  else
    value = (value - low) / (high - low);
  return std::clamp(value, 0.0f, 1.0f);
}

float ValueRange::value(float share) const {
  return log ? low * std::pow(high / low, share) : low + share * (high - low);
}

ValueRange range_of(std::span<const float> values, bool signed_values) {
  std::vector<float> sorted;
  std::ranges::copy_if(values, std::back_inserter(sorted), [](float v) { return std::isfinite(v); });
  if (sorted.empty()) return {};
  std::ranges::sort(sorted);
  const auto at = [&](double share) { return sorted[std::size_t(share * double(sorted.size() - 1))]; };
  ValueRange range{at(0.01), at(0.99)};
  if (signed_values && range.low < 0.0f && range.high > 0.0f) {
    range.high = std::max(-range.low, range.high), range.low = -range.high;
    range.diverging = true;
    return range;
  }
  range.log = range.low > 0.0f && range.high > 100.0f * range.low;
  if (!(range.high > range.low)) {  // all the same: it is in the middle
    const float half = range.low == 0.0f ? 1.0f : 0.1f * std::abs(range.low);
    range.low -= half, range.high += half;
  }
  return range;
}

Rgb colour(const ValueRange& range, float value) {
  const float share = range.share(value);
  if (std::isnan(share)) return Rgb::Constant(0.35f);
  return range.diverging ? between(two_sided, share) : between(rising, share);
}

}  // namespace tendril::render
