// The part of a chain between two held points (docs/theory/chain.md, "Between two held points"): whether its links can
// reach from one to the other, the shape they get if not, and the closest one if they can.
#pragma once

#include <span>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

// [m] What the links of lengths l can do between two points d apart. `l` positive; a single one is to be d long.
Status reach(double d, std::span<const double> l);
// Likewise of links that may be shorter than l.
Status reach_at_most(double d, std::span<const double> l);

// An arc of a circle through a and b, links from a to b in order; it bends towards `towards`. Only where they reach.
void place_on_arc(const Vector3d& a, const Vector3d& b, std::span<const double> l, const Vector3d& towards,
                  std::span<Vector3d> x);

// Writes the points and multipliers of the run.
Outcome project_between(const Chains& chains, const Run& run, const Options& options, std::span<Vector3d> positions,
                        std::span<double> multipliers);

}  // namespace tendril::chain
