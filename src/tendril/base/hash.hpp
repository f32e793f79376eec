// 64-bit streaming hash for state hashes and file checksums: equal streams of bytes give equal values on every machine
// and however they are cut into calls. It guards against accidents and bugs, not against malice.
//
// Algorithm (part of the file formats: never change it). The stream is read as little-endian 64-bit words w_1 .. w_n,
// the last one filled up with zero bytes; L is its length in bytes; fold(a, b) is the exclusive or of the two halves of
// the 128-bit product a b:
//   h = 0x9e3779b97f4a7c15
//   h = fold(h ^ w_i, 0xd6e8feb86659fd93)         for each word in turn
//   h = fold(h ^ rotl(L, 32), 0xe7037ed1a0b428db)
//   value = fold(h ^ L, 0xa0761d6478bd642f) ^ h
// The folded product carries every input bit to both ends of the word; L tells apart streams that differ in zero
// padding.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace tendril {

static_assert(std::endian::native == std::endian::little, "the hash reads words as they lie in memory");

class Hash {
 public:
  Hash& bytes(std::span<const std::byte> data);
  Hash& text(std::string_view text) { return bytes(std::as_bytes(std::span(text))); }
  Hash& word(std::uint64_t value) { return bytes(std::as_bytes(std::span(&value, 1))); }

  // The bits of the numbers: 0 and -0 differ, and so do two NaNs with different payloads.
  Hash& number(double value) { return word(std::bit_cast<std::uint64_t>(value)); }
  Hash& numbers(std::span<const double> values) { return bytes(std::as_bytes(values)); }

  std::uint64_t value() const;  // of all so far; more may follow

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
  std::uint64_t length_ = 0;   // [bytes]
  std::uint64_t pending_ = 0;  // the length_ % 8 bytes that do not fill a word yet
};

std::string hash_text(std::uint64_t value);  // 16 lower-case hexadecimal digits, as reports and benchmarks print it

}  // namespace tendril
