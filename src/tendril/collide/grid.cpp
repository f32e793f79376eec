#include "tendril/collide/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/segment_pair.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t most_pairs = std::size_t{1} << 26;  // 2 GB with the copies that sorting makes
constexpr std::size_t strays_per_chunk = 64;
constexpr double most_leavers = 0.02;  // of the segments: with more of them a new list costs less
constexpr double stray_room = 2.0;     // in the sum of both radii

std::size_t stray_chunks(std::size_t strays) { return (strays + strays_per_chunk - 1) / strays_per_chunk; }

bool same(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) { return std::ranges::equal(a, b); }

Error too_many_pairs() {
  return {"polylines", fmt::format("more than {} pairs of segments are within reach of each other: strands lie in each "
                                   "other; check their scale and radius",
                                   most_pairs)};
}

}  // namespace

void Grid::set_strands(const Polylines& strands, const GridOptions& options) {
  if (same(offsets_, strands.offsets) && same(group_, strands.group) && same(twins_, strands.twins) &&
      within_groups_ == options.within_groups)
    return;
  offsets_.assign(strands.offsets.begin(), strands.offsets.end());
  group_.assign(strands.group.begin(), strands.group.end());
  twins_.assign(strands.twins.begin(), strands.twins.end());
  within_groups_ = options.within_groups;
  strands_of_vertices(strands, strand_);
  list_segments(strands, segments_);
  list_.clear();
  foresight_ = {};
}

Status Grid::make_list(const Polylines& start, std::span<const Bounds> foreseen, const GridOptions& options) {
  const PairRules rules(start, options.within_groups, strand_);
  if (!list_.make(segments_, foreseen, rules, most_pairs)) return too_many_pairs();
  return ok();
}

// Boxes of slanted segments are wide: most pairs whose boxes meet are far apart.
Status Grid::find(const Polylines& strands, const GridOptions& options, std::vector<SegmentPair>& pairs) {
  pairs.clear();
  if (Status usable = check(strands); !usable) return usable;
  if (Status usable = check(options.margin); !usable) return usable;
  set_strands(strands, options);
  make_swept_boxes(strands, {}, options.margin, segments_, boxes_);
  if (Status made = make_list(strands, boxes_, options); !made) return made;
  stray_mark_.assign(strands.positions.size(), at_home);
  list_.find(boxes_, stray_mark_, PairRules(strands, options.within_groups, strand_), pairs);
  list_.clear();
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

  set_strands(start, options);
  strays_.clear(), stray_mark_.assign(start.positions.size(), at_home);
  make_swept_boxes(start, end, options.margin, segments_, boxes_);
  const auto most = std::size_t(most_leavers * double(segments_.size()));
  if (list_.find_leavers(boxes_, foresight_.shift(start.positions), most, new_strays_)) {
    foresight_.count_step();
    mark_leavers();
  } else {
    new_strays_.clear();
    const std::span<const Bounds> foreseen = foresight_.foresee(start, end, segments_, boxes_);
    if (Status made = make_list(start, foreseen, options); !made) return made;
  }
  const PairRules rules(start, options.within_groups, strand_);
  list_.find(boxes_, stray_mark_, rules, pairs);
  add_pairs_of_new_strays(rules, foresight_.shift(start.positions), pairs);
  return ok();
}

// They are strays of which no pair is known.
void Grid::mark_leavers() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  strays_ = new_strays_;
  before_.resize(boxes_.size());
  for (const std::uint32_t v : new_strays_)
    stray_mark_[v] = new_stray, before_[v] = {Vector3d::Constant(infinity), Vector3d::Constant(-infinity)};
}

// A larger box has room for more of the same: most strays of one round of a step are still on their way in the next.
void Grid::list_strays(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> strands,
                       const Margin& margin) {
  for (const std::uint32_t v : new_strays_) stray_mark_[v] = old_stray;
  new_strays_.clear();
  before_.resize(boxes_.size());
  for (const std::uint32_t s : strands)
    for (std::uint32_t v = start.offsets[s]; v + 1 < start.offsets[s + 1]; ++v) {
      const Bounds box = swept_box(start, end, margin, v);
      if (boxes_[v].holds(box)) continue;
      const Vector3d room = Vector3d::Constant(stray_room * (start.radius[v] + start.radius[v + 1]));
      before_[v] = boxes_[v];
      boxes_[v] = boxes_[v].with({box.low - room, box.high + room});
      if (stray_mark_[v] == at_home) strays_.push_back(v);
      stray_mark_[v] = new_stray, new_strays_.push_back(v);
    }
}

// With those that are at home, which are in the rows of the list.
void Grid::find_strays_among_others(const PairRules& rules, const Vector3d& shift) {
  const std::span<const std::uint32_t> strays = new_strays_;
  parallel_for(stray_chunks(strays.size()), [&](std::size_t c) {
    std::vector<std::uint32_t>& near = near_[static_cast<std::size_t>(worker_index())];
    const std::size_t first = c * strays_per_chunk;
    for (const std::uint32_t v : strays.subspan(first, std::min(strays_per_chunk, strays.size() - first))) {
      near.clear();
      list_.find_at(boxes_[v], shift, near);
      for (const std::uint32_t other : near) {
        const auto [i, j] = std::minmax(v, other);
        if (stray_mark_[other] == at_home && is_new(i, j, rules)) gatherer_.of_chunk(c).push_back({i, j});
      }
    }
  });
}

void Grid::find_strays_among_strays(const PairRules& rules, std::vector<SegmentPair>& found) {
  stray_pairs_.clear();
  stray_rows_.enter(boxes_, strays_);
  for (std::size_t c = 0; c < stray_rows_.chunk_count(); ++c) stray_rows_.find_pairs(c, stray_pairs_);
  for (const auto& [a, b] : stray_pairs_) {
    const auto [i, j] = std::minmax(a, b);
    if ((stray_mark_[i] == new_stray || stray_mark_[j] == new_stray) && is_new(i, j, rules)) found.push_back({i, j});
  }
}

Status Grid::find_astray(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> strands,
                         const GridOptions& options, std::vector<SegmentPair>& pairs) {
  if (!same(offsets_, start.offsets) || boxes_.size() != start.positions.size() || end.size() != boxes_.size())
    return Error{"polylines", "find_astray follows a find_swept of the same strands"};
  if (Status usable = check_positions(end, start.offsets); !usable) return usable;
  list_strays(start, end, strands, options.margin);
  add_pairs_of_new_strays(PairRules(start, options.within_groups, strand_), foresight_.shift(start.positions), pairs);
  return ok();
}

void Grid::add_pairs_of_new_strays(const PairRules& rules, const Vector3d& shift, std::vector<SegmentPair>& pairs) {
  if (new_strays_.empty()) return;
  const std::size_t chunks = stray_chunks(new_strays_.size());
  gatherer_.begin(chunks + 1);
  near_.resize(static_cast<std::size_t>(thread_count()));
  find_strays_among_others(rules, shift);
  find_strays_among_strays(rules, gatherer_.of_chunk(chunks));
  gatherer_.add_to(pairs);
}

}  // namespace tendril::collide
