// The strands that the figures share: 30 vertices, 0.3 m, radius 0.2 mm, gravity along -z.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "tendril/rods/der/stepper.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"

namespace tendril::experiments::sagfree {

inline const Eigen::Vector3d down(0.0, 0.0, -9.81);

// Straight, with the same modulus for stretching, bending and twisting.
der::Description straight_strand(const Eigen::Vector3d& along, double modulus, std::size_t vertices = 30);

// A strand in motion at 240 steps a second, one Newton iteration each.
struct Motion {
  der::Strands strands;
  der::State state, trial;
  der::Targets targets;
  der::StepWorkspace work;
  der::StepOptions options;

  explicit Motion(der::Strands made);
  void run(int steps, const std::function<der::Drive(double time)>& drive = {});
  std::vector<Eigen::Vector3d> positions() const;
  Eigen::Vector3d tip() const { return positions().back(); }
};

// Largest displacement of a vertex after a second from rest.
double drift(const der::Strands& strands);

}  // namespace tendril::experiments::sagfree
