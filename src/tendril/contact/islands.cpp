#include "tendril/contact/islands.hpp"

#include "tendril/contact/disjoint_sets.hpp"

namespace tendril::contact {
namespace {

std::int32_t any_block(const Contact& contact) {
  return contact.a.block != Side::none ? contact.a.block : contact.b.block;
}

}  // namespace

Islands islands_of(const Problem& problem) {
  DisjointSets sets(problem.blocks.size());  // each named by its first block
  for (const Contact& contact : problem.contacts)
    if (contact.a.block != Side::none && contact.b.block != Side::none)
      sets.join(std::uint32_t(contact.a.block), std::uint32_t(contact.b.block));
  Islands islands;
  std::vector<std::uint32_t> count(problem.blocks.size() + 1, 0), name(problem.blocks.size(), 0);
  for (std::uint32_t i = 0; i < problem.size(); ++i) {
    const std::int32_t block = any_block(problem.contacts[i]);
    if (block == Side::none)
      islands.immovable.push_back(i);
    else
      ++count[sets.find(std::uint32_t(block))];
  }
  islands.starts.assign(1, 0);
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    if (count[b] == 0) continue;
    name[b] = std::uint32_t(islands.size());
    islands.starts.push_back(islands.starts.back() + count[b]);
  }
  islands.contacts.resize(islands.starts.back());
  std::vector<std::uint32_t> next(islands.starts.begin(), islands.starts.end() - 1);
  for (std::uint32_t i = 0; i < problem.size(); ++i) {
    const std::int32_t block = any_block(problem.contacts[i]);
    if (block != Side::none) islands.contacts[next[name[sets.find(std::uint32_t(block))]]++] = i;
  }
  return islands;
}

}  // namespace tendril::contact
