// u = W r + b with W stored: 3 x 3 blocks in rows (docs/theory/contact.md, "Two forms of the problem"). For problems
// that come as W.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

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

  // Of some contacts, in rising order, that feel no others.
  ExplicitDelassus part(std::span<const std::uint32_t> some) const;

  // f(other contact, W_ij) for all stored blocks of a row.
  template <class F>
  void for_row(std::size_t contact, const F& f) const {
    for (std::size_t k = starts_[contact]; k < starts_[contact + 1]; ++k) f(columns_[k], values_[k]);
  }

  // Of one contact.
  Eigen::Vector3d velocity(std::size_t contact, const Impulses& r) const {
    Eigen::Vector3d u = b_[contact];
    for (std::size_t k = starts_[contact]; k < starts_[contact + 1]; ++k) u.noalias() += values_[k] * r[columns_[k]];
    return u;
  }

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
  Impulses b_;
};

}  // namespace tendril::contact
