// The list of preconditioners, and those of a few lines.
#include "tendril/linalg/bcqp/preconditioner.hpp"

#include <algorithm>

#include "tendril/linalg/bcqp/incomplete_cholesky.hpp"
#include "tendril/linalg/bcqp/multigrid.hpp"
#include "tendril/linalg/bcqp/problem.hpp"

namespace tendril::bcqp {
namespace {

class Identity final : public FacePreconditioner {
 public:
  bool prepare(Matrix&) override { return true; }
  void apply(const Vector&, const Vector& r, Vector& z) override { z = r; }
};

class Diagonal final : public FacePreconditioner {
 public:
  bool prepare(Matrix& matrix) override {
    inverse_ = matrix.diagonal().cwiseInverse();
    return true;
  }
  void apply(const Vector&, const Vector& r, Vector& z) override { z = inverse_.cwiseProduct(r); }

 private:
  Vector inverse_;
};

// Two sweeps from zero: z = ω D⁻¹ (2 r - ω A_FF D⁻¹ r), ω = ½ where that is positive definite (Eq. 10).
class WeightedJacobi final : public FacePreconditioner {
 public:
  bool prepare(Matrix& matrix) override {
    matrix_ = &matrix;
    weights_ = matrix.diagonal().cwiseSqrt().cwiseInverse();
    const double omega = std::min(0.5, 1.9 / eigenvalue_bound(matrix, weights_, product_));
    weights_ = omega * matrix.diagonal().cwiseInverse();
    return true;
  }
  void apply(const Vector& free, const Vector& r, Vector& z) override {
    z = weights_.cwiseProduct(r);
    matrix_->multiply(z, product_);
    z += free.cwiseProduct(weights_).cwiseProduct(r - product_);
  }

 private:
  Matrix* matrix_ = nullptr;
  Vector weights_, product_;
};

// Substitution on the face with the factor of the whole matrix (Eq. 9). A matrix that is not positive definite gets a
// multiple of its diagonal added until the factor exists: it is then still a preconditioner, and it is for the solver
// to meet the negative curvature.
class ActiveSetCholesky final : public FacePreconditioner {
 public:
  bool prepare(Matrix& matrix) override {
    constexpr double first_shift = 1e-12, growth = 100.0, last_shift = 1.0;
    matrix_ = &matrix;
    all_.setOnes(matrix.size());
    for (double shift = 0.0; shift <= last_shift; shift = shift == 0.0 ? first_shift : growth * shift) {
      added_ = shift * matrix.diagonal();
      if (matrix.factorise(added_, all_)) return true;
    }
    return false;
  }
  void apply(const Vector& free, const Vector& r, Vector& z) override { matrix_->solve(free, r, z); }

 private:
  Matrix* matrix_ = nullptr;
  Vector all_, added_;
};

}  // namespace

std::unique_ptr<FacePreconditioner> make_preconditioner(Preconditioner kind) {
  switch (kind) {
    case Preconditioner::none: return std::make_unique<Identity>();
    case Preconditioner::diagonal: return std::make_unique<Diagonal>();
    case Preconditioner::jacobi: return std::make_unique<WeightedJacobi>();
    case Preconditioner::ssor: return std::make_unique<Ssor>();
    case Preconditioner::ic: return std::make_unique<IncompleteCholesky>(0.0);
    case Preconditioner::mic: return std::make_unique<IncompleteCholesky>(0.97);
    case Preconditioner::amg: return std::make_unique<Multigrid>();
    case Preconditioner::asc: return std::make_unique<ActiveSetCholesky>();
  }
  return nullptr;
}

}  // namespace tendril::bcqp
