// The native cache: one file per frame, with the state of all strands in the user's order.
//
// Layout; every number is little-endian, unused bytes are 0. S strands, V vertices, C channels.
//
//   byte        size    what
//   0           8       "TENDRIL" and a zero byte
//   8           4       u32  version, 1
//   12          4       u32  byte-order mark 0x01020304, so the bytes 04 03 02 01
//   16          4       i32  frame number
//   20          4       u32  flags: bit 0 = usable (a step that was above tolerance led here), other bits are kept
//   24          8       f64  time [s], finite
//   32          4       u32  S
//   36          4       u32  V, below 2^31
//   40          4       u32  C, at most 64
//   44          4            unused
//   48          48 C         channel table, one entry per channel:
//     + 0       24             name: 1 to 23 characters of a-z 0-9 _ -, filled up with zero bytes; no name twice
//     + 24      4       u32    type of a number: 1 = f32, 2 = f64, 3 = u32
//     + 28      4       u32    numbers per element: 1 to 16
//     + 32      4       u32    elements: 1 = one per strand (S), 2 = per vertex (V), 3 = per edge (V - S),
//                              4 = per strand and one more (S + 1), 5 = as many as the next number says
//     + 36      4       u32    number of elements, below 2^31, if they are of kind 5; else 0
//     + 40      8       u64    byte offset of the channel's numbers
//   48 + 48 C   ...          the channels' numbers in table order, each from a multiple of 8, gaps filled with zero
//   bytes end - 8     8       u64  checksum (base/hash.hpp) of all bytes before it; begins at a multiple of 8
//
// The first channel is "offset" (u32, 1 number, per strand and one more): the first vertex of each strand, then V. It
// starts at 0 and rises by at least 2, for a strand has an edge. Edges are counted strand after strand.
// A file is valid if all of this holds, and then it is the only one with its content: writing it again gives its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

inline constexpr std::uint32_t frame_flag_usable = 1;

enum class PerElement : std::uint32_t { strand = 1, vertex = 2, edge = 3, strand_plus_one = 4, counted = 5 };

struct Channel {
  std::string name;  // "position", "velocity"
  PerElement per = PerElement::vertex;
  std::uint32_t components = 1;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint32_t>> values;  // components per element
};

struct Frame {
  std::int32_t number = 1;
  double time = 0.0;                         // [s]
  std::uint32_t flags = 0;                   // frame_flag_...
  std::vector<std::uint32_t> offsets = {0};  // first vertex of each strand, then their total: channel "offset"
  std::vector<Channel> channels;             // all but "offset"

  const Channel* channel(std::string_view name) const;  // nullptr if there is none
};

// `name` stands in errors. encode_frame refuses a frame that would not be valid, so what it writes can be read.
Result<std::vector<std::byte>> encode_frame(const Frame& frame, const std::string& name);
Result<Frame> decode_frame(std::span<const std::byte> bytes, const std::string& name);

Status write_frame(const std::filesystem::path& path, const Frame& frame);
Result<Frame> read_frame(const std::filesystem::path& path);

}  // namespace tendril
