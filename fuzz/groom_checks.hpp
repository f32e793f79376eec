// What must hold for every groom that a reader accepts.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "tendril/io/groom.hpp"

namespace tendril::fuzz {

inline void require(bool good) {
  if (!good) std::abort();
}

// All numbers belong to a strand, and all strands have their numbers.
inline void check(const Groom& groom) {
  const Curves& curves = groom.curves;
  require(!curves.offsets.empty() && curves.offsets.front() == 0 && curves.offsets.back() == curves.points.size());
  for (std::size_t s = 0; s < curves.strands(); ++s) require(curves.offsets[s] <= curves.offsets[s + 1]);
  require(groom.radius.empty() || groom.radius.size() == curves.points.size());
  for (const GroomAttribute& attribute : groom.attributes)
    require(attribute.components >= 1 &&
            attribute.values.size() ==
                std::size_t(attribute.components) * (attribute.per_vertex ? curves.points.size() : curves.strands()));
}

// Once mended, every strand is a curve, and there is nothing more to mend.
inline void check_repair(Groom& groom) {
  repair(groom, 0.0);
  check(groom);
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    require(groom.curves.vertices(s) >= 2);
    for (std::size_t i = 1; i < groom.curves.vertices(s); ++i)
      require((groom.curves.strand(s)[i] - groom.curves.strand(s)[i - 1]).norm() > 0.0);
  }
  require(!repair(groom, 0.0).any());
}

}  // namespace tendril::fuzz
