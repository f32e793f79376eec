// Hairstyles on an ellipsoid head. Roots lie on the scalp, quasi-uniformly (a spherical Fibonacci lattice with jitter).
// From each a centreline grows: it leaves along the normal, turns towards where the style wants it (mostly down) within
// a few centimetres, and slides over the head instead of entering it. Strands near each other then draw together into
// locks, take their curl or wave, stray a little, and are cut to length in equal segments.
#pragma once

#include <cstdint>

#include "tendril/scene/generator.hpp"

namespace tendril {

// Part of the head that bears hair: `direction` is a point of the head, relative to its centre and radii (a unit
// vector).
bool on_scalp(const Head& head, const Eigen::Vector3d& direction);

// Distance from the head, negative inside; exact on the surface and good to a few percent near it.
double head_distance(const Head& head, const Eigen::Vector3d& point);

Curves generate_hair(const GeneratorOptions& options, std::uint64_t seed);

}  // namespace tendril
