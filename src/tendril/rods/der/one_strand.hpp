// Reading and writing one strand of a State in the user's order, for models that take some strands out of their lanes.
#pragma once

#include "tendril/rods/der/strands.hpp"

namespace tendril::der {

// A vector of its points, from current or previous streams; `out` is that of all vertices.
void gather_strand(const Strands& strands, std::size_t strand, const GroupStreams& streams, int component,
                   std::span<Eigen::Vector3d> out);

// As show() does it, of one strand or of what is in one lane; the arrays are those of all vertices.
void show_strand(const Strands& strands, std::size_t strand, std::span<const Eigen::Vector3d> positions,
                 std::span<const Eigen::Vector3d> velocities, std::span<const Eigen::Vector3d> directors, State& state);
void show_lane(const Strands& strands, std::size_t group, std::size_t lane, std::span<const Eigen::Vector3d> positions,
               std::span<const Eigen::Vector3d> velocities, std::span<const Eigen::Vector3d> directors, State& state);

}  // namespace tendril::der
