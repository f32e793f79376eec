// u = W r + b with W stored: 3 x 3 blocks in rows (docs/theory/contact.md, "Two forms of the problem"). For problems
// that come as W, and for those with so few contacts that W is smaller than what makes it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

using Impulses = std::vector<Eigen::Vector3d>;  // per contact, in its frame; also velocities

class ExplicitDelassus {
 public:
  // Symmetric within 1e-8 of its largest entry, 3 rows per contact; mu and laws per contact.
  static Result<ExplicitDelassus> create(const Eigen::SparseMatrix<double>& w, const Eigen::VectorXd& b,
                                         std::vector<double> mu, std::vector<Law> laws);
  // W = H M^-1 H^T and b = H M^-1 f + w of a problem whose check() is ok.
  explicit ExplicitDelassus(const Problem& problem);

  std::size_t size() const { return mu_.size(); }
  double mu(std::size_t contact) const { return mu_[contact]; }
  Law law(std::size_t contact) const { return laws_[contact]; }
  const Eigen::Matrix3d& diagonal(std::size_t contact) const { return diagonal_[contact]; }
  std::size_t blocks() const { return columns_.size(); }  // stored ones
  Eigen::SparseMatrix<double> matrix() const;
  Eigen::VectorXd free_velocity() const;  // b

  // For Gauss-Seidel: impulses, then the velocity of a contact under them, and changes to one of them.
  void set_impulses(const Impulses& r) { r_ = r; }
  Eigen::Vector3d velocity(std::size_t contact) const {
    Eigen::Vector3d u = b_[contact];
    for (std::size_t k = starts_[contact]; k < starts_[contact + 1]; ++k) u.noalias() += values_[k] * r_[columns_[k]];
    return u;
  }
  void add_impulse(std::size_t contact, const Eigen::Vector3d& change) { r_[contact] += change; }

  // u = W r + b for all, in parallel.
  void apply(const Impulses& r, Impulses& u) const;

 private:
  ExplicitDelassus() = default;
  void set_matrix(const Eigen::SparseMatrix<double>& w, const Eigen::VectorXd& b);

  std::vector<double> mu_;
  std::vector<Law> laws_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> columns_;
  std::vector<Eigen::Matrix3d> values_, diagonal_;
  Impulses b_, r_;
};

}  // namespace tendril::contact
