#include "tendril/io/stl_file.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "tendril/io/byte_reader.hpp"
#include "tendril/io/text_scanner.hpp"

namespace tendril {
namespace {

constexpr std::size_t header_size = 84, triangle_size = 50, count_at = 80;

using PointBits = std::array<std::uint64_t, 3>;

struct PointHash {
  std::size_t operator()(const PointBits& bits) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : bits) hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

// A mesh out of loose triangles. Points are numbered as they appear, so the order of the map does not matter.
class Welder {
 public:
  std::uint32_t add(const Eigen::Vector3d& point) {
    const Eigen::Vector3d p = point.array() + 0.0;  // -0 + 0 is 0
    const PointBits bits = {std::bit_cast<std::uint64_t>(p[0]), std::bit_cast<std::uint64_t>(p[1]),
                            std::bit_cast<std::uint64_t>(p[2])};
    const auto [found, is_new] = indices_.try_emplace(bits, static_cast<std::uint32_t>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(p);
    return found->second;
  }
  void add(const std::array<Eigen::Vector3d, 3>& corners) {
    const std::array<std::uint32_t, 3> triangle = {add(corners[0]), add(corners[1]), add(corners[2])};
    const auto [a, b, c] = triangle;
    if (a != b && b != c && c != a) mesh_.triangles.push_back(triangle);
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  TriangleMesh mesh_;
  std::unordered_map<PointBits, std::uint32_t, PointHash> indices_;
};

Result<TriangleMesh> read_binary(std::span<const std::byte> bytes, std::size_t count, const std::string& name) {
  ByteReader reader(bytes, name);
  Welder welder;
  for (std::size_t t = 0; t < count; ++t) {
    reader.seek(header_size + triangle_size * t + 12);
    std::array<float, 9> numbers = {};
    reader.read(numbers);
    std::array<Eigen::Vector3d, 3> corners;
    for (std::size_t c = 0; c < 3; ++c) {
      corners[c] = {numbers[3 * c], numbers[3 * c + 1], numbers[3 * c + 2]};
      if (!corners[c].allFinite())
        return reader.error_at(header_size + triangle_size * t + 12 * (c + 1),
                               fmt::format("a coordinate of triangle {} is not a finite number", t));
    }
    welder.add(corners);
  }
  return welder.take();
}

// The lines of a text file one after the other, and how far they have come.
class FacetReader {
 public:
  Status take(TextScanner& scanner) {
    const std::string keyword = lower(scanner.word());
    if (keyword.empty()) return ok();
    if (keyword == "solid")
      return in_solid_ ? scanner.error("a solid begins within a solid") : (in_solid_ = true, ok());
    if (!in_solid_) return scanner.error("'solid' has to come first");
    if (keyword == "facet") return begin(scanner);
    if (keyword == "outer" || keyword == "endloop") return ok();  // they say nothing that the others do not
    if (keyword == "vertex") return vertex(scanner);
    if (keyword == "endfacet") return end(scanner);
    if (keyword != "endsolid")
      return scanner.error(fmt::format("{} is not a keyword of STL", TextScanner::quoted(keyword)));
    if (in_facet_) return scanner.error("'endfacet' is missing before 'endsolid'");
    in_solid_ = false;
    return ok();
  }

  bool in_solid() const { return in_solid_; }
  TriangleMesh take_mesh() { return welder_.take(); }

 private:
  static std::string lower(std::string_view word) {
    std::string text(word.substr(0, 40));  // longer than any keyword
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  }

  Status begin(TextScanner& scanner) {
    if (in_facet_) return scanner.error("'endfacet' is missing before 'facet'");
    in_facet_ = true;
    count_ = 0;
    return ok();
  }

  Status vertex(TextScanner& scanner) {
    if (!in_facet_) return scanner.error("'facet' has to come before 'vertex'");
    if (count_ == 3) return scanner.error("a facet has a fourth vertex");
    for (double& x : corners_[count_])
      if (!scanner.number(x)) return scanner.error("a vertex has three numbers, as in 'vertex 0 0.5 1'");
    if (!corners_[count_].allFinite()) return scanner.error("a coordinate is not a finite number");
    ++count_;
    return ok();
  }

  Status end(TextScanner& scanner) {
    if (!in_facet_) return scanner.error("'endfacet' stands without 'facet'");
    if (count_ != 3) return scanner.error(fmt::format("a facet has three vertices, not {}", count_));
    in_facet_ = false;
    welder_.add(corners_);
    return ok();
  }

  bool in_solid_ = false, in_facet_ = false;
  std::size_t count_ = 0;  // vertices of this facet so far
  std::array<Eigen::Vector3d, 3> corners_;
  Welder welder_;
};

Result<TriangleMesh> read_ascii(std::string_view text, const std::string& name) {
  TextScanner scanner(text, name);
  FacetReader facets;
  while (scanner.next_line())
    if (const auto done = facets.take(scanner); !done) return done.error();
  if (facets.in_solid()) return scanner.error("the file ends without 'endsolid'");
  return facets.take_mesh();
}

bool begins_with_solid(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return std::ranges::equal(text.substr(begin, 5), std::string_view("solid"),
                            [](char c, char s) { return c == s || c == s - 'a' + 'A'; });
}

}  // namespace

Result<TriangleMesh> read_stl(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  std::uint32_t count = 0;
  const bool has_count = reader.seek(count_at) && reader.read(count);
  const std::uint64_t size = header_size + triangle_size * std::uint64_t{count};
  if (has_count && bytes.size() == size) return read_binary(bytes, count, name);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (begins_with_solid(text)) return read_ascii(text, name);
  if (!has_count)
    return reader.error_at(
        0, fmt::format("{} bytes are too few for a binary STL file, and a text begins with 'solid'", bytes.size()));
  return reader.error_at(count_at,
                         fmt::format("{} triangles make a file of {} bytes, but it has {}", count, size, bytes.size()));
}

std::vector<std::byte> encode_stl(const TriangleMesh& mesh) {
  ByteWriter out;
  constexpr std::string_view title = "binary STL, triangles counter-clockwise seen from outside";
  out.text(title);
  out.zeros(count_at - title.size());
  out.write(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d &pa = mesh.points[a], &pb = mesh.points[b], &pc = mesh.points[c];
    const Eigen::Vector3d normal = (pb - pa).cross(pc - pa).stableNormalized();
    for (const Eigen::Vector3d& v : {normal, pa, pb, pc})
      for (const double x : v) out.write(static_cast<float>(x));
    out.zeros(2);
  }
  return out.take();
}

}  // namespace tendril
