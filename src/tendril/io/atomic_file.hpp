// Whole files. A file is written under the temporary name NAME.part in the same folder and renamed when every byte has
// been accepted: a reader sees the old file or the new one, never half of one, and a full disk leaves the old one as it
// was. The data is not forced to the disk (no fsync): a power cut can cost the last files, a crash of ours cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);

// Refuses folders and files above `limit` bytes; a file that grows or shrinks meanwhile is read as far as it goes.
Result<std::vector<std::byte>> read_bytes(const std::filesystem::path& path,
                                          std::uint64_t limit = std::uint64_t{1} << 36);
Result<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 30);

}  // namespace tendril
