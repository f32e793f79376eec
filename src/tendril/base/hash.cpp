#include "tendril/base/hash.hpp"

#include <algorithm>

namespace tendril {
namespace {

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t absorb(std::uint64_t state, std::uint64_t word) { return fold(state ^ word, 0xd6e8feb86659fd93u); }

}  // namespace

Hash& Hash::bytes(std::span<const std::byte> data) {
  const auto take = [&](void* where, std::size_t count) {
    if (count > 0) std::memcpy(where, data.data(), count);
    length_ += count;
    data = data.subspan(count);
  };
  if (const std::size_t used = length_ % 8; used > 0) {
    take(reinterpret_cast<std::byte*>(&pending_) + used, std::min(8 - used, data.size()));
    if (length_ % 8 > 0) return *this;  // still short of a word
    state_ = absorb(state_, pending_);
    pending_ = 0;
  }
  while (data.size() >= 8) {
    std::uint64_t word;
    take(&word, 8);
    state_ = absorb(state_, word);
  }
  take(&pending_, data.size());
  return *this;
}

std::uint64_t Hash::value() const {
  std::uint64_t h = length_ % 8 > 0 ? absorb(state_, pending_) : state_;
  h = fold(h ^ std::rotl(length_, 32), 0xe7037ed1a0b428dbu);
  return fold(h ^ length_, 0xa0761d6478bd642fu) ^ h;
}

std::string hash_text(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) *digit = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace tendril
