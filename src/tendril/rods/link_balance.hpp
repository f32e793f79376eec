// Tensions of the links of a strand that balance forces on its vertices best: what links that keep their lengths may
// exert is theirs to give, and what is left tells how far a state is from balance.
#pragma once

#include <Eigen/Core>
#include <span>

namespace tendril {

// Least squares over the free components (1; held ones 0) of all vertices; `along` are the unit tangents of links, from
// vertex k to k + 1. Forces become what is left of them. Positive tensions pull. Those of a straight
// run between held points, which could be any, are not numbers; forces are balanced all the same.
void balance_links(std::span<const Eigen::Vector3d> free, std::span<const Eigen::Vector3d> along,
                   std::span<Eigen::Vector3d> forces, std::span<double> tensions);

}  // namespace tendril
