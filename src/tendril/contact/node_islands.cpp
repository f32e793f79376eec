#include "tendril/contact/node_islands.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/disjoint_sets.hpp"

namespace tendril::contact {
namespace {

constexpr std::uint32_t unnamed = std::numeric_limits<std::uint32_t>::max();

// `place` of each block of the whole: written are only those of this island.
NodeSpace island(const NodeSpace& whole, std::span<const std::uint32_t> members, std::span<std::uint32_t> place) {
  NodeSpace part;
  part.packed_matrices = whole.packed_matrices, part.frames_are_rotations = whole.frames_are_rotations;
  std::vector<std::int32_t> blocks;
  for (const std::uint32_t i : members)
    for (const std::int32_t b : whole.contacts[i].block)
      if (b != Side::none) blocks.push_back(b);
  std::ranges::sort(blocks);
  blocks.erase(std::ranges::unique(blocks).begin(), blocks.end());
  part.free_velocity.assign(4, 0.0);  // node 0 never moves
  for (const std::int32_t b : blocks) {
    const NodeBlock& from = whole.blocks[std::size_t(b)];
    place[std::size_t(b)] = std::uint32_t(part.blocks.size());
    part.blocks.push_back({std::uint32_t(part.node_count()), from.nodes, from.matrix});
    const double* const free = whole.free_velocity.data() + 4 * std::size_t(from.first_node);
    part.free_velocity.insert(part.free_velocity.end(), free, free + from.rows());
  }
  for (const std::uint32_t i : members) {
    NodeContact contact = whole.contacts[i];
    for (std::size_t k = 0; k < 4; ++k) {
      if (contact.weight[k] == 0.0) continue;
      const auto b = std::size_t(contact.block[k / 2]);
      contact.node[k] += part.blocks[place[b]].first_node - whole.blocks[b].first_node;
    }
    for (std::int32_t& b : contact.block)
      if (b != Side::none) b = std::int32_t(place[std::size_t(b)]);
    part.contacts.push_back(contact);
  }
  return part;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> apart(const NodeSpace& space, std::span<const std::uint32_t> members) {
  DisjointSets sets(std::max<std::size_t>(1, space.blocks.size()));
  for (const std::uint32_t i : members)
    if (const auto& [a, b] = space.contacts[i].block; a != Side::none && b != Side::none)
      sets.join(std::uint32_t(a), std::uint32_t(b));
  std::vector<std::uint32_t> name(std::max<std::size_t>(1, space.blocks.size()), unnamed);
  std::vector<std::vector<std::uint32_t>> parts;
  for (const std::uint32_t i : members) {
    const auto& [a, b] = space.contacts[i].block;
    const std::int32_t any = std::max({a, b, 0});
    std::uint32_t& part = name[sets.find(std::uint32_t(any))];
    if (part == unnamed) part = std::uint32_t(parts.size()), parts.emplace_back();
    parts[part].push_back(i);
  }
  return parts;
}

std::vector<NodeSpace> node_islands(const NodeSpace& whole) {
  assert(whole.size() == 0 || (whole.is_packed() && whole.terms.empty()));
  std::vector<std::uint32_t> all(whole.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<std::vector<std::uint32_t>> members = apart(whole, all);
  std::ranges::stable_sort(members, std::ranges::greater{}, &std::vector<std::uint32_t>::size);
  std::vector<std::uint32_t> place(whole.blocks.size());
  std::vector<NodeSpace> out(members.size());
  parallel_for(members.size(), [&](std::size_t k) { out[k] = island(whole, members[k], place); });
  return out;
}

}  // namespace tendril::contact
