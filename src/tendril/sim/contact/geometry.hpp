// The simulated strands of a world as detection sees them: polylines, numbered through all parts.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/collide/polylines.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

struct StrandGeometry {
  std::vector<Eigen::Vector3d> positions;
  std::vector<double> radius;
  double largest_radius = 0.0;               // [m]
  std::vector<std::uint32_t> offsets, part;  // per strand
  // Per strand the first one that was drawn at exactly the same place. What lies in each other all along has no side to
  // be pushed to: such strands do not meet.
  std::vector<std::uint32_t> twins;

  explicit StrandGeometry(const World& world);

  void set_positions(const World& world, const WorldState& state);
  collide::Polylines polylines() const { return polylines_at(positions); }
  collide::Polylines polylines_at(std::span<const Eigen::Vector3d> places) const {
    return {places, offsets, radius, {}, twins};
  }
  // From the root (0) to the tip (1), by vertices.
  double share_of_way(const collide::StrandPoint& at) const {
    return at.arc() / double(offsets[at.strand + 1] - offsets[at.strand] - 1);
  }
};

// How many simulated strands were drawn exactly on an earlier one.
std::size_t twin_count(const StrandGeometry& geometry);

}  // namespace tendril
