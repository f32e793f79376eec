#include "tendril/io/sealed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tendril/base/hash.hpp"

namespace tendril {
namespace {

constexpr std::size_t seal_size = 512;  // the smallest that HDF5 allows

struct Seal {
  char magic[8] = {};
  std::uint32_t version = 0, unused = 0;
  std::uint64_t size = 0, checksum = 0;
  char rest[seal_size - 32] = {};
};
static_assert(sizeof(Seal) == seal_size);

}  // namespace

std::vector<std::byte> sealed(const SealKind& kind, std::span<const std::byte> body) {
  Seal seal;
  std::memcpy(seal.magic, kind.magic, sizeof seal.magic);
  seal.version = kind.version, seal.size = body.size(), seal.checksum = Hash().bytes(body).value();
  std::vector<std::byte> bytes(seal_size + body.size());
  std::memcpy(bytes.data(), &seal, seal_size);
  std::ranges::copy(body, bytes.begin() + seal_size);
  return bytes;
}

bool is_sealed_as(const SealKind& kind, std::span<const std::byte> bytes) {
  return bytes.size() >= seal_size && std::memcmp(bytes.data(), kind.magic, sizeof Seal::magic) == 0;
}

std::uint32_t seal_version(const SealKind& kind, std::span<const std::byte> bytes) {
  if (!is_sealed_as(kind, bytes)) return 0;
  Seal seal;
  std::memcpy(&seal, bytes.data(), seal_size);
  return seal.version;
}

Result<std::span<const std::byte>> unsealed(const SealKind& kind, std::span<const std::byte> bytes,
                                            const std::string& name) {
  if (!is_sealed_as(kind, bytes)) return Error{name, fmt::format("is not {} of Tendril", kind.what)};
  Seal seal;
  std::memcpy(&seal, bytes.data(), seal_size);
  if (seal.version != kind.version)
    return Error{name,
                 fmt::format("is {} of version {}; this program reads {}", kind.what, seal.version, kind.version)};
  const std::span<const std::byte> body = bytes.subspan(seal_size);
  if (seal.size != body.size()) return Error{name, fmt::format("has {} bytes of {}", body.size(), seal.size)};
  if (seal.checksum != Hash().bytes(body).value()) return Error{name, "is damaged: its checksum is wrong"};
  return body;
}

}  // namespace tendril
