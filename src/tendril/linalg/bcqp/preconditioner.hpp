// Preconditioners on a face: approximations of (A_FF)⁻¹ for any F, from one preparation of A. Each is symmetric and
// positive definite on every face (docs/theory/box-qp.md, section Preconditioners).
#pragma once

#include <memory>

#include "tendril/linalg/bcqp/bcqp.hpp"
#include "tendril/linalg/bcqp/matrix.hpp"

namespace tendril::bcqp {

class FacePreconditioner {
 public:
  virtual ~FacePreconditioner() = default;

  // The matrix must outlive the calls of apply(). False: there is none for this matrix, which is not positive definite.
  [[nodiscard]] virtual bool prepare(Matrix& matrix) = 0;

  // z = P_F r, 0 off F. r is 0 off F.
  virtual void apply(const Vector& free, const Vector& r, Vector& z) = 0;
};

std::unique_ptr<FacePreconditioner> make_preconditioner(Preconditioner kind);

}  // namespace tendril::bcqp
