// Forces and energies of strands that stand or move.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tendril/rods/der/energies.hpp"
#include "tendril/rods/superhelix/shape.hpp"
#include "tendril/rods/superhelix/strands.hpp"

namespace tendril::superhelix {

// out += generalised force of the dead loads on one strand.
void add_loads(const Strands& strands, std::size_t strand, std::span<const Piece> pieces, std::span<double> out);

// Elastic force, gravity and loads on the unknowns of one strand that stands still.
std::vector<double> static_force(const Strands& strands, const State& state, std::size_t strand,
                                 const Eigen::Vector3d& gravity);

der::Energies strand_energies(const Strands& strands, const State& state, std::size_t strand,
                              const Eigen::Vector3d& gravity);
// Of all strands together, summed in a fixed order; `stretch` is zero.
der::Energies total_energies(const Strands& strands, const Eigen::Vector3d& gravity, const State& state);

}  // namespace tendril::superhelix
