// What holds a strand, and which ones statics alone decides.
#pragma once

#include <cstddef>

#include "tendril/rods/der/strands.hpp"

namespace tendril::sagfree {

// Clamped at its root and free everywhere else: stresses follow from the load, whatever the stiffness, and the sweep
// finds them.
inline bool is_determinate(const der::Strands& strands, std::size_t strand) {
  const der::Clamps& clamps = strands.clamps(strand);
  return clamps.root != der::Clamp::free && clamps.tip == der::Clamp::free && strands.holds_of(strand).empty();
}

inline bool is_held(const der::Strands& strands, std::size_t strand) {
  const der::Clamps& clamps = strands.clamps(strand);
  return clamps.root != der::Clamp::free || clamps.tip != der::Clamp::free || !strands.holds_of(strand).empty();
}

}  // namespace tendril::sagfree
