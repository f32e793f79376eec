// The super-helix that passes closest to a drawn polyline (docs/theory/superhelix.md, "Drawn shapes").
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tendril/rods/superhelix/partition.hpp"

namespace tendril::superhelix {

// Lengths along a smooth curve through the points: between two of them lies an arc of a circle, not its chord (Eq. 18).
std::vector<double> smooth_arc_lengths(std::span<const Eigen::Vector3d> points);

struct Fit {
  std::vector<double> q;  // [1/m]
  Eigen::Matrix3d root;   // frame at the root: its tangent need not be that of the first edge
  double largest = 0.0;   // [m], distance of a drawn vertex from its place on the helix
  double mean = 0.0;      // [m], root of the mean square of the same
};

// `lengths` are those of the points; `frame` (m1, m2, t) belongs to the first edge.
Fit fit_polyline(const Partition& partition, std::span<const Eigen::Vector3d> points, std::span<const double> lengths,
                 const Eigen::Matrix3d& frame);

}  // namespace tendril::superhelix
