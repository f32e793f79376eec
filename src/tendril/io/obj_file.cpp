#include "tendril/io/obj_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "tendril/io/segment_chains.hpp"
#include "tendril/io/text_scanner.hpp"

namespace tendril {
namespace {

// The next word of a statement, which a lone backslash carries into the next line; empty at its end.
std::string_view next_word(TextScanner& scanner) {
  std::string_view word = scanner.word();
  while (word == "\\") word = scanner.next_line() ? scanner.word() : std::string_view();
  return word.starts_with('#') ? std::string_view() : word;
}

Result<Eigen::Vector3d> read_point(TextScanner& scanner) {
  Eigen::Vector3d point;
  for (double& x : point) {
    const std::string_view word = next_word(scanner);
    if (word.empty()) return scanner.error("a point has three coordinates, as in 'v 0 0.5 1'");
    if (!TextScanner::to_number(word, x))
      return scanner.error(fmt::format("the coordinate {} is not a number", TextScanner::quoted(word)));
  }
  return point;
}

// Points may be used before they stand in the file, so whether they exist is known at its end only.
struct LargestIndex {
  std::uint32_t index = 0;
  std::size_t line = 0;  // 0: no index at all

  Status check(std::size_t points, const std::string& name) const {
    if (line == 0 || index < points) return ok();
    return Error{fmt::format("{}:{}", name, line),
                 fmt::format("point {} does not exist: the file has {}", std::uint64_t{index} + 1, points)};
  }
};

// "7", "-1", "7/2/3" as a point counted from 0.
Result<std::uint32_t> read_index(const TextScanner& scanner, std::string_view word, std::size_t points,
                                 LargestIndex& largest) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  std::int64_t number = 0;
  if (!TextScanner::to_number(word.substr(0, word.find('/')), number))
    return scanner.error(fmt::format("{} is not the number of a point", TextScanner::quoted(word)));
  if (number == 0) return scanner.error("there is no point 0: points are counted from 1");
  if (number < 0 && number < -static_cast<std::int64_t>(points))
    return scanner.error(fmt::format("point {} does not exist: {} points stand before this line", number, points));
  if (number > most) return scanner.error(fmt::format("point {} is beyond the largest number, {}", number, most));
  const auto index = static_cast<std::uint32_t>(number > 0 ? number - 1 : static_cast<std::int64_t>(points) + number);
  if (largest.line == 0 || index > largest.index) largest = {index, scanner.line_number()};
  return index;
}

// How much there is, so that the arrays are allocated once: grown by doubling, a face of one-digit numbers would cost
// 18 times its text.
struct ObjCounts {
  std::size_t points = 0, triangles = 0;
};

ObjCounts count_statements(std::string_view text) {
  ObjCounts counts;
  TextScanner scanner(text, "");
  while (scanner.next_line()) {
    const std::string_view keyword = next_word(scanner);
    if (keyword == "v") ++counts.points;
    if (keyword != "f") continue;
    std::size_t corners = 0;
    while (!next_word(scanner).empty()) ++corners;
    counts.triangles += std::max<std::size_t>(corners, 2) - 2;
  }
  return counts;
}

Status read_face(TextScanner& scanner, TriangleMesh& mesh, LargestIndex& largest) {
  std::array<std::uint32_t, 3> triangle = {};
  std::size_t corners = 0;
  for (std::string_view word = next_word(scanner); !word.empty(); word = next_word(scanner), ++corners) {
    const auto index = read_index(scanner, word, mesh.points.size(), largest);
    if (!index) return index.error();
    if (corners < 2) {
      triangle[corners] = index.value();
      continue;
    }
    triangle[2] = index.value();
    mesh.triangles.push_back(triangle);
    triangle[1] = triangle[2];
  }
  if (corners < 3) return scanner.error(fmt::format("a face has three or more points, not {}", corners));
  return ok();
}

// All `l` statements of a file: segments to be joined, and longer ones.
struct ObjLines {
  std::vector<Eigen::Vector3d> points;
  std::vector<Segment> segments;
  std::vector<std::size_t> segment_lines;   // where each stands
  std::vector<std::uint32_t> indices;       // of the longer lines
  std::vector<std::size_t> offsets = {0};   // first index of each, then their total
  std::vector<std::size_t> polyline_lines;  // where each stands
  LargestIndex largest;
};

Status read_line(TextScanner& scanner, ObjLines& lines) {
  const std::size_t first = lines.indices.size(), line_number = scanner.line_number();
  for (std::string_view word = next_word(scanner); !word.empty(); word = next_word(scanner)) {
    const auto index = read_index(scanner, word, lines.points.size(), lines.largest);
    if (!index) return index.error();
    lines.indices.push_back(index.value());
  }
  const std::size_t count = lines.indices.size() - first;
  if (count < 2) return scanner.error(fmt::format("a line has two or more points, not {}", count));
  if (count > 2) {
    lines.offsets.push_back(lines.indices.size());
    lines.polyline_lines.push_back(line_number);
    return ok();
  }
  lines.segments.push_back({lines.indices[first], lines.indices[first + 1]});
  lines.segment_lines.push_back(line_number);
  lines.indices.resize(first);
  return ok();
}

Result<ObjLines> read_lines(std::string_view text, const std::string& name) {
  ObjLines lines;
  TextScanner scanner(text, name);
  while (scanner.next_line()) {
    const std::string_view keyword = next_word(scanner);
    if (keyword == "v") {
      const auto point = read_point(scanner);
      if (!point) return point.error();
      lines.points.push_back(point.value());
    } else if (keyword == "l") {
      if (const auto done = read_line(scanner, lines); !done) return done.error();
    }
  }
  if (const auto good = lines.largest.check(lines.points.size(), name); !good) return good.error();
  return lines;
}

// Strands in the order of their lines, out of chains and longer lines, each of which is in order already.
class StrandCollector {
 public:
  StrandCollector(const ObjLines& lines, const std::string& name)
      : points_(lines.points), name_(name), used_(lines.points.size()) {
    groom_.curves.points.reserve(std::min(points_.size(), lines.indices.size() + 2 * lines.segments.size()));
  }

