// What a strand does to what holds it, and what goes on inside it: for engineers and probes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/rods/der/rod.hpp"

namespace tendril::der {

struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // [N] by the clamp on the strand
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  // [N m] about the clamped end vertex
};

struct Reactions {
  Wrench root, tip;  // zero where there is no clamp
  // Along the strand, indexed by the user's vertices (see description.hpp).
  std::vector<double> tension;          // [N] per edge
  std::vector<Eigen::Vector3d> moment;  // [N m] per joint: (towards m1, towards m2, twisting)
  std::vector<double> bend_radius;      // [m] per joint, of the circle through its two edges; infinite: straight
  std::vector<Eigen::Vector4d> holds;   // per vertex: force [N] and torque [N m] by single holds
};

// From the elastic forces, gravity and loads at this pose; the inertia of the held vertices themselves is not in it.
Reactions reactions(const Strands& strands, const Targets& targets, const State& state, std::size_t strand,
                    const Eigen::Vector3d& gravity);

}  // namespace tendril::der
