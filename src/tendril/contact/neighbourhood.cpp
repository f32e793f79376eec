#include "tendril/contact/neighbourhood.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/node_islands.hpp"

namespace tendril::contact {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

using Members = std::vector<std::uint32_t>;

Members members_of(const NodeSpace& space, std::span<const char> is_chosen, int rings) {
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
  Members members;
  for (std::uint32_t i = 0; i < space.size(); ++i)
    if (is_member[i] != 0) members.push_back(i);
  return members;
}

// Numbers of nodes and blocks of the whole in the part that is being built: all unseen in between.
struct Numbers {
  std::vector<std::uint32_t> node, block;
};

struct Builder {
  const NodeSpace& space;
  const Members& members;
  Numbers& numbers;
  NodeSpace part{};
  Members kept_nodes{0}, kept{};  // of the whole; node 0 never moves

  // Of each block only the nodes that members see.
  void number_nodes() {
    auto& [node, block] = numbers;
    const auto see = [&](std::uint32_t n, std::uint32_t b) {
      if (std::exchange(block[b], 0) == unseen) kept.push_back(b);
      node[n] = 0;
    };
    for (const std::uint32_t i : members) {
      const NodeContact& contact = space.contacts[i];
      for (std::size_t k = 0; k < 4; ++k)
        if (contact.weight[k] != 0.0) see(contact.node[k], std::uint32_t(contact.block[k / 2]));
      for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
        see(space.terms[t].node, space.terms[t].block);
    }
    std::ranges::sort(kept);
    std::size_t matrix = 0;
    for (const std::uint32_t b : kept) {
      block[b] = std::uint32_t(part.blocks.size());
      NodeBlock to{std::uint32_t(kept_nodes.size()), 0, matrix};
      for (std::uint32_t n = space.blocks[b].first_node; n < space.blocks[b].first_node + space.blocks[b].nodes; ++n)
        if (node[n] != unseen) node[n] = std::uint32_t(kept_nodes.size()), kept_nodes.push_back(n), ++to.nodes;
      matrix += to.rows() * to.columns();
      part.blocks.push_back(to);
    }
    part.matrices.assign(matrix, 0.0);
    part.free_velocity.assign(4 * kept_nodes.size(), 0.0);
  }
  void forget_numbers() {
    for (const std::uint32_t n : kept_nodes) numbers.node[n] = unseen;
    for (const std::uint32_t b : kept) numbers.block[b] = unseen;
  }

  void add_contact(std::uint32_t i) {
    const auto& [node, block] = numbers;
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
  void fill_block(std::size_t b, const AlignedVector<double>& force, std::span<const double> v) {
    const NodeBlock &to = part.blocks[b], &from = space.blocks[kept[b]];
    for (std::uint32_t column = 0; column < to.nodes; ++column)
      for (std::uint32_t row = 0; row < to.nodes; ++row) {
        const Eigen::Matrix3d c =
            space.coupling(from, kept_nodes[to.first_node + row], kept_nodes[to.first_node + column]);
        double* const target = part.matrices.data() + to.matrix + 3 * std::size_t(column) * to.rows() + 4 * row;
        for (int axis = 0; axis < 3; ++axis)
          Eigen::Map<Eigen::Vector3d>(target + std::size_t(axis) * to.rows()) = c.col(axis);
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

  void build() {
    number_nodes();
    for (const std::uint32_t i : members) add_contact(i);
    forget_numbers();
  }
  void fill(const Impulses& r, std::span<const double> v) {
    AlignedVector<double> force(part.free_velocity.size(), 0.0);
    for (const NodeContact& contact : part.contacts) part.push(contact, r[contact.name], force.data());
    for (std::size_t b = 0; b < part.blocks.size(); ++b) fill_block(b, force, v);
  }
};

}  // namespace

std::vector<Neighbourhood> neighbourhoods(const NodeSpace& space, std::span<const char> is_chosen, int rings,
                                          const Impulses& r, std::span<const double> v) {
  const std::vector<Members> parts = apart(space, members_of(space, is_chosen, rings));
  Numbers numbers{Members(space.node_count(), unseen), Members(space.blocks.size(), unseen)};
  std::vector<Builder> builders;
  builders.reserve(parts.size());
  for (const Members& members : parts) builders.push_back({space, members, numbers}), builders.back().build();
  std::vector<Neighbourhood> out(parts.size());
  parallel_for(parts.size(), [&](std::size_t k) {
    builders[k].fill(r, v);
    out[k] = {std::move(builders[k].part), std::move(builders[k].kept)};
  });
  return out;
}

}  // namespace tendril::contact
