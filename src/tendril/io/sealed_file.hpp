// HDF5 files with a seal before them, in the place that the format leaves to users: name, version, size and checksum.
// HDF5's library trusts what it reads, so only bytes with an unbroken seal reach it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

struct SealKind {
  char magic[9];          // eight letters
  std::uint32_t version;  // that is written, and the only one that is read
  std::string_view what;  // in messages: "a checkpoint"
};

std::vector<std::byte> sealed(const SealKind& kind, std::span<const std::byte> body);
// The body, if all is as it was written.
Result<std::span<const std::byte>> unsealed(const SealKind& kind, std::span<const std::byte> bytes,
                                            const std::string& name);
bool is_sealed_as(const SealKind& kind, std::span<const std::byte> bytes);           // by its magic alone
std::uint32_t seal_version(const SealKind& kind, std::span<const std::byte> bytes);  // 0: it is no such file

}  // namespace tendril
