#include "tendril/io/hair_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tendril/io/byte_reader.hpp"

namespace tendril {
namespace {

constexpr std::uint32_t has_segments = 1, has_points = 2, has_thickness = 4, has_transparency = 8, has_color = 16;
constexpr std::size_t info_size = 88;

struct Header {
  char magic[4] = {'H', 'A', 'I', 'R'};
  std::uint32_t strands = 0, points = 0, flags = 0, segments = 0;
  float thickness = 1.0f, transparency = 0.0f, color[3] = {1.0f, 1.0f, 1.0f};
};
static_assert(sizeof(Header) == 40);

Status read_offsets(ByteReader& reader, const Header& header, std::vector<std::size_t>& offsets) {
  std::vector<std::uint16_t> segments;
  if ((header.flags & has_segments) && !reader.read(header.strands, segments))
    return reader.error(fmt::format("segment counts of {} strands do not fit in the file", header.strands));
  // Each strand has a point at least, so that the loop below is no longer than the file.
  if (!(header.flags & has_segments) && !reader.has<float>(std::size_t{3} * header.strands))
    return reader.error(fmt::format("{} strands do not fit in the file", header.strands));
  offsets.reserve(std::size_t{header.strands} + 1);
  for (std::uint32_t s = 0; s < header.strands; ++s)
    offsets.push_back(offsets.back() + (segments.empty() ? header.segments : segments[s]) + std::size_t{1});
  if (offsets.back() == header.points) return ok();
  return reader.error_at(8, fmt::format("says {} points, but the segments of {} strands make {}", header.points,
                                        header.strands, offsets.back()));
}

Status read_attribute(ByteReader& reader, const Header& header, const char* name, int components, Groom& groom) {
  std::vector<float> values;
  if (!reader.read(std::size_t(components) * header.points, values))
    return reader.error(fmt::format("{} of {} points does not fit in the file", name, header.points));
  groom.attributes.push_back({name, true, components, {values.begin(), values.end()}});
  return ok();
}

}  // namespace

Result<Groom> decode_hair(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  Header header;
  if (bytes.size() < 4 || std::memcmp(bytes.data(), header.magic, 4) != 0)
    return Error{name, "is not a .hair file: it does not begin with HAIR"};
  if (!reader.read(header) || !reader.skip(info_size))
    return Error{name, fmt::format("has {} bytes; the header alone has 128", bytes.size())};
  if (!(header.flags & has_points)) return Error{name, "has no points (flag 2); there is nothing to read"};

  Groom groom;
  if (Status status = read_offsets(reader, header, groom.curves.offsets); !status) return status.error();
  std::vector<float> values;
  if (!reader.read(std::size_t{3} * header.points, values))
    return reader.error(fmt::format("{} points do not fit in the file", header.points));
  groom.curves.points.reserve(header.points);
  for (std::size_t i = 0; i < values.size(); i += 3)
    groom.curves.points.emplace_back(values[i], values[i + 1], values[i + 2]);
  if (header.flags & has_thickness) {
    if (!reader.read(header.points, values))
      return reader.error(fmt::format("thickness of {} points does not fit in the file", header.points));
    for (const float thickness : values) groom.radius.push_back(0.5 * thickness);
  }
  if (header.flags & has_transparency)
    if (Status s = read_attribute(reader, header, "transparency", 1, groom); !s) return s.error();
  if (header.flags & has_color)
    if (Status s = read_attribute(reader, header, "color", 3, groom); !s) return s.error();
  return groom;
}

Result<std::vector<std::byte>> encode_hair(const Groom& groom, const std::string& name) {
  const Curves& curves = groom.curves;
  if (curves.points.size() > std::numeric_limits<std::uint32_t>::max())
    return Error{name, fmt::format("a .hair file cannot hold {} points", curves.points.size())};
  std::vector<std::uint16_t> segments;
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    if (curves.vertices(s) < 1 || curves.vertices(s) > 65536)
      return Error{
          name, fmt::format("strand {} has {} points; a .hair file takes 1 to 65536 of them", s, curves.vertices(s))};
    segments.push_back(std::uint16_t(curves.vertices(s) - 1));
  }
  const auto attribute = [&](const char* wanted, int components) {
    const GroomAttribute* found = groom.attribute(wanted);
    return found != nullptr && found->per_vertex && found->components == components ? found : nullptr;
  };
  const GroomAttribute *transparency = attribute("transparency", 1), *color = attribute("color", 3);

  Header header;
  header.strands = std::uint32_t(curves.strands()), header.points = std::uint32_t(curves.points.size());
  header.flags = has_points | (groom.radius.empty() ? 0 : has_thickness) | (transparency ? has_transparency : 0) |
                 (color ? has_color : 0);
  if (!segments.empty()) header.segments = segments.front();
  if (!std::ranges::all_of(segments, [&](std::uint16_t n) { return n == segments.front(); }))
    header.flags |= has_segments;
  ByteWriter writer;
  writer.write(header);
  writer.zeros(info_size);
  if (header.flags & has_segments) writer.write(std::span<const std::uint16_t>(segments));
  for (const Eigen::Vector3d& p : curves.points)
    for (int c = 0; c < 3; ++c) writer.write(float(p[c]));
  for (const double radius : groom.radius) writer.write(float(2.0 * radius));
  for (const GroomAttribute* values : {transparency, color})
    if (values != nullptr)
      for (const double v : values->values) writer.write(float(v));
  return writer.take();
}

}  // namespace tendril
