// Polylines with equal segments. A curve given by close samples is walked with a pair of compasses: each vertex is the
// next point of the curve at one fixed distance from the vertex before. So all segments are equal to round-off, and the
// length of the polyline, which is what a simulation sees, is exactly what was asked for.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace tendril {

// `vertices` points (>= 2) with the distance `chord` from one to the next, from the first sample on. A curve that is
// too short goes on straight. Appended to `out`.
void walk_with_chord(std::span<const Eigen::Vector3d> samples, double chord, std::size_t vertices,
                     std::vector<Eigen::Vector3d>& out);

// The chord with which `vertices` points take the walk from the first sample to the last one.
double fitting_chord(std::span<const Eigen::Vector3d> samples, std::size_t vertices);

}  // namespace tendril
