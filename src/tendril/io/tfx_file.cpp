#include "tendril/io/tfx_file.hpp"

#include <fmt/format.h>

#include "tendril/io/byte_reader.hpp"

namespace tendril {
namespace {

struct Header {
  std::uint32_t strands = 0, vertices = 0;  // of each strand
  std::uint32_t positions = 0, uv = 0, thickness = 0, color = 0;
  int position_components = 4;
  std::size_t size = 160;
};

Result<Header> read_header(ByteReader& reader) {
  Header header;
  float version = 0.0f;
  if (!reader.read(version) || !(version == 4.0f || version == 3.0f))
    return reader.error_at(0, "is not a .tfx file of version 3.0 or 4.0");
  bool whole = reader.read(header.strands) && reader.read(header.vertices);
  if (version == 4.0f) {
    std::uint32_t vertex_uv = 0;
    whole = whole && reader.read(header.positions) && reader.read(header.uv) && reader.read(vertex_uv) &&
            reader.read(header.thickness) && reader.read(header.color) && reader.seek(header.size);
  } else {
    header.position_components = 3, header.size = 296;
    whole = whole && reader.seek(144) && reader.read(header.positions) && reader.seek(header.size);
  }
  if (!whole) return reader.error(fmt::format("ends within its header, which has {} bytes", header.size));
  return header;
}

// `count` elements of n numbers at `offset`, inside the file and behind the header.
Status read_array(ByteReader& reader, const Header& header, std::uint32_t offset, std::uint64_t count, int n,
                  const char* what, std::vector<float>& out) {
  if (offset < header.size) return reader.error_at(offset, fmt::format("{} begin inside the header", what));
  if (!reader.seek(offset) || !reader.has<float>(count * std::uint64_t(n)))
    return reader.error_at(offset, fmt::format("{} of {} elements do not fit in the file", what, count));
  reader.read(count * std::uint64_t(n), out);
  return ok();
}

}  // namespace

Result<Groom> decode_tfx(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  Result<Header> read = read_header(reader);
  if (!read) return read.error();
  const Header& header = read.value();
  // 2^32 strands of no vertices would pass every check but this.
  if (header.vertices == 0 && header.strands > 0) return reader.error_at(8, "says that strands have no vertices");
  const std::uint64_t vertices = std::uint64_t{header.strands} * header.vertices;
  std::vector<float> values;
  if (vertices > bytes.size())  // before it is multiplied further
    return reader.error_at(
        4, fmt::format("{} strands of {} vertices do not fit in the file", header.strands, header.vertices));
  if (Status s =
          read_array(reader, header, header.positions, vertices, header.position_components, "positions", values);
      !s)
    return s.error();
  Groom groom;
  groom.curves.points.reserve(vertices);
  for (std::size_t i = 0; i < values.size(); i += std::size_t(header.position_components))
    groom.curves.points.emplace_back(values[i], values[i + 1], values[i + 2]);
  for (std::uint32_t s = 1; s <= header.strands; ++s) groom.curves.offsets.push_back(std::size_t{s} * header.vertices);

  if (header.uv != 0) {
    if (Status s = read_array(reader, header, header.uv, header.strands, 2, "texture coordinates", values); !s)
      return s.error();
    groom.attributes.push_back({"uv", false, 2, {values.begin(), values.end()}});
  }
  if (header.thickness != 0) {
    if (Status s = read_array(reader, header, header.thickness, header.strands, 1, "thickness values", values); !s)
      return s.error();
    groom.attributes.push_back({"thickness", false, 1, {values.begin(), values.end()}});
  }
  if (header.color != 0) {
    if (Status s = read_array(reader, header, header.color, vertices, 4, "colours", values); !s) return s.error();
    GroomAttribute color{"color", true, 3, {}}, alpha{"alpha", true, 1, {}};
    for (std::size_t i = 0; i < values.size(); i += 4) {
      color.values.insert(color.values.end(), {values[i], values[i + 1], values[i + 2]});
      alpha.values.push_back(values[i + 3]);
    }
    groom.attributes.push_back(std::move(color));
    groom.attributes.push_back(std::move(alpha));
  }
  return groom;
}

}  // namespace tendril
