// Broad phase: which segments of strands may touch, in time linear in their number (docs/theory/collide.md, The grid).
//
// The boxes of segments that meet are found by rows (box_rows.hpp), for one state or one step. Who asks step after step
// asks for less (near_pairs.hpp). Pairs come once each, and in the same order for every number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/box_rows.hpp"
#include "tendril/collide/pair_gatherer.hpp"
#include "tendril/collide/pair_rules.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/segment_pairs.hpp"

namespace tendril::collide {

struct GridOptions {
  Margin margin;
  bool within_groups = true;  // false: strands of one group pass through each other
};

class Grid {
 public:
  // All pairs of segments whose capsules come closer than the margin, and few others, sorted. Left out: segments of one
  // strand with at most one segment between them, or less than four radii of strand.
  Status find(const Polylines& strands, const GridOptions& options, std::vector<SegmentPair>& pairs);

  // The same for a step in which every vertex goes straight to `end`: all pairs whose swept boxes come that close, in
  // no particular order.
  Status find_swept(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                    std::vector<SegmentPair>& pairs);

 private:
  std::vector<std::uint32_t> strand_;  // of every vertex
  std::vector<std::uint32_t> segments_;
  std::vector<Bounds> boxes_;  // by first vertices
  BoxRows rows_;
  PairGatherer gatherer_;
};

// All pairs of boxes in rows that meet, by name and in any order: `keep` gets those of each chunk with its number,
// perhaps on another thread, and says how many of them it keeps. False if these are too many.
using KeepPairs = std::function<std::size_t(std::size_t chunk, std::span<const SlotPair> met)>;
bool gather_pairs(const BoxRows& rows, const KeepPairs& keep);
Error too_many_pairs();

}  // namespace tendril::collide
