#include "tendril/collide/pair_list.hpp"

#include <algorithm>
#include <atomic>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 4096;  // of boxes or pairs

std::size_t chunks_of(std::size_t count) { return (count + chunk - 1) / chunk; }

}  // namespace

bool PairList::make(std::span<const std::uint32_t> segments, std::span<const Bounds> foreseen, const PairRules& rules,
                    std::size_t most) {
  segments_.assign(segments.begin(), segments.end());
  foreseen_.assign(foreseen.begin(), foreseen.end());
  rows_.enter(foreseen_, segments_);
  gatherer_.begin(rows_.chunk_count());
  met_.resize(static_cast<std::size_t>(thread_count()));
  std::atomic<std::size_t> found = 0;
  parallel_for(rows_.chunk_count(), [&](std::size_t c) {
    if (found > most) return;
    std::vector<SlotPair>& met = met_[static_cast<std::size_t>(worker_index())];
    met.clear();
    rows_.find_pairs(c, met);
    std::vector<SegmentPair>& kept = gatherer_.of_chunk(c);
    for (const SlotPair& pair : met) {
      const auto [a, b] = std::minmax(pair.a, pair.b);
      if (rules.may_ever_meet(a, b)) kept.push_back({a, b});
    }
    found += kept.size();
  });
  if (found > most) {
    clear();
    return false;
  }
  pairs_.clear();
  gatherer_.add_to(pairs_);
  return true;
}

// Subtraction keeps the order of numbers in spite of round-off: boxes that meet still do.
bool PairList::find_leavers(std::span<const Bounds> boxes, const Vector3d& shift, std::size_t most,
                            std::vector<std::uint32_t>& leavers) {
  leavers.clear();
  if (foreseen_.empty() || boxes.size() != foreseen_.size()) return false;
  const auto is_within = [&](std::uint32_t v) {
    const Vector3d low = boxes[v].low - shift, high = boxes[v].high - shift;
    return (low.array() >= foreseen_[v].low.array()).all() && (high.array() <= foreseen_[v].high.array()).all();
  };
  leavers_.resize(chunks_of(segments_.size()));
  std::atomic<std::size_t> found = 0;
  parallel_for(leavers_.size(), [&](std::size_t c) {
    leavers_[c].clear();
    if (found > most) return;
    for (const std::uint32_t v : std::span(segments_).subspan(c * chunk, std::min(chunk, segments_.size() - c * chunk)))
      if (!is_within(v)) leavers_[c].push_back(v);
    found += leavers_[c].size();
  });
  if (found > most) return false;
  for (const auto& some : leavers_) leavers.insert(leavers.end(), some.begin(), some.end());
  return true;
}

void PairList::find(std::span<const Bounds> boxes, std::span<const char> is_away, const PairRules& rules,
                    std::vector<SegmentPair>& pairs) {
  gatherer_.begin(chunks_of(pairs_.size()));
  parallel_for(chunks_of(pairs_.size()), [&](std::size_t c) {
    std::vector<SegmentPair>& found = gatherer_.of_chunk(c);
    for (const SegmentPair& pair : std::span(pairs_).subspan(c * chunk, std::min(chunk, pairs_.size() - c * chunk)))
      if (boxes[pair.first].meets(boxes[pair.second]) && (is_away[pair.first] | is_away[pair.second]) == 0 &&
          rules.are_apart(pair.first, pair.second))
        found.push_back(pair);
  });
  pairs.clear();
  gatherer_.add_to(pairs);
}

void PairList::find_at(const Bounds& box, const Vector3d& shift, std::vector<std::uint32_t>& segments) const {
  rows_.find_at({box.low - shift, box.high - shift}, segments);
}

}  // namespace tendril::collide
