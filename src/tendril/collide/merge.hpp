// The order of contacts, and one contact where detection found several (docs/theory/collide.md, Eq. 8).
#pragma once

#include <span>
#include <vector>

#include "tendril/collide/contact.hpp"
#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

// Contacts are many numbers each: they stay where they are while they are put in order.
using ContactRefs = std::vector<const Contact*>;

ContactRefs refs_to(std::span<const Contact> contacts);

// Puts contacts in contact_order and keeps one of those that join the same strands, or strand and body, at the same
// place: arcs that agree to 1e-6 of an edge. One list after the other, they come grouped by strand A, its number
// increasing. With a spacing, in sums of both radii, also of those closer than that along A and B, going along A: the
// one with the smallest gap.
void merge_contacts(const Polylines& strands, double spacing, std::span<const std::vector<Contact>> lists,
                    ContactRefs& merged);

// Both lists, each in contact_order, as one.
void join_contacts(std::span<const Contact* const> x, std::span<const Contact> y, ContactRefs& both);

}  // namespace tendril::collide
