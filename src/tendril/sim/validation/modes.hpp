// Small vibrations of a straight strand, where displacements along, across and about it do not mix.
#pragma once

#include <Eigen/Core>

#include "tendril/sim/validation/specimen.hpp"

namespace tendril::validation {

enum class Motion : int { along = 0, across = 1, about = 3 };  // x, y, twist angle of a strand along x

struct Modes {
  Eigen::VectorXd frequencies;  // [rad/s], rising; rigid motions have frequency 0
  Eigen::MatrixXd shapes;       // column per mode, row per vertex (edges for twist) of the user; 0 where held
};

// Of the generalised eigenproblem (exact Hessian, lumped masses) at the pose, which must be an equilibrium.
Modes modes(const Specimen& specimen, Motion motion);

}  // namespace tendril::validation
