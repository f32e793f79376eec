// Knows the contacts of the last step again, so that impulses, normals and sides carry over (docs/theory/collide.md,
// Tracking). Two contacts are the same if they join the same strands, or the same strand and body, and lie within one
// edge of each other on both; the nearest ones are paired first, each once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/collide/contact.hpp"

namespace tendril::collide {

// For every contact of `now` the index of the same contact in `last`, or `nobody`. Both are in contact_order.
void match_contacts(std::span<const Contact> last, std::span<const Contact* const> now,
                    std::vector<std::uint32_t>& match);

// The last step's contacts, asked for normals where centre lines coincide. Keeps no copy.
class LastContacts {
 public:
  LastContacts() = default;
  explicit LastContacts(std::span<const Contact> last) : contacts_(last) {}  // in contact_order

  // The normal of the nearest contact of the two strands within one edge; the side of their nearest one anywhere.
  NormalMemory remember(const StrandPoint& a, const StrandPoint& b) const;

 private:
  std::span<const Contact> contacts_;
};

}  // namespace tendril::collide
