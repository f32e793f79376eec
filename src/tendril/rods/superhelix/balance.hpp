// Rest shapes with which super-helices are in stable equilibrium where they are (docs/theory/superhelix.md, "Balance").
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/rods/superhelix/strands.hpp"

namespace tendril::superhelix {

struct Balance {
  double before = 0.0, after = 0.0;  // net force, over the load at the lever of the strand's length
  double stiffness_factor = 1.0;     // that makes the equilibrium stable
  bool stable = true;
};

// K (q - rest) = gravity and loads, where K is diagonal. A strand whose equilibrium is not stable becomes stiffer,
// twice as stiff at a time, and its rest shape follows.
std::vector<Balance> balance(State state, const Eigen::Vector3d& gravity, Strands& strands);

}  // namespace tendril::superhelix
