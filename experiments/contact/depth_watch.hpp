// Watches from outside how deep vertices are in the colliders of a simulation, by distances of its positions alone.
#pragma once

#include <cstddef>
#include <vector>

#include "tendril/sim/simulation.hpp"

namespace tendril::experiments {

class DepthWatch {
 public:
  // The start of the simulation. Of clamped strands the first two vertices do not count: nothing moves them.
  explicit DepthWatch(const Simulation& simulation);
  void look(const Simulation& simulation);

  std::size_t inside_start = 0, inside_now = 0;   // vertices that have been inside from the start
  double deepest_start = 0.0, deepest_now = 0.0;  // [m], of these
  double growth = 0.0;                            // [m], that one of these was deeper by than it had been
  std::size_t grown = 0;                          // vertices of these that were deeper by more than a micrometre
  double deepest_outside = 0.0;                   // [m], of those that had been outside
  std::size_t pierced = 0;                        // of those, vertices that were ever deeper than 0.1 mm

 private:
  std::vector<double> depths(const Simulation& simulation) const;  // [m], negative outside

  std::vector<double> allowed_;  // [m], least depth so far; 0: outside
  std::vector<char> counts_, grew_, pierced_;
};

}  // namespace tendril::experiments
