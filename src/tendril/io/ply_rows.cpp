#include "tendril/io/ply_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "tendril/io/byte_reader.hpp"
#include "tendril/io/text_scanner.hpp"

namespace tendril {
namespace {

constexpr std::size_t max_elements = 64, max_properties = 1024;

struct TypeName {
  std::string_view name, name_with_bits;
  std::size_t size;
};
constexpr std::array<TypeName, 8> types = {{{"char", "int8", 1},
                                            {"uchar", "uint8", 1},
                                            {"short", "int16", 2},
                                            {"ushort", "uint16", 2},
                                            {"int", "int32", 4},
                                            {"uint", "uint32", 4},
                                            {"float", "float32", 4},
                                            {"double", "float64", 8}}};  // in the order of PlyType

std::size_t size_of(PlyType type) { return types[static_cast<std::size_t>(type)].size; }

std::optional<PlyType> type_named(std::string_view name) {
  for (std::size_t t = 0; t < types.size(); ++t)
    if (name == types[t].name || name == types[t].name_with_bits) return static_cast<PlyType>(t);
  return std::nullopt;
}

template <class T>
double decode(const std::byte* at, bool swapped) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swapped) std::ranges::reverse(bytes);
  return static_cast<double>(std::bit_cast<T>(bytes));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// --- Header

Result<PlyFormat> read_format(TextScanner& scanner) {
  constexpr std::array<std::string_view, 3> names = {"ascii", "binary_little_endian", "binary_big_endian"};
  const std::string_view name = scanner.word(), version = scanner.word();
  const auto found = std::ranges::find(names, name);
  if (found == names.end() || version != "1.0")
    return scanner.error(
        "the format is unknown; it is 'ascii 1.0', 'binary_little_endian 1.0' or 'binary_big_endian 1.0'");
  return static_cast<PlyFormat>(found - names.begin());
}

Status read_element(TextScanner& scanner, PlyHeader& header) {
  PlyElement element;
  element.name = scanner.word();
  element.line = scanner.line_number();
  if (element.name.empty() || !scanner.number(element.count))
    return scanner.error("an element has a name and a count, as in 'element vertex 8'");
  if (header.elements.size() == max_elements)
    return scanner.error(fmt::format("there are more than {} elements", max_elements));
  header.elements.push_back(std::move(element));
  return ok();
}

Result<PlyType> read_type(TextScanner& scanner, std::string_view word) {
  if (const auto type = type_named(word)) return *type;
  return scanner.error(
      fmt::format("the type {} is unknown; it is char, uchar, short, ushort, int, uint, float or double",
                  TextScanner::quoted(word)));
}

Status read_property(TextScanner& scanner, PlyHeader& header) {
  if (header.elements.empty()) return scanner.error("a property stands before the first element");
  PlyProperty property;
  std::string_view word = scanner.word();
  if (word == "list") {
    const auto count_type = read_type(scanner, scanner.word());
    if (!count_type) return count_type.error();
    if (count_type.value() >= PlyType::float32) return scanner.error("a list is counted by an integer type");
    property.count_type = count_type.value();
    word = scanner.word();
  }
  const auto type = read_type(scanner, word);
  if (!type) return type.error();
  property.type = type.value();
  property.name = scanner.word();
  if (property.name.empty()) return scanner.error("the property has no name");
  auto& properties = header.elements.back().properties;
  if (std::ranges::any_of(properties, [&](const PlyProperty& other) { return other.name == property.name; }))
    return scanner.error(fmt::format("the element has two properties {}", TextScanner::quoted(property.name)));
  if (properties.size() == max_properties)
    return scanner.error(fmt::format("the element has more than {} properties", max_properties));
  properties.push_back(std::move(property));
  return ok();
}

// The fewest bytes of a row. A number of text has a digit and a separator.
std::uint64_t least_row_size(const PlyElement& element, PlyFormat format) {
  std::uint64_t size = 0;
  for (const PlyProperty& property : element.properties)
    size += format == PlyFormat::ascii ? 2 : size_of(property.count_type.value_or(property.type));
  return size;
}

Status check_counts(const PlyHeader& header, std::uint64_t body, const std::string& name) {
  std::uint64_t left = body + (header.format == PlyFormat::ascii ? 1 : 0);  // the last separator may be missing
  for (const PlyElement& element : header.elements) {
    const std::uint64_t row = least_row_size(element, header.format);
    if (element.count == 0) continue;
    const auto refuse = [&](const std::string& what) { return Error{fmt::format("{}:{}", name, element.line), what}; };
    if (row == 0) return refuse(fmt::format("element {} has no properties", TextScanner::quoted(element.name)));
    if (element.count > left / row)
      return refuse(fmt::format("{} rows of element {} do not fit in the {} bytes after the header", element.count,
                                TextScanner::quoted(element.name), body));
    left -= element.count * row;
  }
  return ok();
}

// --- Rows

// One row of a binary file; on success the reader stands behind it.
std::optional<std::string> read_binary_row(const PlyElement& element, std::span<const std::byte> bytes, bool swapped,
                                           ByteReader& reader, std::vector<PlyCell>& cells) {
  const auto at = [&] { return bytes.data() + reader.position(); };
  for (const PlyProperty& property : element.properties) {
    std::uint64_t count = 1;
    if (property.is_list()) {
      const std::byte* count_at = at();
      if (!reader.skip(size_of(*property.count_type))) return "the file ends within the element";
      const double number = PlyCell(count_at, 1, *property.count_type, swapped)[0];
      if (number < 0.0) return fmt::format("a list has {} numbers", number);
      count = static_cast<std::uint64_t>(number);
    }
    const std::byte* first = at();
    const std::size_t size = size_of(property.type);
    if (count > reader.remaining() / size)
      return fmt::format("{} numbers of property {} do not fit in the {} bytes that are left", count,
                         TextScanner::quoted(property.name), reader.remaining());
    reader.skip(static_cast<std::size_t>(count) * size);
    cells.emplace_back(first, count, property.type, swapped);
  }
  return std::nullopt;
}

Status visit_binary_rows(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name,
                         const PlyVisitor& visit) {
  ByteReader reader(bytes, name);
  reader.seek(header.size);
  std::vector<PlyCell> cells;
  for (const PlyElement& element : header.elements)
    for (std::uint64_t index = 0; index < element.count; ++index) {
      const std::size_t begin = reader.position();
      cells.clear();
      auto fault = read_binary_row(element, bytes, header.format == PlyFormat::big_endian, reader, cells);
      if (!fault) fault = visit(PlyRow{element, index, cells});
      if (fault)
        return reader.error_at(
            begin, fmt::format("row {} of element {}: {}", index, TextScanner::quoted(element.name), *fault));
    }
  return ok();
}

// The next number, in this line or a later one.
std::optional<std::string> read_word_number(TextScanner& scanner, double& number) {
  std::string_view word = scanner.word();
  while (word.empty()) {
    if (!scanner.next_line()) return "the file ends within the element";
    word = scanner.word();
  }
  if (!TextScanner::to_number(word, number)) return fmt::format("{} is not a number", TextScanner::quoted(word));
  return std::nullopt;
}

// One row of a text file: the numbers of all properties one after the other, and how many each has.
std::optional<std::string> read_ascii_row(const PlyElement& element, TextScanner& scanner, std::vector<double>& numbers,
                                          std::vector<std::uint64_t>& counts) {
  for (const PlyProperty& property : element.properties) {
    double count = 1.0;
    if (property.is_list()) {
      if (auto fault = read_word_number(scanner, count)) return fault;
      const std::size_t left = scanner.line().size() + scanner.rest().size();
      if (!(count >= 0.0) || count != std::floor(count)) return fmt::format("a list has {} numbers", count);
      if (count > static_cast<double>((left + 1) / 2))
        return fmt::format("{} numbers of property {} do not fit in the {} bytes that are left", count,
                           TextScanner::quoted(property.name), left);
    }
    counts.push_back(static_cast<std::uint64_t>(count));
    numbers.reserve(numbers.size() + static_cast<std::size_t>(count));  // doubling could ask for 12 times the text
    for (std::uint64_t i = 0; i < counts.back(); ++i) {
      double number = 0.0;
      if (auto fault = read_word_number(scanner, number)) return fault;
      numbers.push_back(number);
    }
  }
  return std::nullopt;
}

void point_into(std::span<const double> numbers, std::span<const std::uint64_t> counts, std::vector<PlyCell>& cells) {
  cells.clear();
  const std::byte* first = std::as_bytes(numbers).data();
  for (const std::uint64_t count : counts) {
    cells.emplace_back(first, count, PlyType::float64, false);
    first += count * sizeof(double);
  }
}

Status visit_ascii_rows(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name,
                        const PlyVisitor& visit) {
  TextScanner scanner(as_text(bytes), name);
  for (std::size_t line = 0; line < header.lines; ++line) scanner.next_line();
  while (!scanner.word().empty()) continue;  // the last line of the header may say more than end_header
  std::vector<double> numbers;
  std::vector<std::uint64_t> counts;
  std::vector<PlyCell> cells;
  for (const PlyElement& element : header.elements)
    for (std::uint64_t index = 0; index < element.count; ++index) {
      numbers.clear(), counts.clear();
      auto fault = read_ascii_row(element, scanner, numbers, counts);
      if (!fault) point_into(numbers, counts, cells);
      if (!fault) fault = visit(PlyRow{element, index, cells});
      if (fault)
        return scanner.error(fmt::format("row {} of element {}: {}", index, TextScanner::quoted(element.name), *fault));
    }
  return ok();
}

}  // namespace

