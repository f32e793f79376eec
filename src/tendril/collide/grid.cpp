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

bool gather_pairs(const BoxRows& rows, const PairRules& rules, PairGatherer& found) {
  found.begin(rows.chunk_count());
  std::atomic<std::size_t> count = 0;
  parallel_for(rows.chunk_count(), [&](std::size_t c) {
    if (count > most_pairs) return;
    thread_local std::vector<SlotPair> met;
    met.clear();
    rows.find_pairs(c, met);
    std::vector<SegmentPair>& kept = found.of_chunk(c);
    for (const SlotPair& pair : met) {
      const auto [a, b] = std::minmax(pair.a, pair.b);
      if (rules.may_ever_meet(a, b)) kept.push_back({a, b});
    }
    count += kept.size();
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
  if (!gather_pairs(rows_, rules, gatherer_)) return too_many_pairs();
  parallel_for(rows_.chunk_count(), [&](std::size_t c) {
    std::erase_if(gatherer_.of_chunk(c), [&](const SegmentPair& pair) {
      return !boxes_[pair.first].meets(boxes_[pair.second]) || !rules.are_apart(pair.first, pair.second);
    });
  });
  gatherer_.add_to(pairs);
  return ok();
}

}  // namespace tendril::collide
