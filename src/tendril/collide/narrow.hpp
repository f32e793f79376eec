// Narrow phase: from pairs of segments to contacts (docs/theory/collide.md, Eqs. 4, 5, 8).
//
// A pair gives the closest points of its centre lines; nearly parallel ones that face each other give both ends of the
// stretch, so that they cannot pivot. At an end of a segment from which the strands go on to come closer there is none.
// Contacts at a vertex that two edges share are found once for each and kept once. With a motion, those count too whose
// gap would fall below the margin by it.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "tendril/collide/contact.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/pair_gatherer.hpp"
#include "tendril/collide/pair_kernels.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/tracking.hpp"

namespace tendril::collide {

struct NarrowOptions {
  Margin margin;
  double spacing = 0.0;              // of contacts along their strands, in sums of both radii (merge.hpp); 0 keeps all
  std::span<const Vector3d> motion;  // [m], that every vertex would make in the step without contact; empty: none
  // Where `end` is given, contacts that only the motion brings about count if the boxes that segments sweep on the way
  // to it come closer than `sweep_margin`.
  std::span<const Vector3d> end = {};
  Margin sweep_margin = {};
  std::size_t most = std::numeric_limits<std::size_t>::max();  // contacts: where there are more the search ends
};

class Narrow {
 public:
  // The pairs may come in any order, each once. Contacts come in contact_order; if there are more than `most`, none.
  // They are where they were found, until the next call.
  void find(const Polylines& strands, std::span<const SegmentPair> pairs, const NarrowOptions& options,
            const LastContacts& last, ContactRefs& contacts);
  bool has_found_too_many() const { return found_ > most_; }
  // What keeps the segments of every pair apart at the start, if anything does; for CrossingSearch.
  std::span<const SeparatorGroup> separators() const { return separators_; }
  // [m], that the pairs are apart at least.
  std::span<const float> distances() const { return distances_; }

 private:
  void set_reach(const Polylines& strands, const Margin& margin);
  void sift(const Polylines& strands, std::span<const SegmentPair> pairs, std::span<const Vector3d> motion);

  std::vector<std::uint32_t> strand_, offsets_;  // of every vertex; of the strands that it is of
  std::vector<double> reach_;                    // [m], of every segment
  std::vector<SeparatorGroup> separators_;
  std::vector<float> distances_;
  PairGatherer gatherer_;
  std::vector<SegmentPair> near_;  // pairs that may touch
  std::vector<std::vector<Contact>> found_by_chunk_;
  std::size_t found_ = 0, most_ = 0;  // before those at the same place became one
};

}  // namespace tendril::collide
