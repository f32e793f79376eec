// Second derivatives of the potential of dead loads on one strand (docs/theory/superhelix.md, Eq. 23): gravity and
// forces turn with nothing, so a strand that bends under them is stiffer or softer than its elasticity. For statics and
// stability; a step in time takes loads as they are at its start.
#pragma once

#include <Eigen/Core>
#include <span>

#include "tendril/rods/superhelix/shape.hpp"

namespace tendril::superhelix {

// A dead force at a share of the length.
struct PointForce {
  double share;
  Eigen::Vector3d force;  // [N]
};

// matrix (unknowns x unknowns) += minus the sum of force times the second derivative of its point.
void add_load_stiffness(const Partition& partition, std::span<const Piece> pieces, double length,
                        std::span<const PointForce> forces, Eigen::MatrixXd& matrix);

}  // namespace tendril::superhelix
