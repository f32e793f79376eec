// Broad phase: which segments of strands may touch, in time linear in their number (docs/theory/collide.md, The grid).
//
// Segments are cut into pieces no longer than a cell, the boxes of the pieces are entered in the cells of a uniform
// grid, the entries are sorted by cell, and entries of one cell are compared. A pair of pieces counts only in the
// lowest cell that both share. Memory is bounded: at most 12 entries per segment (else the cells grow); a piece much
// larger than the others is compared with all instead. Pairs come sorted and once each, for every number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

// Two segments by their first vertices, first < second.
struct SegmentPair {
  std::uint32_t first = 0, second = 0;

  auto operator<=>(const SegmentPair&) const = default;
};

struct GridOptions {
  Margin margin;
  bool within_groups = true;  // false: strands of one group pass through each other
};

class Grid {
 public:
  Grid();
  Grid(Grid&& other) noexcept;
  Grid& operator=(Grid&& other) noexcept;
  ~Grid();

  // All pairs of segments whose capsules come closer than the margin, and few others. Left out: segments of one strand
  // with at most one segment between them, or less than four radii of strand.
  Status find(const Polylines& strands, const GridOptions& options, std::vector<SegmentPair>& pairs);

  // The same for a step in which every vertex goes straight to `end`: all pairs whose swept boxes come that close.
  Status find_swept(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                    std::vector<SegmentPair>& pairs);

  // After find_swept from the same start: the pairs that some segments, rising, have with all others if they go to
  // `end` instead. Of the others it is taken for granted that they stay in their boxes.
  Status find_astray(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> astray,
                     const GridOptions& options, std::vector<SegmentPair>& pairs);

 private:
  struct Work;
  struct Search;

  std::unique_ptr<Work> work_;
};

}  // namespace tendril::collide
