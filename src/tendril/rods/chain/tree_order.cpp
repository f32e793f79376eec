#include "tendril/rods/chain/tree_order.hpp"

#include <cmath>

namespace tendril::chain {
namespace {

bool has_usable_numbers(const Tree& tree) {
  const std::size_t n = tree.prediction.size();
  if (n >= no_parent || tree.inverse_mass.size() != n || tree.length.size() != n || tree.parents.size() != n)
    return false;
  if (!tree.start.empty() && tree.start.size() != n) return false;
  if (!tree.compliance.empty() && tree.compliance.size() != n) return false;
  if (!tree.stiffness.empty() && (tree.stiffness.size() != n || tree.rest.size() != n)) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = tree.inverse_mass[i];
    if (!tree.prediction[i].allFinite() || !(w >= 0.0) || !std::isfinite(w)) return false;
    if (w > 0.0 && !std::isfinite(1.0 / w)) return false;
    if (!tree.start.empty() && !tree.start[i].allFinite()) return false;
    if (tree.parents[i] == no_parent) continue;
    if (tree.parents[i] >= n || !(tree.length[i] > 0.0) || !std::isfinite(tree.length[i])) return false;
  }
  return true;
}

// Whether all parents lead to a root. Every node is walked over once: a walk ends where an earlier one went.
bool is_acyclic(std::span<const std::uint32_t> parents) {
  constexpr std::uint32_t never = no_parent;
  std::vector<std::uint32_t> walk(parents.size(), never);
  for (std::uint32_t first = 0; first < parents.size(); ++first) {
    std::uint32_t i = first;
    for (; i != no_parent && walk[i] == never; i = parents[i]) walk[i] = first;
    if (i != no_parent && walk[i] == first) return false;
  }
  return true;
}

// Makes held nodes roots, by turning around the links from them to the root there was. False if a tree has two.
bool turn_to_held(const Tree& tree, std::vector<std::uint32_t>& parent, std::vector<std::uint32_t>& link) {
  for (std::uint32_t held = 0; held < parent.size(); ++held) {
    if (tree.inverse_mass[held] != 0.0 || parent[held] == no_parent) continue;
    std::uint32_t i = held, before = no_parent, link_before = 0;
    while (i != no_parent) {
      if (i != held && tree.inverse_mass[i] == 0.0) return false;
      const std::uint32_t next = parent[i], link_to_next = link[i];
      parent[i] = before, link[i] = link_before;
      before = i, link_before = link_to_next, i = next;
    }
  }
  return true;
}

}  // namespace

std::optional<TreeOrder> order_of(const Tree& tree) {
  if (!has_usable_numbers(tree) || !is_acyclic(tree.parents)) return std::nullopt;
  const std::size_t n = tree.parents.size();
  std::vector<std::uint32_t> parent(tree.parents.begin(), tree.parents.end()), link(n);
  for (std::uint32_t i = 0; i < n; ++i) link[i] = i;
  if (!turn_to_held(tree, parent, link)) return std::nullopt;

  // The children of i are children[first[i]] .. children[first[i + 1] - 1].
  std::vector<std::uint32_t> first(n + 1, 0), children(n), place(n);
  for (std::size_t i = 0; i < n; ++i)
    if (parent[i] != no_parent) ++first[parent[i] + 1];
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> vacant(first.begin(), first.end() - 1), to_do;
  for (std::uint32_t i = 0; i < n; ++i)
    if (parent[i] != no_parent) children[vacant[parent[i]]++] = i;

  TreeOrder out;
  out.nodes.reserve(n), out.parent.reserve(n), out.link.reserve(n);
  for (std::uint32_t root = 0; root < n; ++root) {
    if (parent[root] != no_parent) continue;
    const std::size_t begin = out.nodes.size();
    out.offsets.push_back(begin);
    // Depth first: along a chain the places then follow each other in memory.
    for (to_do = {root}; !to_do.empty();) {
      const std::uint32_t i = to_do.back();
      to_do.pop_back();
      place[i] = std::uint32_t(out.nodes.size() - begin);
      out.nodes.push_back(i), out.link.push_back(link[i]);
      out.parent.push_back(i == root ? 0 : place[parent[i]]);
      for (std::uint32_t c = first[i + 1]; c-- > first[i];) to_do.push_back(children[c]);
    }
  }
  out.offsets.push_back(n);
  return out;
}

}  // namespace tendril::chain
