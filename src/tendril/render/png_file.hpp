// Pictures as PNG: 8 bits per channel, sRGB.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/render/image.hpp"

namespace tendril::render {

// The same bytes for the same picture.
std::vector<std::byte> encode_png(const Image& image);
Status write_png(const std::filesystem::path& path, const Image& image);

}  // namespace tendril::render
