#include "tendril/sim/contact/geometry.hpp"

#include <algorithm>

namespace tendril {

// A section that is not round counts with its larger semi-axis.
StrandGeometry::StrandGeometry(const World& world) : offsets(1, 0) {
  for (std::uint32_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    const der::Description& d = strands.description();
    for (std::size_t s = 0; s < strands.size(); ++s) {
      const std::size_t begin = d.curves.offsets[s], count = strands.vertices(s);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t e = begin + std::min(k, count - 2);  // the tip has no edge of its own
        radius.push_back(std::max(d.semi_axis1[e], d.semi_axis2[e]));
      }
      offsets.push_back(offsets.back() + std::uint32_t(count));
      part.push_back(i);
    }
  }
  positions.resize(radius.size());
}

void StrandGeometry::set_positions(const World& world, const WorldState& state) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const std::size_t count = world.parts[i].strands.vertex_count();
    der::gather_positions(world.parts[i].strands, state.parts[i], std::span(positions).subspan(at, count));
    at += count;
  }
}

}  // namespace tendril
