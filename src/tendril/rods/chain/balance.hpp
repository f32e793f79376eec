// Rest states with which chains are in equilibrium where they were drawn (docs/theory/chain.md, "Balance").
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/rods/chain/strands.hpp"

namespace tendril::chain {

struct Balance {
  double before = 0.0, after = 0.0;  // largest net force of a vertex over the load; links carry what they can
  double stiffness_factor = 1.0;
  bool is_stable = true;
};

// From the tip to the root (Eqs. 36, 37): tensions take what lies along the links, rests of joints the remainder; links
// that give way get lengths from which tensions stretch them to how they are drawn. A strand whose joints would have to
// be at rest farther than `most` from how they are drawn becomes stiffer, as do those that would buckle. Strands whose
// roots are free stay as they are, and so do limp ones, but for links that give way.
std::vector<Balance> balance(const Eigen::Vector3d& gravity, std::span<const Eigen::Vector3d> drawn, const Clamped& to,
                             double most, Strands& strands);

}  // namespace tendril::chain
