// The whole groom at some state: simulated strands, and those that guides carry.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "tendril/sim/world.hpp"

namespace tendril {

// Thrown away and made again at any time.
struct GroomScratch {
  GuidePose guides;
  FollowerScratch followers;
  std::vector<Eigen::Vector3d> roots;
  std::vector<double> thetas;
};

// Positions of part i, in the order of its groom().
void gather_groom(const World& world, std::size_t i, const WorldState& state, GroomScratch& scratch,
                  std::span<Eigen::Vector3d> out);

// Where the last step began, and how long it took.
struct LastStep {
  const WorldState* before = nullptr;  // null: nothing has moved yet
  double dt = 0.0;                     // [s]
};

// Velocities: those of simulated strands as they are; what is carried has come to `positions` in the last step.
void gather_groom_velocities(const World& world, std::size_t i, const LastStep& last, const WorldState& state,
                             std::span<const Eigen::Vector3d> positions, GroomScratch& scratch,
                             std::span<Eigen::Vector3d> out);

}  // namespace tendril
