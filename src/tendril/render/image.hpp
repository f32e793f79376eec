// A picture: rows from the top, linear light.
#pragma once

#include <cstddef>
#include <vector>

#include "tendril/render/rgb.hpp"

namespace tendril::render {

struct Image {
  int width = 0, height = 0;
  std::vector<Rgb> pixels;

  Image() = default;
  Image(int w, int h, const Rgb& colour = Rgb::Zero())
      : width(w), height(h), pixels(std::size_t(w) * std::size_t(h), colour) {}
  Rgb& at(int x, int y) { return pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
  const Rgb& at(int x, int y) const { return pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
};

// From light to what a screen is sent, each in [0, 1], and back: the curve of sRGB.
float to_screen(float light);
float to_light(float screen);

}  // namespace tendril::render
