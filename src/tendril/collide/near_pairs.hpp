// The pairs of segments that may touch in a step, or pass through each other, from a list that lasts for many steps
// (docs/theory/collide.md, Neighbours). For each pair it is known how far apart its segments were when somebody last
// looked: until both have gone that far together nobody need look again. What is found is all that may matter in the
// step; what else is found depends on when the list was made, so that whoever uses it must look at the pairs himself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/bounds.hpp"
#include "tendril/collide/box_rows.hpp"
#include "tendril/collide/drift.hpp"
#include "tendril/collide/gap_kernels.hpp"
#include "tendril/collide/horizon.hpp"
#include "tendril/collide/pair_gatherer.hpp"
#include "tendril/collide/pair_rules.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/segment_pairs.hpp"
#include "tendril/collide/way_kernels.hpp"

namespace tendril::collide {

class NearPairs {
 public:
  struct Sweep {
    Margin contacts;  // of what is asked for
    Margin boxes;     // of what segments sweep: only pairs whose boxes meet
  };
  // All pairs that come closer than the margin if every vertex goes straight to `end`, and some others; each once. Left
  // out are those that Grid leaves out.
  Status find(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep,
              std::vector<SegmentPair>& pairs);
  // [m], that the pairs of the last find(), in its order, are apart at least at the start of the step.
  void learn(std::span<const float> distances);
  // After find() from the same start: adds all pairs that are not known yet and whose centre lines may meet if strands,
  // rising, go to `end` instead. Some may come twice.
  Status find_astray(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> strands,
                     std::vector<SegmentPair>& pairs);
  // How segments go in the step, by first vertices.
  std::span<const Drift> drifts() const { return drift_; }

 private:
  enum Mark : char {
    at_home = 0,
    strayed,  // the list has all pairs that it had before
    away      // the list does not count
  };
  // x -> turn x + by, rigid
  struct Motion {
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    Vector3d by = Vector3d::Zero();

    Vector3d operator()(const Vector3d& x) const { return turn * x + by; }
    AffineNumbers numbers() const;
  };
  struct Watched {
    SegmentPair pair;
    float until = 0.0f;  // [m]: it need not be looked at as long as this is more than the needs of both
  };
  struct Sorted {
    std::vector<std::uint32_t> due, aside;  // places in the list
  };

  void set_strands(const Polylines& strands);
  void forget();
  Motion common_motion(std::span<const Vector3d> positions) const;
  bool measure(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep);
  WayView way_view(const Polylines& start, std::span<const Vector3d> end, std::size_t strand) const;
  Ways ways_of(std::size_t strand);
  Bounds box_in_list(const Polylines& start, std::span<const Vector3d> end, const Margin& margin,
                     std::uint32_t v) const;
  bool is_covered(const Polylines& start, std::span<const Vector3d> end, const Margin& margin, float room,
                  std::uint32_t v) const;
  void find_leavers(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep);
  void pack(std::span<const Vector3d> positions);
  Status make_list(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep);
  void adapt_room(const Polylines& start);
  bool is_slow(const Polylines& start, double measured) const;
  void foresee(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep);
  bool counts(const PairRules& rules, const SegmentPair& pair) const;
  void sort_out(const PairRules& rules, std::size_t chunk, Sorted& found) const;
  void find_due(const PairRules& rules, std::vector<SegmentPair>& pairs);
  void take_back(const PairRules& rules, std::vector<SegmentPair>& pairs);
  std::size_t keep_near(const PairRules& rules, std::size_t chunk, std::span<const SlotPair> met);
  void sort_list();
  bool measure_again(const Polylines& start, std::span<const Vector3d> end, std::uint32_t strand);
  bool is_usable(std::span<const Vector3d> end, std::uint32_t strand) const;
  void widen(const Polylines& start, std::span<const Vector3d> end, std::uint32_t strand);
  void leave(const Bounds& box, double room, std::uint32_t v);
  void find_wider(const PairRules& rules, std::vector<SegmentPair>& pairs);
  void find_at_leavers(const PairRules& rules, std::vector<SegmentPair>& pairs);

  // Of the strands that the list is of.
  std::vector<std::uint32_t> offsets_, twins_, strand_, segments_;
  std::uint32_t longest_strand_ = 0;  // in vertices
  // Of every segment, by its first vertex [m]:
  std::vector<float> gone_;      // its way since the list was made, with all others' common way left out
  std::vector<float> ahead_;     // its way in this step
  std::vector<Drift> drift_;     // likewise
  std::vector<Drift> approach_;  // what find() was told of that, its spread with the way so far and the reach
  std::vector<float> need_;      // pairs that are farther apart than this of both need not be looked at
  std::vector<float> reach_;     // its radius and half of the margin
  std::vector<float> budget_;    // the list has all of its pairs until it has gone so far
  std::vector<float> most_;      // or so far, but within the box that was foreseen
  std::vector<float> need_before_;
  std::vector<Vector3d> place_;        // of every vertex at the start of the last step
  bool is_here_ = false;               // the list was made in this step: there is no way to it
  Motion to_list_;                     // from here and now to where strands were, all together, when the list was made
  std::vector<Bounds> foreseen_;       // boxes at that time
  BoxRows rows_;                       // of these
  std::vector<SingleSegment> single_;  // segments where the list is made
  std::vector<float> most_reach_;      // of each segment: pairs that are farther apart than this of both stay apart
  std::vector<std::vector<Watched>> found_;  // one per chunk of rows
  std::vector<Watched> list_, other_;        // rising if it is for more than one step; memory to sort it
  std::vector<std::uint32_t> first_;         // in the list, of each first segment
  bool is_for_more_ = false;                 // than the step that it was made in
  Horizon horizon_;
  std::size_t leavers_so_far_ = 0, strayed_ = 0;  // strayed_: in this step, after it was begun
  double room_ = 0.0;                             // [m], of the boxes of a list for one step; 0: not known yet
  std::vector<std::uint32_t> due_;                // places in the list of the pairs that were found
  std::vector<std::uint32_t> aside_;              // likewise, of those that go the same way as far as it matters
  std::vector<Sorted> sorted_;                    // one per chunk of the list
  // Segments that have left the list, in its frame.
  std::vector<char> mark_, is_new_leaver_, is_wider_, is_out_;
  std::vector<std::uint32_t> leavers_, new_leavers_, wider_;
  std::vector<char> is_checked_;     // of each strand that moves, whether all of it is covered
  std::vector<Bounds> box_, known_;  // of leavers: of which all pairs are known, and were before they became larger
  BoxRows leaver_rows_;
  PairGatherer gatherer_;
  std::vector<std::vector<std::uint32_t>> leavers_by_chunk_, near_;  // near_: one per worker
  std::vector<SlotPair> leaver_pairs_;
};

}  // namespace tendril::collide
