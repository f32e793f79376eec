#include "tendril/render/png_file.hpp"

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tendril/io/atomic_file.hpp"
#include "tendril/render/sampler.hpp"

namespace tendril::render {

// Rounding up or down by chance, the same for all three channels, keeps smooth shades from showing as bands.
std::vector<std::uint8_t> screen_levels(const Image& image) {
  std::vector<std::uint8_t> levels;
  levels.reserve(3 * image.pixels.size());
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const float chance = float(mixed(std::uint32_t(i), 0x9e37u) >> 8) * 0x1p-24f;
    for (const float light : image.pixels[i])
      levels.push_back(std::uint8_t(std::min(255.0f, to_screen(light) * 255.0f + chance)));
  }
  return levels;
}

std::vector<std::byte> encode_png(const Image& image) {
  const std::vector<std::uint8_t> levels = screen_levels(image);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = png_uint_32(image.width), header.height = png_uint_32(image.height);
  header.format = PNG_FORMAT_RGB;  // of 8 bits: sRGB
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, levels.data(), 0, nullptr))
    throw std::runtime_error(std::string("libpng: ") + header.message);
  bytes.resize(size);
  return bytes;
}

Status write_png(const std::filesystem::path& path, const Image& image) { return write_file(path, encode_png(image)); }

}  // namespace tendril::render
