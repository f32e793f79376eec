// The symmetric matrix as the solvers see it: they do not know whether it is banded or sparse.
//
// `free` is a face of the box as a vector of 0 and 1: 1 where the entry is free to move. F is the set of these entries.
#pragma once

#include <Eigen/Core>

namespace tendril::bcqp {

using Eigen::Index;
using Vector = Eigen::VectorXd;
struct SparseFactor;

class Matrix {
 public:
  virtual ~Matrix() = default;

  Index size() const { return diagonal_.size(); }
  const Vector& diagonal() const { return diagonal_; }

  virtual void multiply(const Vector& x, Vector& y) = 0;           // y = A x
  virtual void multiply_absolute(const Vector& x, Vector& y) = 0;  // y = |A| |x|, entry by entry
  virtual double row_times(Index row, const Vector& x) const = 0;  // (A x)_row

  // The entries below the diagonal that are not zero, and the diagonal; in the order of A.
  virtual void copy_lower(SparseFactor& out) const = 0;

  // LDLᵀ of A + diag(added) with the rows and columns off F replaced by those of the identity. False, and no factor, if
  // a pivot is not above 1e-14 of its diagonal entry.
  [[nodiscard]] bool factorise(const Vector& added, const Vector& free) {
    ++factorisations_;
    return compute_factor(added, free);
  }
  int factorisations() const { return factorisations_; }  // since it was loaded

  // z = (L_FF D_F L_FFᵀ)⁻¹ r_F on F, 0 elsewhere: substitution that skips what is not free (docs/theory/box-qp.md, Eq.
  // 9). It solves the system if the factor was made with the same `free`; r off F is not read.
  virtual void solve(const Vector& free, const Vector& r, Vector& z) = 0;

 protected:
  static constexpr double least_pivot = 1e-14;  // of the diagonal entry; below, the digits of the pivot are round-off

  virtual bool compute_factor(const Vector& added, const Vector& free) = 0;

  Vector diagonal_;
  int factorisations_ = 0;
};

}  // namespace tendril::bcqp
