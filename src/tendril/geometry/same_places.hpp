// Points that lie at the same place to the last bit, as seams of meshes have them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace tendril {

// For each point the lowest one at the same place.
std::vector<std::uint32_t> same_places(std::span<const Eigen::Vector3d> points);

}  // namespace tendril
