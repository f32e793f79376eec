// The pairs of segments that may come near each other within the next steps, kept until some segment leaves the box
// that was foreseen for it (docs/theory/collide.md, Neighbours). What is asked of it depends on the boxes of the step
// alone, never on when the list was made.
#pragma once

#include <span>
#include <vector>

#include "tendril/collide/box_rows.hpp"
#include "tendril/collide/pair_gatherer.hpp"
#include "tendril/collide/pair_rules.hpp"
#include "tendril/collide/segment_pairs.hpp"

namespace tendril::collide {

class PairList {
 public:
  // Of these segments, in boxes that are foreseen for them, each in the place of its first vertex. False if there are
  // more than `most` pairs.
  bool make(std::span<const std::uint32_t> segments, std::span<const Bounds> foreseen, const PairRules& rules,
            std::size_t most);
  void clear() { foreseen_.clear(), pairs_.clear(); }

  // The segments whose boxes, moved by -shift, are not within those that were foreseen, rising. False if there are more
  // than `most` of them, or no list.
  bool find_leavers(std::span<const Bounds> boxes, const Vector3d& shift, std::size_t most,
                    std::vector<std::uint32_t>& leavers);
  // All pairs that may touch and whose boxes meet, and few others, in no particular order. Those of segments that are
  // away do not count.
  void find(std::span<const Bounds> boxes, std::span<const char> is_away, const PairRules& rules,
            std::vector<SegmentPair>& pairs);
  // Adds the segments whose boxes, moved by -shift, may meet this one.
  void find_at(const Bounds& box, const Vector3d& shift, std::vector<std::uint32_t>& segments) const;

 private:
  std::vector<std::uint32_t> segments_;
  std::vector<Bounds> foreseen_;
  BoxRows rows_;
  std::vector<SegmentPair> pairs_;
  PairGatherer gatherer_;
  std::vector<std::vector<SlotPair>> met_;           // one per worker
  std::vector<std::vector<std::uint32_t>> leavers_;  // one per chunk
};

}  // namespace tendril::collide
