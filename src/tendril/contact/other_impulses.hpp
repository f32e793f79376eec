// The impulse of a contact that has no closed form: joints, W that is nearly singular, and local solvers to compare
// with. Called from several threads at once; only counts are shared.
#pragma once

#include <atomic>

#include "tendril/contact/local_factor.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// False: W is too near to singular for its closed form.
bool factorise(const Eigen::Matrix3d& w, double mu, LocalFactor& factor);

struct OtherImpulses {
  const Options& options;
  double tolerance;  // [m/s] of local solves
  std::atomic<std::size_t> rescued = 0, unsolved = 0;

  Eigen::Vector3d solve(const Eigen::Matrix3d& w, Law law, double mu, const Eigen::Vector3d& b,
                        const Eigen::Vector3d& old);
};

}  // namespace tendril::contact
