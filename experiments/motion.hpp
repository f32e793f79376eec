// Strands in motion, for experiments and benchmarks: 240 steps a second, one Newton iteration each.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "tendril/rods/der/stepper.hpp"

namespace tendril::experiments {

struct Motion {
  der::Strands strands;
  der::State state, trial;
  der::Targets targets;
  der::StepWorkspace work;
  der::StepOptions options;
  int steps = 0;  // that were done

  explicit Motion(der::Strands made, const Eigen::Vector3d& gravity = {0.0, -9.81, 0.0});

  double time() const { return steps * options.dt; }  // [s]
  // `drive`: where the clamps are at a time; empty: where they were.
  void run(int more, const std::function<der::Drive(double time)>& drive = {});
  std::vector<Eigen::Vector3d> positions() const;
};

// The drive of roots that are shaken to and fro along a direction, for some time.
std::function<der::Drive(double time)> shake(const Eigen::Vector3d& amplitude, double frequency, double seconds);

double largest_distance(const std::vector<Eigen::Vector3d>& a, const std::vector<Eigen::Vector3d>& b);

}  // namespace tendril::experiments
