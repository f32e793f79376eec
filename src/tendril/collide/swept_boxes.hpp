// The boxes that segments sweep in a step, grown by their radius and half of the margin (docs/theory/collide.md, The
// grid).
#pragma once

#include <span>
#include <vector>

#include "tendril/collide/bounds.hpp"
#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

// Without what coordinates lose by round-off, see swept_box.
inline double grown_radius(const Polylines& strands, const Margin& margin, std::size_t v) {
  return margin.grown(std::max(strands.radius[v], strands.radius[v + 1]));
}

// `end` is empty if nothing moves.
Bounds swept_box(const Polylines& start, std::span<const Vector3d> end, const Margin& margin, std::size_t v);

// The first vertices of all segments, rising.
void list_segments(const Polylines& strands, std::vector<std::uint32_t>& segments);

// Of these segments, each in the place of its first vertex.
void make_swept_boxes(const Polylines& start, std::span<const Vector3d> end, const Margin& margin,
                      std::span<const std::uint32_t> segments, std::vector<Bounds>& boxes);

}  // namespace tendril::collide
