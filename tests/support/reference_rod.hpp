// A rod as the reference files describe it: parameters, pose with frames, and velocities.
#pragma once

#include <nlohmann/json.hpp>

#include "tendril/rods/der/stepper.hpp"

namespace tendril::der::support {

struct ReferenceRod {
  Strands strands;
  State state;
  StepOptions options;  // with its gravity
};

ReferenceRod reference_rod(const nlohmann::json& rod, Curvature curvature, Isa isa);

}  // namespace tendril::der::support
