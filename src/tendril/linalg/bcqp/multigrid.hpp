// Algebraic multigrid by smoothed aggregation, as a preconditioner on a face (docs/theory/box-qp.md, Eq. 13): one
// V-cycle whose finest level sees only F. For comparison: near the matrices of strands it is far behind `ic`.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <vector>

#include "tendril/linalg/bcqp/preconditioner.hpp"
#include "tendril/linalg/bcqp/sparse_factor.hpp"

namespace tendril::bcqp {

class Multigrid final : public FacePreconditioner {
 public:
  bool prepare(Matrix& matrix) override;
  void apply(const Vector& free, const Vector& r, Vector& z) override;

 private:
  using Sparse = Eigen::SparseMatrix<double>;

  struct Level {
    Sparse a, prolongation;  // to this level from the next coarser one; none on the coarsest
    Vector smoother;         // ω / diagonal
    Vector all;              // a mask that masks nothing
    Vector right, found, residual, correction;
  };

  bool add_level(Sparse a);
  void cycle(std::size_t level, const Vector& mask, const Vector& r, Vector& z);

  SparseFactor lower_;
  std::vector<Level> levels_;
  Eigen::LLT<Eigen::MatrixXd> coarsest_;
};

}  // namespace tendril::bcqp
