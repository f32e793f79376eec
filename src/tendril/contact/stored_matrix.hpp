// 1 + W D, factorised, for problems that come as W: what Newton's method in the velocities solves with where no block
// is there to be inverted (docs/theory/contact.md, "The Newton matrix").
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/linalg/block_lu.hpp"

namespace tendril::contact {

class StoredMatrix {
 public:
  explicit StoredMatrix(const ExplicitDelassus& system);

  static bool is_definite() { return true; }  // nothing is inverted beforehand

  // D: 3 x 3 per contact. False: a pivot is zero or not finite.
  [[nodiscard]] bool factorise(const std::vector<Eigen::Matrix3d>& d);
  double operations() const { return lu_.operations(); }  // multiplications of a factorisation
  // dv := (1 + W D)^-1 change, and the energy of the change; three numbers per contact.
  double solve(const double* change, double* dv);
  // Sum of rho_i |change_i|^2.
  double energy(const double* change) const;

 private:
  const ExplicitDelassus& system_;
  const std::vector<double> scales_;
  const std::vector<std::uint32_t> place_;  // of each contact in the factorisation
  BlockLu lu_;
  std::vector<double> right_;
};

}  // namespace tendril::contact
