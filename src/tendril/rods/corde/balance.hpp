// Rest states with which CoRdE rods are in equilibrium where they were drawn (docs/theory/corde.md, "Balance").
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/rods/corde/strands.hpp"

namespace tendril::corde {

struct Balance {
  double before = 0.0,
         after = 0.0;  // largest net force of a vertex, or torque of an edge over its length, over the load
};

// From the tip to the root: what pulls at an edge gives its rest length and how far its frame leans, what turns it the
// rest turn of the joint before it (Eqs. 10 and 11). Strands that nothing holds stay as they are.
std::vector<Balance> balance(const Eigen::Vector3d& gravity, Strands& strands);

}  // namespace tendril::corde
