// Grooms by the extension of their file. Read: .hair .data .tfx .usda .ply .obj .tendril (a frame of a run). Written:
// .hair .data .usda .ply .obj .vtp.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

// As the file has it: not repaired, not scaled. Layers that a .usda refers to are read from where it stands.
Result<Groom> read_groom(const std::filesystem::path& path);
Result<Groom> decode_groom(std::span<const std::byte> bytes, const std::filesystem::path& path);

// The groom is in metres, y up.
Status write_groom(const std::filesystem::path& path, const Groom& groom);

// By the extension.
bool reads_groom(const std::filesystem::path& path);
bool writes_groom(const std::filesystem::path& path);

}  // namespace tendril
