#include "tendril/render/image.hpp"

#include <cmath>

namespace tendril::render {

float to_screen(float light) {
  if (!(light > 0.0f)) return 0.0f;  // NaN, too
  if (light >= 1.0f) return 1.0f;
  return light <= 0.0031308f ? 12.92f * light : 1.055f * std::pow(light, 1.0f / 2.4f) - 0.055f;
}

float to_light(float screen) {
  return screen <= 0.04045f ? screen / 12.92f : std::pow((screen + 0.055f) / 1.055f, 2.4f);
}

}  // namespace tendril::render
