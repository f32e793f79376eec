#include "tendril/collide/pair_gatherer.hpp"

#include <algorithm>
#include <span>

namespace tendril::collide {

void PairGatherer::begin(std::size_t chunks) {
  chunks_ = chunks;
  if (found_.size() < chunks) found_.resize(chunks);
  for (auto& some : found_) some.clear();
}

// By counting the pairs of each first segment; those are few, and sorted where they are.
void PairGatherer::sorted(std::size_t vertices, std::vector<SegmentPair>& pairs) {
  const auto chunks = std::span(found_).first(chunks_);
  next_.assign(vertices + 1, 0);
  for (const auto& some : chunks)
    for (const SegmentPair& pair : some) ++next_[pair.first + 1];
  for (std::size_t v = 0; v < vertices; ++v) next_[v + 1] += next_[v];
  pairs.resize(next_.back());
  for (const auto& some : chunks)
    for (const SegmentPair& pair : some) pairs[next_[pair.first]++] = pair;
  for (std::size_t begin = 0, v = 0; v < vertices; begin = next_[v++])
    std::sort(pairs.begin() + std::ptrdiff_t(begin), pairs.begin() + std::ptrdiff_t(next_[v]));
}

void PairGatherer::add_to(std::vector<SegmentPair>& pairs) const {
  for (const auto& some : std::span(found_).first(chunks_)) pairs.insert(pairs.end(), some.begin(), some.end());
}

}  // namespace tendril::collide
