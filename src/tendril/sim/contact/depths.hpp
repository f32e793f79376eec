// How deep vertices are in bodies: what has been there from the start may be there, less and less
// (docs/theory/coupling.md, "Starts in overlap").
#pragma once

#include <cstddef>
#include <span>

#include "tendril/collide/contact.hpp"
#include "tendril/sim/contact/memory.hpp"
#include "tendril/sim/contact/step_contacts.hpp"
#include "tendril/sim/contact/step_motion.hpp"

namespace tendril {

// Of vertices, and of the insides of edges, at the start of a step, by its contacts with bodies: `next` has how deep
// they may be at its end.
void note_depths(const StepMotion& motion, std::span<const collide::Contact> with_bodies, const ContactMemory& last,
                 ContactMemory& next, StepContacts& report);

// [m], that the segment which begins at vertex v may be in a body: its ends no deeper than they have been, and what is
// between them no deeper than it has been, or than they are.
double allowed_depth(const ContactMemory& depths, std::size_t v, double along);

}  // namespace tendril
