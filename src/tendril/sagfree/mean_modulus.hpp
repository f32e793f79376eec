// What stiffness is counted in: the theory's s.
#pragma once

#include <cstddef>

#include "tendril/rods/der/description.hpp"

namespace tendril::sagfree {

// [Pa] The mean of all moduli of a strand's free elements, those at its joints; 1 if it has none.
inline double mean_modulus(const der::Description& d, std::size_t strand) {
  double sum = 0.0;
  int count = 0;
  for (std::size_t i = 0; i + 1 < d.curves.vertices(strand); ++i) {
    if (!der::has_joint(d, strand, i)) continue;
    const std::size_t v = d.curves.offsets[strand] + i;
    sum += d.stretch_modulus[v] + d.bend_modulus[v] + d.twist_modulus[v];
    count += 3;
  }
  return count > 0 ? sum / count : 1.0;
}

}  // namespace tendril::sagfree
