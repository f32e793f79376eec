#include "tendril/scene/value_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tendril/io/atomic_file.hpp"
#include "tendril/rods/arc_length.hpp"
#include "tendril/scene/csv.hpp"

namespace tendril {
namespace {

struct Header {
  std::string_view text;
  bool strand, position;
};
constexpr Header headers[] = {
    {"position,value", false, true}, {"strand,value", true, false}, {"strand,position,value", true, true}};

std::optional<Header> header_of(std::string_view line) {
  for (const Header& header : headers)
    if (is_csv_header(line, header.text)) return header;
  return std::nullopt;
}

std::optional<std::string> read_row(std::string_view line, const Header& header, ValueMap& map) {
  std::vector<double> numbers;
  if (auto fault = csv_numbers(line, header.text, numbers)) return fault;
  ValueMap::Row row;
  row.value = numbers.back();
  if (header.strand) {
    if (!(numbers[0] >= 0.0 && numbers[0] < 1e9 && numbers[0] == std::floor(numbers[0])))
      return fmt::format("strand {} must be a whole number from 0", numbers[0]);
    row.strand = std::size_t(numbers[0]);
  }
  if (header.position) {
    row.position = numbers[header.strand ? 1 : 0];
    if (!(row.position >= 0.0 && row.position <= 1.0))
      return fmt::format("position {} must be from 0 (root) to 1 (tip)", row.position);
  }
  if (!map.rows.empty()) {
    const ValueMap::Row& before = map.rows.back();
    const bool ascends = row.strand > before.strand ||
                         (header.position && row.strand == before.strand && row.position > before.position);
    if (!ascends) return std::string("strands and positions must ascend from line to line");
  }
  map.rows.push_back(row);
  return std::nullopt;
}

double value_at(std::span<const ValueMap::Row> rows, double position) {
  const auto after = std::ranges::upper_bound(rows, position, {}, &ValueMap::Row::position);
  if (after == rows.begin()) return rows.front().value;
  if (after == rows.end()) return rows.back().value;
  const ValueMap::Row &a = *(after - 1), &b = *after;
  return a.value + (position - a.position) / (b.position - a.position) * (b.value - a.value);
}

Status apply_attribute(const ValueMap& map, const Groom& groom, const std::string& what, std::vector<double>& values) {
  const GroomAttribute* attribute = groom.attribute(map.attribute);
  if (attribute == nullptr) return Error{what, fmt::format("the groom has no attribute '{}'", map.attribute)};
  if (attribute->components != 1)
    return Error{what, fmt::format("the attribute '{}' has {} numbers each; it must have one", map.attribute,
                                   attribute->components)};
  for (std::size_t s = 0; s < groom.curves.strands(); ++s)
    for (std::size_t v = groom.curves.offsets[s]; v < groom.curves.offsets[s + 1]; ++v)
      values[v] = map.scale * attribute->values[attribute->per_vertex ? v : s];
  return ok();
}

Status apply_rows(const ValueMap& map, const Curves& curves, const std::string& what, std::vector<double>& values) {
  if (map.per_strand && map.rows.back().strand >= curves.strands())
    return Error{what, fmt::format("the map names strand {}; there are {}, counted from 0", map.rows.back().strand,
                                   curves.strands())};
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    std::span<const ValueMap::Row> rows = map.rows;
    if (map.per_strand) {
      const auto first = std::ranges::lower_bound(map.rows, s, {}, &ValueMap::Row::strand);
      rows = {first, std::ranges::upper_bound(map.rows, s, {}, &ValueMap::Row::strand)};
    }
    if (rows.empty() && map.complete)
      return Error{what, fmt::format("the map has no value for strand {}, and no preset has one either", s)};
    if (rows.empty()) continue;
    const std::vector<double> lengths = arc_lengths(curves.strand(s));
    for (std::size_t i = 0; i < lengths.size(); ++i)
      values[curves.offsets[s] + i] = map.scale * value_at(rows, lengths[i] / lengths.back());
  }
  return ok();
}

}  // namespace

Result<ValueMap> parse_value_map(std::string_view text, const std::string& filename) {
  ValueMap map;
  std::optional<Header> header;
  const auto read_line = [&](std::string_view line) -> std::optional<std::string> {
    if (header) return read_row(line, *header, map);
    header = header_of(line);
    if (header) return map.per_strand = header->strand, std::nullopt;
    return "the first line must be position,value or strand,value or strand,position,value";
  };
  if (Status status = for_each_csv_line(text, filename, read_line); !status) return status.error();
  if (map.rows.empty()) return Error{filename, "has no line of values below its header line"};
  return map;
}

Result<ValueMap> read_value_map(const std::filesystem::path& path) {
  const auto text = read_text(path, std::uint64_t{1} << 28);
  if (!text) return text.error();
  return parse_value_map(text.value(), path.string());
}

ValueMap taper(double root, double tip) {
  ValueMap map;
  map.rows = {{0, 0.0, root}, {0, 1.0, tip}};
  return map;
}

Status apply(const ValueMap& map, const Groom& groom, const std::string& what, std::vector<double>& values) {
  const Status status =
      map.attribute.empty() ? apply_rows(map, groom.curves, what, values) : apply_attribute(map, groom, what, values);
  if (!status) return status;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s)
    for (std::size_t v = groom.curves.offsets[s]; v < groom.curves.offsets[s + 1]; ++v)
      if (!(values[v] > 0.0) || !std::isfinite(values[v]))
        return Error{what, fmt::format("is {} at vertex {} of strand {}; it must be positive and finite", values[v],
                                       v - groom.curves.offsets[s], s)};
  return ok();
}

}  // namespace tendril
