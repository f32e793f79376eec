#include "tendril/io/segment_chains.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace tendril {
namespace {

constexpr std::uint32_t none = 0xffffffff;

using Uses = std::vector<std::array<std::uint32_t, 2>>;  // the segments of each point

// False: the point has two segments already. So no more segments than points are ever entered, and 32 bits hold their
// indices.
bool enter(std::uint32_t segment, std::array<std::uint32_t, 2>& uses) {
  for (std::uint32_t& use : uses)
    if (use == none) return use = segment, true;
  return false;
}

void follow(std::span<const Segment> segments, const Uses& uses, std::uint32_t start, std::uint32_t first_segment,
            std::vector<char>& done, Chains& chains) {
  chains.start_segments.push_back(first_segment);
  chains.points.push_back(start);
  std::uint32_t point = start;
  for (std::uint32_t s = first_segment; s != none; s = uses[point][uses[point][0] == s ? 1 : 0]) {
    done[s] = 1;
    point = segments[s].a == point ? segments[s].b : segments[s].a;
    chains.points.push_back(point);
  }
  chains.offsets.push_back(chains.points.size());
}

}  // namespace

Result<Chains> join_segments(std::span<const Segment> segments, std::size_t point_count, std::uint32_t first_number,
                             const std::function<std::string(std::size_t)>& where) {
  const auto number = [&](std::uint32_t point) { return std::uint64_t{point} + first_number; };
  Uses uses(point_count, {none, none});
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto [a, b] = segments[s];
    if (a == b) return Error{where(s), fmt::format("a segment joins point {} with itself", number(a))};
    for (const std::uint32_t point : {a, b})
      if (!enter(static_cast<std::uint32_t>(s), uses[point]))
        return Error{where(s), fmt::format("point {} has a third segment; a strand does not branch, so a point has at "
                                           "most two",
                                           number(point))};
  }

  Chains chains;
  chains.points.reserve(point_count < 2 * segments.size() ? point_count : 2 * segments.size());
  std::vector<char> done(segments.size());
  for (std::uint32_t s = 0; s < segments.size(); ++s)
    for (const std::uint32_t point : {segments[s].a, segments[s].b})
      if (!done[s] && uses[point][1] == none) follow(segments, uses, point, s, done, chains);
  for (std::size_t s = 0; s < segments.size(); ++s)
    if (!done[s])
      return Error{where(s), fmt::format("the segments from point {} on form a closed loop; a strand has two ends",
                                         number(segments[s].a))};
  return chains;
}

}  // namespace tendril
