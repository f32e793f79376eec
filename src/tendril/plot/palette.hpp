// Colours of charts and pages, for light and dark. The series' hues are those of Okabe and Ito, which people with any
// of the common colour deficiencies can tell apart, made darker or lighter until they stand out against the background
// by 3:1. No colour stands alone: series also differ in dash and marker. The three counts have no common divisor, so
// that the combination repeats only after many series.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tendril::plot {

struct Colour {
  std::string_view light, dark;  // "#rrggbb"
};

inline constexpr Colour background{"#ffffff", "#15181d"};
inline constexpr Colour panel{"#f6f7f9", "#1d2128"};
inline constexpr Colour ink{"#1b1f24", "#e8eaed"};
inline constexpr Colour muted{"#57606a", "#a3acb8"};
inline constexpr Colour rule{"#d9dee4", "#343b45"};
inline constexpr Colour good{"#00704f", "#35c79b"};
inline constexpr Colour bad{"#b34700", "#ff9257"};

inline constexpr std::array<Colour, 7> series_colours = {{
    {"#0072b2", "#57a9e2"},  // blue
    {"#d55e00", "#f0803c"},  // vermilion
    {"#00855f", "#2fc296"},  // green
    {"#b04f86", "#e59cc6"},  // purple
    {"#a66f00", "#ecb22e"},  // orange
    {"#3d444d", "#d5d9de"},  // black
    {"#2c86bb", "#9ad6f8"},  // sky
}};

inline constexpr std::array<std::string_view, 5> dashes = {"none", "7 3", "2 2.5", "9 3 2 3", "14 4"};

enum class Marker { circle, square, triangle, diamond, cross, plus };
inline constexpr std::size_t markers = 6;
inline constexpr Marker marker_of(std::size_t series) { return Marker(series % markers); }

}  // namespace tendril::plot
