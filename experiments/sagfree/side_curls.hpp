// Curls that leave the head sideways and then hang down as a helix: their weight has a long lever at the root, so that
// soft ones need more rest curvature than bounds allow.
#pragma once

#include <cstddef>

#include "tendril/rods/curves.hpp"

namespace tendril::experiments::sagfree {

// About 0.25 m long, 40 to 60 vertices; y is up. No two are the same.
Curves side_curls(std::size_t count);

}  // namespace tendril::experiments::sagfree
