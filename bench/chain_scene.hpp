// Steps of scenes with straight hair that is shaken and touches nothing, by the strand model: what a point costs.
#pragma once

#include <cstddef>
#include <memory>

#include "tendril/sim/step.hpp"

namespace tendril::bench {

class HairScene {
 public:
  // `model` as in scenes; so many strands of so many points, with joints that resist bending; steps a second.
  HairScene(const char* model, int strands, int points, int rate);

  void step(int count);
  std::size_t points() const { return world_.vertex_count(); }
  // The largest | |z| / l - 1 | of a link.
  double stretch();

 private:
  World world_;
  WorldState state_;
  WorldWorkspace work_;
};

}  // namespace tendril::bench
