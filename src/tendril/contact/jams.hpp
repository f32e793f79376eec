// Contacts that cannot be kept apart: a body that the scene moves presses them against what cannot give way
// (docs/theory/contact.md, "Jams"). Impulses on them grow as long as a solver goes on.
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// Those whose impulse exceeds 1000 times what would stop the largest free velocity, and which still approach. `speed`:
// that velocity [m/s]. Caps the impulses of these, by length.
std::size_t cap_jams(const NodeSpace& space, double speed, Impulses& r);
std::size_t cap_jams(const ExplicitDelassus& system, double speed, Impulses& r);

}  // namespace tendril::contact
