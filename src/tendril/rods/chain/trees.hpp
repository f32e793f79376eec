// Strands whose roots are vertices of other strands (docs/theory/chain.md, "Trees of strands"): which of them make a
// tree, and its nodes. The root of a strand that hangs on another is no node of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril::chain {

// The root of a strand is a vertex of another one.
struct Tie {
  std::uint32_t strand = 0, parent = 0, vertex = 0;
};

class Trees {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  // The first vertex of a strand that hangs on another, and the node that it is.
  struct Twin {
    std::uint32_t vertex = 0, node = 0;
  };

  // Of strands with these offsets. Says what is wrong with ties: a strand that is not there, that hangs on two others,
  // or on itself in the end.
  static Result<Trees> create(std::span<const std::uint32_t> offsets, std::span<const Tie> ties);

  // Of more than one strand each.
  std::size_t size() const { return trees_.size(); }
  bool empty() const { return trees_.empty(); }
  std::uint32_t tree_of(std::size_t strand) const { return empty() ? none : tree_of_[strand]; }  // none: it is alone

  // Of a tree: strands, each after the one that it hangs on; vertices of nodes; points of which links are those of the
  // nodes but the first, one less than there are nodes; parents as in Chains.
  std::span<const std::uint32_t> strands(std::size_t tree) const { return trees_[tree].strands; }
  std::span<const std::uint32_t> vertices(std::size_t tree) const { return trees_[tree].vertices; }
  std::span<const std::uint32_t> links(std::size_t tree) const { return trees_[tree].links; }
  std::span<const std::uint32_t> parents(std::size_t tree) const { return trees_[tree].parents; }
  std::span<const Twin> twins(std::size_t tree) const { return trees_[tree].twins; }

 private:
  struct Tree {
    std::vector<std::uint32_t> strands, vertices, links, parents;
    std::vector<Twin> twins;
  };
  void add(std::span<const std::uint32_t> offsets, const Tie& tie, std::uint32_t strand,
           std::vector<std::uint32_t>& node_of, Tree& tree) const;

  std::vector<Tree> trees_;
  std::vector<std::uint32_t> tree_of_;  // of each strand
};

}  // namespace tendril::chain
