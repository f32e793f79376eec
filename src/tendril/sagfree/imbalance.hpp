// The net force of strands at a pose over the load that they carry.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/rods/der/strands.hpp"

namespace tendril::sagfree {

// Gravity and the group's loads, nothing that moves.
der::StepTerms static_terms(const Eigen::Vector3d& gravity, const der::Strands::Group& group);

// Per strand, over its free unknowns; a torque counts as a force with the whole strand as its lever. Without a load the
// net force is taken over what the strand weighs on earth.
std::vector<double> imbalances(const der::Strands& strands, const Eigen::Vector3d& gravity, const der::State& state);

}  // namespace tendril::sagfree