  Status add(std::span<const std::uint32_t> strand, std::size_t line) {
    const auto refuse = [&](const std::string& what) { return Error{fmt::format("{}:{}", name_, line), what}; };
    if (strand.front() == strand.back()) return refuse("the line is a closed loop; a strand has two ends");
    for (const std::uint32_t point : strand) {
      if (used_[point])
        return refuse(fmt::format("point {} is part of a strand already; each strand needs points of its own",
                                  std::uint64_t{point} + 1));
      used_[point] = 1;
      groom_.curves.points.push_back(points_[point]);
    }
    groom_.curves.offsets.push_back(groom_.curves.points.size());
    return ok();
  }

  Groom take() { return std::move(groom_); }

 private:
  const std::vector<Eigen::Vector3d>& points_;
  const std::string& name_;
  std::vector<char> used_;
  Groom groom_;
};

template <class T>
std::span<const T> part(const std::vector<T>& values, const std::vector<std::size_t>& offsets, std::size_t i) {
  return std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
}

Result<Groom> collect_strands(const ObjLines& lines, const Chains& chains, const std::string& name) {
  StrandCollector collector(lines, name);
  const std::size_t chain_count = chains.start_segments.size(), polyline_count = lines.polyline_lines.size();
  for (std::size_t chain = 0, polyline = 0; chain < chain_count || polyline < polyline_count;) {
    constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    const std::size_t chain_line = chain < chain_count ? lines.segment_lines[chains.start_segments[chain]] : never;
    const std::size_t polyline_line = polyline < polyline_count ? lines.polyline_lines[polyline] : never;
    const auto done = chain_line < polyline_line
                          ? collector.add(part(chains.points, chains.offsets, chain++), chain_line)
                          : collector.add(part(lines.indices, lines.offsets, polyline++), polyline_line);
    if (!done) return done.error();
  }
  return collector.take();
}

void append_points(const std::vector<Eigen::Vector3d>& points, std::string& text) {
  for (const Eigen::Vector3d& point : points) {
    const Eigen::Vector3f p = point.cast<float>();
    fmt::format_to(std::back_inserter(text), "v {:.9g} {:.9g} {:.9g}\n", p[0], p[1], p[2]);
  }
}

}  // namespace

Result<TriangleMesh> read_obj_mesh(std::string_view text, const std::string& name) {
  const ObjCounts counts = count_statements(text);
  TriangleMesh mesh;
  mesh.points.reserve(counts.points);
  mesh.triangles.reserve(counts.triangles);
  LargestIndex largest;
  TextScanner scanner(text, name);
  while (scanner.next_line()) {
    const std::string_view keyword = next_word(scanner);
    if (keyword == "v") {
      const auto point = read_point(scanner);
      if (!point) return point.error();
      if (!point.value().allFinite()) return scanner.error("a coordinate is not a finite number");
      mesh.points.push_back(point.value());
    } else if (keyword == "f") {
      if (const auto done = read_face(scanner, mesh, largest); !done) return done.error();
    }
  }
  if (const auto good = largest.check(mesh.points.size(), name); !good) return good.error();
  return mesh;
}

Result<Groom> read_obj_curves(std::string_view text, const std::string& name) {
  const auto lines = read_lines(text, name);
  if (!lines) return lines.error();
  const ObjLines& all = lines.value();
  if (all.segments.empty() && all.polyline_lines.empty())
    return Error{name, "there are no curves: a curve is written as lines, 'l 1 2'"};
  const auto where = [&](std::size_t segment) { return fmt::format("{}:{}", name, all.segment_lines[segment]); };
  const auto chains = join_segments(all.segments, all.points.size(), 1, where);
  if (!chains) return chains.error();
  return collect_strands(all, chains.value(), name);
}

std::string encode_obj_mesh(const TriangleMesh& mesh) {
  std::string text;
  append_points(mesh.points, text);
  for (const auto& [a, b, c] : mesh.triangles)
    fmt::format_to(std::back_inserter(text), "f {} {} {}\n", a + std::uint64_t{1}, b + std::uint64_t{1},
                   c + std::uint64_t{1});
  return text;
}

std::string encode_obj_curves(const Groom& groom) {
  std::string text;
  const Curves& curves = groom.curves;
  append_points(curves.points, text);
  for (std::size_t s = 0; s < curves.strands(); ++s)
    for (std::size_t p = curves.offsets[s]; p + 1 < curves.offsets[s + 1]; ++p)
      fmt::format_to(std::back_inserter(text), "l {} {}\n", p + 1, p + 2);
  return text;
}

}  // namespace tendril
