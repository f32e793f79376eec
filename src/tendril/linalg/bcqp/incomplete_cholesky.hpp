// Preconditioners of the form (L D Lᵀ)⁻¹ with L on the pattern of A: SSOR and incomplete Cholesky, plain and modified.
#pragma once

#include "tendril/linalg/bcqp/preconditioner.hpp"
#include "tendril/linalg/bcqp/sparse_factor.hpp"

namespace tendril::bcqp {

// ω = 1.2 (docs/theory/box-qp.md, Eq. 11).
class Ssor final : public FacePreconditioner {
 public:
  bool prepare(Matrix& matrix) override;
  void apply(const Vector& free, const Vector& r, Vector& z) override { factor_.solve(free, r, z); }

 private:
  SparseFactor factor_;
};

// `kept` is the share of the dropped products that goes to the diagonals (docs/theory/box-qp.md, Eq. 12).
class IncompleteCholesky final : public FacePreconditioner {
 public:
  explicit IncompleteCholesky(double kept) : kept_(kept) {}
  bool prepare(Matrix& matrix) override;
  void apply(const Vector& free, const Vector& r, Vector& z) override { factor_.solve(free, r, z); }

 private:
  void eliminate(std::size_t column);
  void subtract_from_column(std::size_t at, std::size_t end, double factor);

  double kept_;
  SparseFactor factor_;
};

}  // namespace tendril::bcqp
