// Whether centre lines pass through each other in a step in which every vertex moves on a straight line at constant
// speed: the judge that nothing tunnels, and the bound on motion that a step controller asks for
// (docs/theory/collide.md, Eqs. 14-16).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/drift.hpp"
#include "tendril/collide/grid.hpp"
#include "tendril/collide/pair_kernels.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {

struct MovingSegment {
  Segment start, end;  // of the step

  Segment at(double time) const {
    return {start.start + time * (end.start - start.start), start.end + time * (end.end - start.end)};
  }
};

struct Crossing {
  double time = 0.0;        // 0 to 1
  double s = 0.0, t = 0.0;  // where, on either segment
};

// The first time at which the segments meet: closer than `tolerance` times their size, which is the largest distance
// between any two of the eight end points. Touching counts.
std::optional<Crossing> first_crossing(const MovingSegment& p, const MovingSegment& q, double tolerance = 1e-9);

// [m], no two points of the segments move more than this relative to each other (Eq. 16).
double relative_motion_bound(const MovingSegment& p, const MovingSegment& q);

struct StrandCrossing {
  SegmentPair segments;
  Crossing crossing;
};

// What is known of pairs, if anything: most of them it keeps from crossing.
struct KnownPairs {
  std::span<const SeparatorGroup> separators;  // what keeps them apart at the start (Narrow)
  std::span<const float> distances;            // [m], of each pair: what it is apart at least at the start
  std::span<const Drift> drifts;               // of each segment, by first vertices
};

// All crossings of a step between any two segments that may meet by the rules of Grid, sorted by segments.
class CrossingSearch {
 public:
  // Among these pairs only, in any order. `is_settled`: of each vertex; pairs of segments that begin at two such are
  // known not to cross. Empty: none are.
  void among(const Polylines& start, std::span<const Vector3d> end, std::span<const SegmentPair> pairs,
             const KnownPairs& known, std::span<const char> is_settled, std::vector<StrandCrossing>& crossings);
  Status find(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
              std::vector<StrandCrossing>& crossings);

 private:
  Grid grid_;
  std::vector<SegmentPair> pairs_;
  std::vector<std::vector<StrandCrossing>> found_by_chunk_;
};

}  // namespace tendril::collide
