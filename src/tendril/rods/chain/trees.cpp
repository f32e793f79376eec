#include "tendril/rods/chain/trees.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tendril::chain {
namespace {

// Tie of each strand, or nothing of its own.
Result<std::vector<Tie>> by_strand(std::span<const std::uint32_t> offsets, std::span<const Tie> ties) {
  const std::size_t count = offsets.size() - 1;
  std::vector<Tie> sorted(count, Tie{Trees::none, Trees::none, 0});
  for (const Tie& tie : ties) {
    if (tie.strand >= count || tie.parent >= count)
      return Error{"parent", fmt::format("names strand {}; there are {}, counted from 0",
                                         std::max(tie.strand, tie.parent), count)};
    const std::uint32_t vertices = offsets[tie.parent + 1] - offsets[tie.parent];
    if (tie.vertex >= vertices)
      return Error{"parent",
                   fmt::format("names vertex {} of strand {}, which has {}", tie.vertex, tie.parent, vertices)};
    if (sorted[tie.strand].strand != Trees::none)
      return Error{"parent", fmt::format("strand {} hangs on two others; it has one root", tie.strand)};
    sorted[tie.strand] = tie;
  }
  return sorted;
}

}  // namespace

// Its points are nodes of the tree, but for a root that is a node already.
void Trees::add(std::span<const std::uint32_t> offsets, const Tie& tie, std::uint32_t strand,
                std::vector<std::uint32_t>& node_of, Tree& tree) const {
  const std::uint32_t first = offsets[strand], end = offsets[strand + 1];
  const bool hangs = tie.parent != none;
  if (hangs) {
    node_of[first] = node_of[offsets[tie.parent] + tie.vertex];
    tree.twins.push_back({first, node_of[first]});
  }
  for (std::uint32_t v = hangs ? first + 1 : first; v < end; ++v) {
    node_of[v] = std::uint32_t(tree.vertices.size());
    tree.vertices.push_back(v);
    tree.parents.push_back(v == first ? 0 : node_of[v - 1]);
    if (v > first) tree.links.push_back(v - 1 - strand);
  }
  tree.strands.push_back(strand);
}

Result<Trees> Trees::create(std::span<const std::uint32_t> offsets, std::span<const Tie> ties) {
  Trees made;
  if (ties.empty()) return made;
  const Result<std::vector<Tie>> sorted = by_strand(offsets, ties);
  if (!sorted) return sorted.error();
  const std::vector<Tie>& tie_of = sorted.value();
  const auto count = std::uint32_t(tie_of.size());
  std::vector<std::vector<std::uint32_t>> hanging(count);
  for (std::uint32_t s = 0; s < count; ++s)
    if (tie_of[s].parent != none) hanging[tie_of[s].parent].push_back(s);
  made.tree_of_.assign(count, none);
  std::vector<std::uint32_t> node_of(offsets.back(), none), next;
  std::size_t reached = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (tie_of[root].parent != none) continue;
    ++reached;
    if (hanging[root].empty()) continue;
    Tree& tree = made.trees_.emplace_back();
    next.assign(1, root);
    for (std::size_t k = 0; k < next.size(); ++k) {
      const std::uint32_t strand = next[k];
      made.tree_of_[strand] = std::uint32_t(made.trees_.size() - 1);
      made.add(offsets, tie_of[strand], strand, node_of, tree);
      next.insert(next.end(), hanging[strand].begin(), hanging[strand].end());
    }
    reached += next.size() - 1;
  }
  if (reached == count) return made;
  const auto lost = std::uint32_t(
      std::ranges::find_if(tie_of,
                           [&](const Tie& tie) { return tie.parent != none && made.tree_of_[tie.strand] == none; }) -
      tie_of.begin());
  return Error{"parent", fmt::format("strand {} hangs on itself, by way of others; a tree has one strand that hangs on "
                                     "none",
                                     lost)};
}

}  // namespace tendril::chain
