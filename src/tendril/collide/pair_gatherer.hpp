// Pairs of segments that many chunks of work have found, as one list: the same for every order in which chunks were
// done.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/collide/segment_pairs.hpp"

namespace tendril::collide {

class PairGatherer {
 public:
  // Empty lists for so many chunks.
  void begin(std::size_t chunks);
  std::vector<SegmentPair>& of_chunk(std::size_t chunk) { return found_[chunk]; }
  // Sorted, in linear time. Of strands with so many vertices.
  void sorted(std::size_t vertices, std::vector<SegmentPair>& pairs);
  // In the order of chunks.
  void add_to(std::vector<SegmentPair>& pairs) const;

 private:
  std::vector<std::vector<SegmentPair>> found_;
  std::size_t chunks_ = 0;
  std::vector<std::uint32_t> next_;  // place for each first segment
};

}  // namespace tendril::collide
