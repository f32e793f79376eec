#include "tendril/contact/neighbourhood.hpp"

#include <limits>
#include <utility>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

struct Builder {
  const NodeSpace& space;
  NodeSpace& part;
  std::vector<std::uint32_t> members{};
  std::vector<std::uint32_t> node{};                 // number of each node of the space in the part
  std::vector<std::uint32_t> block{};                // likewise of blocks
  std::vector<std::uint32_t> kept_nodes{0}, kept{};  // and back; node 0 never moves

  void choose(std::span<const char> is_chosen, int rings) {
    std::vector<char> is_near(space.blocks.size(), 0), is_member(is_chosen.begin(), is_chosen.end());
    const auto for_blocks = [&](std::size_t i, const auto& f) {
      for (const std::int32_t b : space.contacts[i].block)
        if (b != Side::none) f(std::size_t(b));
    };
    for (int ring = 0; ring < rings; ++ring) {
      for (std::size_t i = 0; i < space.size(); ++i)
        if (is_member[i] != 0) for_blocks(i, [&](std::size_t b) { is_near[b] = 1; });
      for (std::size_t i = 0; i < space.size(); ++i) for_blocks(i, [&](std::size_t b) { is_member[i] |= is_near[b]; });
    }
    for (std::uint32_t i = 0; i < space.size(); ++i)
      if (is_member[i] != 0) members.push_back(i);
  }

  // Of each block only the nodes that members see.
  void number_nodes() {
    node.assign(space.node_count(), unseen), block.assign(space.blocks.size(), unseen);
    node[0] = 0;
    const auto see = [&](std::uint32_t n, std::size_t b) { node[n] = block[b] = 0; };
    for (const std::uint32_t i : members) {
      const NodeContact& contact = space.contacts[i];
      for (std::size_t k = 0; k < 4; ++k)
        if (contact.weight[k] != 0.0) see(contact.node[k], std::size_t(contact.block[k / 2]));
      for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
        see(space.terms[t].node, space.terms[t].block);
    }
    std::size_t matrix = 0;
    for (std::uint32_t b = 0; b < space.blocks.size(); ++b) {
      if (block[b] == unseen) continue;
      block[b] = std::uint32_t(part.blocks.size()), kept.push_back(b);
      NodeBlock to{std::uint32_t(kept_nodes.size()), 0, matrix};
      for (std::uint32_t n = space.blocks[b].first_node; n < space.blocks[b].first_node + space.blocks[b].nodes; ++n)
        if (node[n] != unseen) node[n] = std::uint32_t(kept_nodes.size()), kept_nodes.push_back(n), ++to.nodes;
      matrix += to.rows() * to.columns();
      part.blocks.push_back(to);
    }
    part.matrices.assign(matrix, 0.0);
    part.free_velocity.assign(4 * kept_nodes.size(), 0.0);
  }

  void add_contact(std::uint32_t i) {
    NodeContact contact = space.contacts[i];
    contact.name = i;
    for (std::size_t k = 0; k < 4; ++k) contact.node[k] = contact.weight[k] != 0.0 ? node[contact.node[k]] : 0;
    for (std::int32_t& b : contact.block)
      if (b != Side::none) b = block[std::size_t(b)] != unseen ? std::int32_t(block[std::size_t(b)]) : Side::none;
    const auto first = std::uint32_t(part.terms.size());
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
      const NodeTerm& term = space.terms[t];
      part.terms.push_back({node[term.node], block[term.block], term.matrix});
    }
    contact.first_term = first, contact.end_term = std::uint32_t(part.terms.size());
    part.contacts.push_back(contact);
  }

  // C among the nodes that were kept, and what moves them besides the members: v - C Hᵀ r.
  void fill_block(std::size_t b, const AlignedVector<double>& force, std::span<const double> v) const {
    const NodeBlock &to = part.blocks[b], &from = space.blocks[kept[b]];
    for (std::uint32_t column = 0; column < to.nodes; ++column)
      for (int axis = 0; axis < 3; ++axis) {
        const double* const source = space.column(from, kept_nodes[to.first_node + column], axis);
        double* const target =
            part.matrices.data() + to.matrix + (3 * std::size_t(column) + std::size_t(axis)) * to.rows();
        for (std::uint32_t row = 0; row < to.nodes; ++row) {
          const std::size_t at = 4 * std::size_t(kept_nodes[to.first_node + row] - from.first_node);
          for (std::size_t k = 0; k < 3; ++k) target[4 * row + k] = source[at + k];
        }
      }
    double* const free = part.free_velocity.data() + 4 * std::size_t(to.first_node);
    for (std::uint32_t column = 0; column < to.nodes; ++column)
      for (int axis = 0; axis < 3; ++axis) {
        const double amount = force[4 * std::size_t(to.first_node + column) + std::size_t(axis)];
        const double* const c = part.column(to, to.first_node + column, axis);
        for (std::size_t row = 0; row < to.rows(); ++row) free[row] -= amount * c[row];
      }
    for (std::uint32_t n = 0; n < to.nodes; ++n)
      for (std::size_t k = 0; k < 3; ++k) free[4 * n + k] += v[4 * std::size_t(kept_nodes[to.first_node + n]) + k];
  }
};

}  // namespace

Neighbourhood neighbourhood(const NodeSpace& space, std::span<const char> is_chosen, int rings, const Impulses& r,
                            std::span<const double> v) {
  NodeSpace part;
  Builder builder{space, part};
  builder.choose(is_chosen, rings);
  builder.number_nodes();
  for (const std::uint32_t i : builder.members) builder.add_contact(i);
  AlignedVector<double> force(part.free_velocity.size(), 0.0);
  for (const NodeContact& contact : part.contacts) part.push(contact, r[contact.name], force.data());
  parallel_for(part.blocks.size(), [&](std::size_t b) { builder.fill_block(b, force, v); });
  return {std::move(part), std::move(builder.kept)};
}

}  // namespace tendril::contact
