// Pictures as PNG: 8 bits per channel, sRGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/render/image.hpp"

namespace tendril::render {

std::vector<std::uint8_t> screen_levels(const Image& image);  // three per pixel

// The same bytes for the same picture.
std::vector<std::byte> encode_png(const Image& image);
Status write_png(const std::filesystem::path& path, const Image& image);

}  // namespace tendril::render
