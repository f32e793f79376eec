// Any PLY file as rows of numbers: its header, and a walk over what follows. What the numbers mean is for
// io/ply_file.hpp.
//
// Layout: lines of text, each ended by \n or \r\n,
//
//   ply
//   format ascii 1.0                        or binary_little_endian, binary_big_endian
//   comment ..., obj_info ...               passed over
//   element NAME COUNT                      at most 64 elements
//   property TYPE NAME                      of the element above; at most 1024 for one element, no name twice
//   property list COUNT_TYPE TYPE NAME      as many numbers of TYPE as a number of COUNT_TYPE before them says
//   end_header
//
// then element after element its rows, one for each of COUNT, and in a row the properties in their order: as words of
// text separated by blanks and line ends, or as numbers without gaps in the byte order of the format. TYPE is char,
// uchar, short, ushort, int, uint, float, double, or with its bits int8, uint8, ..., float32, float64. Bytes after the
// last row are passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

enum class PlyFormat : std::uint8_t { ascii, little_endian, big_endian };
enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  std::optional<PlyType> count_type;  // of a list

  bool is_list() const { return count_type.has_value(); }
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::size_t line = 0;  // where the header names it
  std::vector<PlyProperty> properties;

  std::optional<std::size_t> scalar(std::string_view property) const;  // its place among the properties
  std::optional<std::size_t> list(std::string_view property) const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::ascii;
  std::size_t lines = 0;  // of the header
  std::size_t size = 0;   // in bytes
  std::vector<PlyElement> elements;

  const PlyElement* element(std::string_view name) const;  // the first of that name; nullptr if there is none
};

// The numbers of one property in one row: a single one, or those of a list. They stay in the file's bytes until asked
// for: decoded lists of bytes would be eight times as large as the file.
class PlyCell {
 public:
  PlyCell(const std::byte* first, std::uint64_t count, PlyType type, bool swapped)
      : first_(first), count_(count), type_(type), swapped_(swapped) {}

  std::uint64_t size() const { return count_; }
  double operator[](std::uint64_t i) const;  // every type fits in a double

 private:
  const std::byte* first_;
  std::uint64_t count_;
  PlyType type_;
  bool swapped_;  // big-endian
};

struct PlyRow {
  const PlyElement& element;  // one of the header's
  std::uint64_t index = 0;
  std::span<const PlyCell> cells;  // one per property
};

// The file is long enough for every element's count, so these may be allocated for.
Result<PlyHeader> read_ply_header(std::span<const std::byte> bytes, const std::string& name);

// Shows every row of the file in its order. A complaint from `visit` ends the walk and becomes the error, at the row.
using PlyVisitor = std::function<std::optional<std::string>(const PlyRow& row)>;
Status visit_ply_rows(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name,
                      const PlyVisitor& visit);

}  // namespace tendril
