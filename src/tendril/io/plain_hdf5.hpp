// HDF5 files that others wrote, read without HDF5's library: it trusts what it reads, and a broken file can make it
// crash (fuzz/README.md). Only what its writers make by default is read, which is enough for arrays of numbers:
//
//   superblock    version 0 or 1 at byte 0, addresses and lengths of 8 bytes
//   groups        a B-tree of nodes of symbols ("TREE", "SNOD") with names in a heap ("HEAP")
//   objects       headers of version 1; of their messages the data space, type, layout and continuation
//   data          in one piece ("contiguous") or in the header ("compact"), little-endian: signed integers of 4 or 8
//                 bytes, IEEE doubles, texts of fixed size; no filters, no other files, no links but hard ones
//
// Everything else is refused in one sentence. Every address, count and size is checked against the bytes in hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

class PlainHdf5 {
 public:
  // The bytes must outlive it; `name` stands in errors.
  static Result<PlainHdf5> open(std::span<const std::byte> bytes, std::string name);

  bool has(std::string_view path) const;  // a group or a data set, as in "group/set"
  Result<std::vector<double>> numbers(std::string_view path) const;
  Result<std::vector<std::int64_t>> integers(std::string_view path) const;
  Result<std::string> text(std::string_view path) const;
  const std::string& name() const { return name_; }

 private:
  PlainHdf5(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  std::span<const std::byte> bytes_;
  std::string name_;
  std::uint64_t root_ = 0;  // address of its header
};

}  // namespace tendril
