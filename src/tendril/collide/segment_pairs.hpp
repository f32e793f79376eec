// Pairs of segments by name.
#pragma once

#include <compare>
#include <cstdint>

namespace tendril::collide {

// By their first vertices, first < second.
struct SegmentPair {
  std::uint32_t first = 0, second = 0;

  auto operator<=>(const SegmentPair&) const = default;
};

}  // namespace tendril::collide
