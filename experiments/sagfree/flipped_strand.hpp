// A horizontal strand, and the same strand with its material frames turned by half a turn at every second edge: a good
// measure of curvature cannot tell them apart (figures 2 and 3).
#pragma once

#include "experiments/sagfree/scenes.hpp"

namespace tendril::experiments::sagfree {

struct FlippedStrand {
  der::Curvature curvature = der::Curvature::four;
  double modulus = 1e9;  // [Pa] of bending and twisting
  bool flipped = true;
};

Motion motion_of(const FlippedStrand& strand);

}  // namespace tendril::experiments::sagfree
