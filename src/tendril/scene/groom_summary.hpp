// What a groom is like, in numbers: for `tendril info` and for whoever has to choose a unit.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "tendril/io/groom.hpp"

namespace tendril {

struct Spread {
  double least = 0.0, median = 0.0, most = 0.0;
};

struct GroomSummary {
  std::size_t strands = 0, points = 0;
  std::size_t fewest_points = 0, most_points = 0;                                 // of a strand
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();  // of finite points
  Spread length, segment;                                                         // in the groom's unit
  Spread turning;                                                                 // [rad], of a strand from root to tip
  double sharpest_joint = 0.0;                                                    // [rad]
  GroomRepairs degenerate;                                                        // what repair() would mend
  std::size_t duplicates = 0;  // strands that are point by point like an earlier one
};

GroomSummary summarise(const Groom& groom);

}  // namespace tendril
