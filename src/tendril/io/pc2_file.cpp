#include "tendril/io/pc2_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "tendril/io/byte_reader.hpp"

namespace tendril {
namespace {

constexpr std::string_view file_mark("POINTCACHE2\0", 12);
constexpr std::int32_t version = 1;
constexpr std::size_t header_size = 32, most = std::numeric_limits<std::int32_t>::max();

struct Header {
  std::array<char, file_mark.size()> magic = {};
  std::int32_t version = 0, points = 0;
  float start = 0.0f, rate = 0.0f;
  std::int32_t samples = 0;
};
static_assert(sizeof(Header) == header_size);

}  // namespace

Result<PointCache> read_pc2(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  Header header;
  if (!reader.read(header))
    return reader.error(
        fmt::format("{} bytes are too few for a point cache; its header has {}", bytes.size(), header_size));
  if (std::string_view(header.magic.data(), file_mark.size()) != file_mark)
    return reader.error_at(0, "this is not a point cache: it does not begin with POINTCACHE2");
  if (header.version != version)
    return reader.error_at(
        12, fmt::format("version {} is unknown; this program reads version {}", header.version, version));
  if (header.points < 1) return reader.error_at(16, fmt::format("{} points; there is at least 1", header.points));
  if (!std::isfinite(header.start)) return reader.error_at(20, "the first frame is not a finite number");
  if (!std::isfinite(header.rate)) return reader.error_at(24, "the frames per sample are not a finite number");
  if (header.samples < 0) return reader.error_at(28, fmt::format("{} samples; there are 0 or more", header.samples));

  // No overflow: 3 (2^31 - 1)^2 is below 2^64; four times that is not, so the division comes first.
  const std::uint64_t numbers =
      std::uint64_t{3} * static_cast<std::uint64_t>(header.points) * static_cast<std::uint64_t>(header.samples);
  if (numbers > reader.remaining() / sizeof(float) || numbers * sizeof(float) != reader.remaining())
    return reader.error(fmt::format("{} samples of {} points with 12 bytes each do not make the {} bytes that follow",
                                    header.samples, header.points, reader.remaining()));
  PointCache cache{header.start, header.rate, header.points, {}};
  reader.read(static_cast<std::size_t>(numbers), cache.samples);
  return cache;
}

Result<std::vector<std::byte>> encode_pc2_header(std::size_t points, float start, float rate, std::size_t samples,
                                                 const std::string& name) {
  if (points < 1 || points > most)
    return Error{name, fmt::format("{} points; a point cache has 1 to {}", points, most)};
  if (samples > most) return Error{name, fmt::format("{} samples; a point cache has at most {}", samples, most)};
  if (!std::isfinite(start) || !std::isfinite(rate))
    return Error{name, "the first frame or the frames per sample are not a finite number"};
  ByteWriter out;
  out.text(file_mark);
  out.write(version);
  out.write(static_cast<std::int32_t>(points));
  out.write(start);
  out.write(rate);
  out.write(static_cast<std::int32_t>(samples));
  return out.take();
}

std::vector<std::byte> encode_pc2_sample(std::span<const Eigen::Vector3d> points) {
  ByteWriter out;
  for (const Eigen::Vector3d& point : points)
    for (const double x : point) out.write(static_cast<float>(x));
  return out.take();
}

}  // namespace tendril
