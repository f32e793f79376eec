#include "tendril/io/node_ele_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "tendril/io/tet_orientation.hpp"
#include "tendril/io/text_scanner.hpp"

namespace tendril {
namespace {

constexpr std::uint64_t least_point_size = 8;  // bytes: "0 0 0 0\n"
constexpr std::uint64_t least_tet_size = 10;   // bytes: "0 0 0 0 0\n"

// The next line that is neither blank nor a comment.
bool next_line(TextScanner& scanner) {
  while (scanner.next_line()) {
    const std::size_t begin = scanner.line().find_first_not_of(" \t\r\v\f");
    if (begin != std::string_view::npos && scanner.line()[begin] != '#') return true;
  }
  return false;
}

// The first line: how many there are, each of `numbers` numbers, which take `least_size` bytes or more.
Result<std::uint64_t> read_count(TextScanner& scanner, const char* things, std::uint64_t numbers,
                                 std::uint64_t least_size) {
  std::uint64_t count = 0, per_line = 0;
  if (!next_line(scanner) || !scanner.number(count) || !scanner.number(per_line))
    return scanner.error(fmt::format("the first line has to be the number of {} and {}", things, numbers));
  if (per_line != numbers)
    return scanner.error(fmt::format("{0} of {1} numbers are not read, only those of {2}", things, per_line, numbers));
  const std::size_t left = scanner.rest().size() + 1;  // the last line need not be ended
  if (count > left / least_size || count > 0xffffffff)
    return scanner.error(fmt::format("{} {} do not fit in the {} bytes that are left", count, things, left - 1));
  return count;
}

// Returns the number of the first point.
Result<std::uint64_t> read_points(TextScanner& scanner, TetMesh& mesh) {
  const auto count = read_count(scanner, "points", 3, least_point_size);
  if (!count) return count.error();
  mesh.points.reserve(count.value());
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < count.value(); ++i) {
    std::uint64_t number = 0;
    if (!next_line(scanner)) return scanner.error(fmt::format("the file ends after {} of {} points", i, count.value()));
    Eigen::Vector3d point;
    if (!scanner.number(number) || !scanner.number(point[0]) || !scanner.number(point[1]) || !scanner.number(point[2]))
      return scanner.error("this is not a line 'NUMBER X Y Z'");
    if (i == 0) first = number;
    if (first > 1) return scanner.error(fmt::format("the first point has the number {} instead of 0 or 1", first));
    if (number != first + i)
      return scanner.error(fmt::format("the point has the number {} instead of {}", number, first + i));
    if (!point.allFinite()) return scanner.error("a coordinate is not a finite number");
    mesh.points.push_back(point);
  }
  return first;
}

Status read_tets(TextScanner& scanner, std::uint64_t first, TetMesh& mesh) {
  const auto count = read_count(scanner, "tetrahedra", 4, least_tet_size);
  if (!count) return count.error();
  mesh.tets.reserve(count.value());
  for (std::uint64_t i = 0; i < count.value(); ++i) {
    std::array<std::uint32_t, 4> tet = {};
    std::uint64_t number = 0;
    if (!next_line(scanner))
      return scanner.error(fmt::format("the file ends after {} of {} tetrahedra", i, count.value()));
    bool good = scanner.number(number);
    for (std::uint32_t& point : tet) {
      good = good && scanner.number(number);
      if (!good) return scanner.error("this is not a line 'NUMBER P P P P'");
      if (number < first || number - first >= mesh.points.size())
        return scanner.error(fmt::format("there is no point {}", number));
      point = static_cast<std::uint32_t>(number - first);
    }
    if (const auto fault = orient(mesh.points, tet)) return scanner.error(*fault);
    mesh.tets.push_back(tet);
  }
  return ok();
}

}  // namespace

Result<TetMesh> read_node_ele(std::string_view node_text, const std::string& node_name, std::string_view ele_text,
                              const std::string& ele_name) {
  TetMesh mesh;
  TextScanner nodes(node_text, node_name), elements(ele_text, ele_name);
  const auto first = read_points(nodes, mesh);
  if (!first) return first.error();
  if (const auto done = read_tets(elements, first.value(), mesh); !done) return done.error();
  return mesh;
}

}  // namespace tendril
