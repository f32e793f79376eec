#include "tendril/collide/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/segment_pair.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t most_pairs = std::size_t{1} << 26;  // 2 GB with the copies that sorting makes

}  // namespace

Error too_many_pairs() {
  return {"polylines", fmt::format("more than {} pairs of segments are within reach of each other: strands lie in each "
                                   "other; check their scale and radius",
                                   most_pairs)};
}

bool gather_pairs(const BoxRows& rows, const KeepPairs& keep) {
  std::atomic<std::size_t> count = 0;
  parallel_for(rows.chunk_count(), [&](std::size_t c) {
    if (count > most_pairs) return;
    thread_local std::vector<SlotPair> met;
    met.clear();
    rows.find_pairs(c, met);
    count += keep(c, met);
  });
  return count <= most_pairs;
}

// Boxes of slanted segments are wide: most pairs whose boxes meet are far apart.
Status Grid::find(const Polylines& strands, const GridOptions& options, std::vector<SegmentPair>& pairs) {
  if (Status found = find_swept(strands, strands.positions, options, pairs); !found) return found;
  std::ranges::sort(pairs);
  const auto& x = strands.positions;
  std::erase_if(pairs, [&](const SegmentPair& pair) {
    const auto& [i, j] = pair;
    const double reach =
        (1.0 + 1e-12) * (grown_radius(strands, options.margin, i) + grown_radius(strands, options.margin, j));
    return closest_points({x[i], x[i + 1]}, {x[j], x[j + 1]}).apart.squaredNorm() > reach * reach;
  });
  return ok();
}

Status Grid::find_swept(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                        std::vector<SegmentPair>& pairs) {
  pairs.clear();
  if (Status usable = check(start); !usable) return usable;
  if (Status usable = check(options.margin); !usable) return usable;
  if (end.size() != start.positions.size())
    return Error{"polylines", "start and end of the step differ in their number of vertices"};
  if (Status usable = check_positions(end, start.offsets); !usable) return usable;
  strands_of_vertices(start, strand_);
  list_segments(start, segments_);
  make_swept_boxes(start, end, options.margin, segments_, boxes_);
  rows_.enter(boxes_, segments_);
  const PairRules rules(start, options.within_groups, strand_);
  gatherer_.begin(rows_.chunk_count());
  const auto keep = [&](std::size_t c, std::span<const SlotPair> met) {
    std::vector<SegmentPair>& kept = gatherer_.of_chunk(c);
    for (const SlotPair& pair : met) {
      const auto [a, b] = std::minmax(pair.a, pair.b);
      if (boxes_[a].meets(boxes_[b]) && rules.may_meet(a, b)) kept.push_back({a, b});
    }
    return kept.size();
  };
  if (!gather_pairs(rows_, keep)) return too_many_pairs();
  gatherer_.add_to(pairs);
  return ok();
}

}  // namespace tendril::collide