std::optional<std::size_t> PlyElement::scalar(std::string_view property) const {
  const auto found = std::ranges::find(properties, property, &PlyProperty::name);
  if (found == properties.end() || found->is_list()) return std::nullopt;
  return static_cast<std::size_t>(found - properties.begin());
}

std::optional<std::size_t> PlyElement::list(std::string_view property) const {
  const auto found = std::ranges::find(properties, property, &PlyProperty::name);
  if (found == properties.end() || !found->is_list()) return std::nullopt;
  return static_cast<std::size_t>(found - properties.begin());
}

const PlyElement* PlyHeader::element(std::string_view name) const {
  const auto found = std::ranges::find(elements, name, &PlyElement::name);
  return found == elements.end() ? nullptr : &*found;
}

double PlyCell::operator[](std::uint64_t i) const {
  const std::byte* at = first_ + i * size_of(type_);
  switch (type_) {
    case PlyType::int8: return decode<std::int8_t>(at, swapped_);
    case PlyType::uint8: return decode<std::uint8_t>(at, swapped_);
    case PlyType::int16: return decode<std::int16_t>(at, swapped_);
    case PlyType::uint16: return decode<std::uint16_t>(at, swapped_);
    case PlyType::int32: return decode<std::int32_t>(at, swapped_);
    case PlyType::uint32: return decode<std::uint32_t>(at, swapped_);
    case PlyType::float32: return decode<float>(at, swapped_);
    case PlyType::float64: return decode<double>(at, swapped_);
  }
  return 0.0;
}

