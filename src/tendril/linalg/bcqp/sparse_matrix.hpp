// A sparse symmetric matrix and its LDLᵀ: Eigen's, in the order of approximate minimum degree.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "tendril/linalg/bcqp/matrix.hpp"
#include "tendril/linalg/bcqp/sparse_factor.hpp"

namespace tendril::bcqp {

class SparseMatrix final : public Matrix {
 public:
  // diag(scale) A diag(scale), from the lower triangle of A, which must have all entries of the diagonal.
  void load(const Eigen::SparseMatrix<double>& a, const Vector& scale);

  void multiply(const Vector& x, Vector& y) override;
  void multiply_absolute(const Vector& x, Vector& y) override;
  double row_times(Index row, const Vector& x) const override;
  void copy_lower(SparseFactor& out) const override;
  void solve(const Vector& free, const Vector& r, Vector& z) override { factor_.solve(free, r, z); }

 private:
  using Sparse = Eigen::SparseMatrix<double>;

  bool compute_factor(const Vector& added, const Vector& free) override;
  bool pivots_are_positive() const;
  void copy_factor();

  Sparse full_;   // both triangles, so that a column is a row
  Sparse lower_;  // what was factorised last
  Eigen::SimplicialLDLT<Sparse> ldlt_;
  SparseFactor factor_;
};

}  // namespace tendril::bcqp
