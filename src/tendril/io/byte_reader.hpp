// Little-endian numbers out of bytes in hand. Every read is checked against what is left, and so is every count before
// anything is allocated for it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

static_assert(std::endian::native == std::endian::little, "the readers copy numbers as they are");

class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool seek(std::size_t position) { return position <= bytes_.size() ? (position_ = position, true) : false; }
  bool skip(std::size_t count) { return count <= remaining() ? (position_ += count, true) : false; }

  template <class T>
  bool has(std::size_t count) const {
    return count <= remaining() / sizeof(T);
  }

  template <class T>
  bool read(T& out) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!has<T>(1)) return false;
    std::memcpy(&out, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  template <class T>
  bool read(std::size_t count, std::vector<T>& out) {
    if (!has<T>(count)) return false;
    out.resize(count);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + position_, count * sizeof(T));
    position_ += count * sizeof(T);
    return true;
  }

  // At the place that was reached: "curly.hair: byte 128: ..."
  Error error(const std::string& what) const { return {name_ + ": byte " + std::to_string(position_), what}; }
  Error error_at(std::size_t position, const std::string& what) const {
    return {name_ + ": byte " + std::to_string(position), what};
  }

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t position_ = 0;
};

// The way back: numbers appended to bytes.
class ByteWriter {
 public:
  template <class T>
  void write(const T& value) {
    write(std::span<const T>(&value, 1));
  }
  template <class T>
  void write(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view text) { write(std::span<const char>(text.data(), text.size())); }
  void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tendril
