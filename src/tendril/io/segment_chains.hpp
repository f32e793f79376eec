// Chains out of loose segments: files that know only edges (Blender's OBJ, PLY with an element edge) tear a strand into
// pairs of points.
//
// A chain runs from one end, a point with a single segment, to the other. It starts at that end which stands first in
// the segments, and the chains come in the order in which their starts stand there. What is no chain is refused: a
// point with more than two segments, a closed loop, a segment from a point to itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

struct Segment {
  std::uint32_t a = 0, b = 0;  // points, counted from 0
};

struct Chains {
  std::vector<std::uint32_t> points;        // chain after chain
  std::vector<std::size_t> offsets = {0};   // first of `points` of each chain, then their total
  std::vector<std::size_t> start_segments;  // the segment in which a chain's first point stands
};

// Every segment joins two of `point_count` points. Errors call the first point `first_number` (0 or 1, as the file
// does) and stand at where(index of the segment).
Result<Chains> join_segments(std::span<const Segment> segments, std::size_t point_count, std::uint32_t first_number,
                             const std::function<std::string(std::size_t)>& where);

}  // namespace tendril
