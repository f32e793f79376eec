#include "tendril/contact/islands.hpp"

#include "tendril/contact/disjoint_sets.hpp"

namespace tendril::contact {
namespace {

std::int32_t any_block(const Contact& contact) {
  return contact.a.block != Side::none ? contact.a.block : contact.b.block;
}

// An island for each set that has contacts, in the order of their first members. member_of(i): one of the members that
// contact i touches, or Side::none.
template <class Member>
Islands islands_by_sets(std::size_t contacts, DisjointSets& sets, const Member& member_of) {
  Islands islands;
  std::vector<std::uint32_t> count(sets.size(), 0), name(sets.size(), 0);
  for (std::uint32_t i = 0; i < contacts; ++i) {
    const std::int32_t member = member_of(i);
    if (member == Side::none)
      islands.immovable.push_back(i);
    else
      ++count[sets.find(std::uint32_t(member))];
  }
  islands.starts.assign(1, 0);
  for (std::size_t set = 0; set < count.size(); ++set) {
    if (count[set] == 0) continue;
    name[set] = std::uint32_t(islands.size());
    islands.starts.push_back(islands.starts.back() + count[set]);
  }
  islands.contacts.resize(islands.starts.back());
  std::vector<std::uint32_t> next(islands.starts.begin(), islands.starts.end() - 1);
  for (std::uint32_t i = 0; i < contacts; ++i) {
    const std::int32_t member = member_of(i);
    if (member != Side::none) islands.contacts[next[name[sets.find(std::uint32_t(member))]]++] = i;
  }
  return islands;
}

}  // namespace

Islands islands_of(const Problem& problem) {
  DisjointSets blocks(problem.blocks.size());
  for (const Contact& contact : problem.contacts)
    if (contact.a.block != Side::none && contact.b.block != Side::none)
      blocks.join(std::uint32_t(contact.a.block), std::uint32_t(contact.b.block));
  return islands_by_sets(problem.size(), blocks, [&](std::uint32_t i) { return any_block(problem.contacts[i]); });
}

Islands islands_of(const ExplicitDelassus& system) {
  DisjointSets contacts(system.size());
  std::vector<char> is_moved(system.size(), 0);
  for (std::uint32_t i = 0; i < system.size(); ++i)
    system.for_row(i, [&](std::uint32_t j, const Eigen::Matrix3d& block) {
      if (block.isZero(0.0)) return;
      is_moved[i] = 1;
      contacts.join(i, j);
    });
  return islands_by_sets(system.size(), contacts,
                         [&](std::uint32_t i) { return is_moved[i] != 0 ? std::int32_t(i) : Side::none; });
}

}  // namespace tendril::contact