Result<PlyHeader> read_ply_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text = as_text(bytes);
  TextScanner scanner(text, name);
  if (!scanner.next_line() || scanner.line() != "ply")
    return Error{name + ":1", "this is not a PLY file: its first line is not 'ply'"};
  PlyHeader header;
  bool has_format = false;
  while (scanner.next_line()) {
    const std::string_view keyword = scanner.word();
    Status done = ok();
    if (keyword == "format") {
      const auto format = read_format(scanner);
      if (!format) return format.error();
      header.format = format.value();
      has_format = true;
    } else if (keyword == "element") {
      done = read_element(scanner, header);
    } else if (keyword == "property") {
      done = read_property(scanner, header);
    } else if (keyword == "end_header") {
      if (!has_format) return scanner.error("the header has no line 'format', as in 'format ascii 1.0'");
      header.lines = scanner.line_number();
      header.size = text.size() - scanner.rest().size();
      if (const auto good = check_counts(header, scanner.rest().size(), name); !good) return good.error();
      return header;
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      return scanner.error(
          fmt::format("a header has no line {}; it ends with 'end_header'", TextScanner::quoted(keyword)));
    }
    if (!done) return done.error();
  }
  return scanner.error("the header does not end with 'end_header'");
}

Status visit_ply_rows(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name,
                      const PlyVisitor& visit) {
  return header.format == PlyFormat::ascii ? visit_ascii_rows(bytes, header, name, visit)
                                           : visit_binary_rows(bytes, header, name, visit);
}

}  // namespace tendril
