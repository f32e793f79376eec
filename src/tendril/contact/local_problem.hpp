// One contact with all others held: u = w r + b.
#pragma once

#include <Eigen/Core>

namespace tendril::contact {

struct LocalProblem {
  Eigen::Matrix3d w;  // [1/kg], symmetric, positive semidefinite
  Eigen::Vector3d b;  // [m/s]
  double mu;
};

}  // namespace tendril::contact
