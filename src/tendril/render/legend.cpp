#include "tendril/render/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/render/text_painter.hpp"

namespace tendril::render {
namespace {

void fill(int left, int top, int width, int height, const Rgb& colour, float cover, Image& image) {
  for (int y = std::max(0, top); y < std::min(image.height, top + height); ++y)
    for (int x = std::max(0, left); x < std::min(image.width, left + width); ++x)
      image.at(x, y) += cover * (colour - image.at(x, y));
}

std::string title(const Legend& legend) {
  return legend.unit.empty() ? legend.label : fmt::format("{} [{}]", legend.label, legend.unit);
}

}  // namespace

std::vector<float> legend_ticks(const ValueRange& range) {
  std::vector<float> ticks;
  if (range.log) {
    const int first = int(std::ceil(std::log10(range.low) - 1e-3f)),
              last = int(std::floor(std::log10(range.high) + 1e-3f));
    const int stride = std::max(1, (last - first) / 5 + ((last - first) % 5 ? 1 : 0));
    for (int e = first; e <= last; e += stride) ticks.push_back(std::pow(10.0f, float(e)));
    if (ticks.size() >= 2) return ticks;
    return {range.low, range.high};
  }
  const float rough = (range.high - range.low) / 4.0f, power = std::pow(10.0f, std::floor(std::log10(rough)));
  const float digit = rough / power, step = power * (digit < 1.5f   ? 1.0f
                                                     : digit < 3.2f ? 2.0f
                                                     : digit < 7.1f ? 5.0f
                                                                    : 10.0f);
  for (float i = std::ceil(range.low / step - 1e-3f); i * step <= range.high + 1e-3f * step; ++i)
    ticks.push_back(i == 0.0f ? 0.0f : i * step);
  return ticks;
}

std::string tick_text(float value) { return fmt::format("{:.3g}", value); }

void paint_legend(const Legend& legend, Image& image) {
  const float unit = std::max(9.0f, float(image.height) / 48.0f);  // height of a line
  const TextPainter text(unit);
  const Rgb ink = legend.dark ? Rgb::Constant(0.8f) : Rgb::Constant(0.02f);
  const Rgb paper = legend.dark ? Rgb::Constant(0.01f) : Rgb::Constant(0.85f);
  const int bar_width = int(16.0f * unit), bar_height = int(0.8f * unit);
  const int pad = int(1.6f * unit);  // half a number stands out at either end
  const int left = int(1.5f * unit), box_height = int(4.2f * unit), top = image.height - box_height - int(1.5f * unit);
  const int box_width = std::max(bar_width, int(text.width(title(legend)))) + 2 * pad;
  fill(left, top, box_width, box_height, paper, 0.75f, image);
  text.paint(title(legend), float(left + pad), float(top) + 1.35f * unit, ink, image);
  const int bar_top = top + int(1.85f * unit);
  for (int x = 0; x < bar_width; ++x)
    fill(left + pad + x, bar_top, 1, bar_height,
         colour(legend.range, legend.range.value((float(x) + 0.5f) / float(bar_width))), 1.0f, image);
  float free_from = 0.0f;  // numbers that would run into each other are left out
  for (const float tick : legend_ticks(legend.range)) {
    const float x = float(left + pad) + legend.range.share(tick) * float(bar_width);
    fill(int(x), bar_top + bar_height, 1, int(0.25f * unit), ink, 1.0f, image);
    const std::string number = tick_text(tick);
    const float width = text.width(number), begin = x - 0.5f * width;
    if (begin < free_from) continue;
    text.paint(number, begin, float(bar_top + bar_height) + 1.15f * unit, ink, image);
    free_from = begin + width + 0.5f * unit;
  }
}

}  // namespace tendril::render
