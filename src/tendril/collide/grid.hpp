// Broad phase: which segments of strands may touch, in time linear in their number (docs/theory/collide.md, The grid).
//
// The boxes of segments that meet are found by rows (box_rows.hpp). They are made a little larger than the step asks
// for, and the list is kept as long as no segment has left its box (pair_list.hpp): most steps only go through it.
// Pairs come once each, and in the same order for every number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/foresight.hpp"
#include "tendril/collide/pair_gatherer.hpp"
#include "tendril/collide/pair_list.hpp"
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

  // The same for a step in which every vertex goes straight to `end`: all pairs whose swept boxes come that close, and
  // few others, in no particular order.
  Status find_swept(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                    std::vector<SegmentPair>& pairs);

  // After find_swept from the same start: adds the pairs that are not known yet if strands, rising, go to `end`
  // instead. All others stay in their boxes. What has left its box gets a larger one, for the next call.
  Status find_astray(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> strands,
                     const GridOptions& options, std::vector<SegmentPair>& pairs);

 private:
  void set_strands(const Polylines& strands, const GridOptions& options);
  Status make_list(const Polylines& start, std::span<const Bounds> foreseen, const GridOptions& options);
  void list_strays(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> strands,
                   const Margin& margin);
  // The box of which all pairs were known before this call.
  const Bounds& known_box(std::uint32_t v) const { return stray_mark_[v] == new_stray ? before_[v] : boxes_[v]; }
  bool is_new(std::uint32_t i, std::uint32_t j, const PairRules& rules) const {
    return boxes_[i].meets(boxes_[j]) && !known_box(i).meets(known_box(j)) && rules.may_meet(i, j);
  }
  void mark_leavers();
  void add_pairs_of_new_strays(const PairRules& rules, const Vector3d& shift, std::vector<SegmentPair>& pairs);
  void find_strays_among_others(const PairRules& rules, const Vector3d& shift);
  void find_strays_among_strays(const PairRules& rules, std::vector<SegmentPair>& found);

  std::vector<std::uint32_t> strand_;  // of every vertex
  std::vector<std::uint32_t> segments_;
  std::vector<Bounds> boxes_;                           // in the last step, by first vertices
  std::vector<std::uint32_t> offsets_, group_, twins_;  // of the strands that the list is of
  bool within_groups_ = true;
  Foresight foresight_;
  PairList list_;
  // Segments that have left their boxes in this step, or those of the list.
  enum StrayMark : char { at_home = 0, old_stray, new_stray };
  std::vector<char> stray_mark_;
  std::vector<std::uint32_t> strays_, new_strays_;
  std::vector<Bounds> before_;                    // of new ones: the boxes they have left
  std::vector<std::vector<std::uint32_t>> near_;  // one per worker
  std::vector<SlotPair> stray_pairs_;
  BoxRows stray_rows_;
  PairGatherer gatherer_;
};

}  // namespace tendril::collide
