#include "tendril/io/data_file.hpp"

#include <fmt/format.h>

#include <limits>

#include "tendril/io/byte_reader.hpp"

namespace tendril {

Result<Groom> decode_data(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  std::int32_t strands = 0;
  if (!reader.read(strands)) return Error{name, "has fewer than 4 bytes; it must begin with the number of strands"};
  if (strands < 0 || !reader.has<std::int32_t>(std::size_t(strands)))
    return reader.error_at(0, fmt::format("{} strands do not fit in {} bytes", strands, bytes.size()));
  Groom groom;
  groom.curves.offsets.reserve(std::size_t(strands) + 1);
  std::vector<float> values;
  for (std::int32_t s = 0; s < strands; ++s) {
    const std::size_t begin = reader.position();
    std::int32_t count = 0;
    if (!reader.read(count)) return reader.error(fmt::format("ends before strand {} of {}", s, strands));
    if (count < 0 || !reader.read(std::size_t{3} * std::size_t(count), values))
      return reader.error_at(begin, fmt::format("{} points of strand {} do not fit in the file", count, s));
    for (std::size_t i = 0; i < values.size(); i += 3)
      groom.curves.points.emplace_back(values[i], values[i + 1], values[i + 2]);
    groom.curves.offsets.push_back(groom.curves.points.size());
  }
  return groom;
}

Result<std::vector<std::byte>> encode_data(const Groom& groom, const std::string& name) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (groom.curves.strands() > most || groom.curves.points.size() > most)
    return Error{name, "a .data file cannot hold more than 2147483647 strands or points"};
  ByteWriter writer;
  writer.write(std::int32_t(groom.curves.strands()));
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    writer.write(std::int32_t(groom.curves.vertices(s)));
    for (std::size_t v = groom.curves.offsets[s]; v < groom.curves.offsets[s + 1]; ++v)
      for (int c = 0; c < 3; ++c) writer.write(float(groom.curves.points[v][c]));
  }
  return writer.take();
}

}  // namespace tendril
