// The strands that stretched most in any frame of a run, and what they did there: where to look first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tendril/sim/strand_channels.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

struct WorstStrand {
  std::string set;
  std::size_t strand = 0;                              // in the set, among those that are simulated
  int frame = 1;                                       // of its largest stretch
  double stretch = 0.0, curvature = 0.0, speed = 0.0;  // the largest along the strand: [1], [1/m], [m/s]
};

class WorstStrands {
 public:
  explicit WorstStrands(const World& world) : rest_(rest_lengths(world)) {}

  // Takes a further frame into `worst`, which stays sorted and short. The list of two halves of a run is that of the
  // whole: a strand of the final list was in that of the half with its worst frame.
  void update(const World& world, const WorldState& state, int frame, std::vector<WorstStrand>& worst);

 private:
  RestLengths rest_;
  std::vector<Eigen::Vector3d> positions_, velocities_;
  std::vector<double> stretch_;  // per strand of a part
};

}  // namespace tendril
