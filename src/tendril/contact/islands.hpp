// Contacts that can feel each other: joined by chains of blocks that they share, or of entries of W
// (docs/theory/contact.md, "Islands"). Each island is a problem by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

struct Islands {
  std::vector<std::uint32_t> contacts;   // island after island, in the order of the problem
  std::vector<std::uint32_t> starts;     // of each island in `contacts`, and the end
  std::vector<std::uint32_t> immovable;  // contacts without a block on either side, or an entry of W

  std::size_t size() const { return starts.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t island) const {
    return std::span(contacts).subspan(starts[island], starts[island + 1] - starts[island]);
  }
};

Islands islands_of(const Problem& problem);
Islands islands_of(const ExplicitDelassus& system);

}  // namespace tendril::contact
