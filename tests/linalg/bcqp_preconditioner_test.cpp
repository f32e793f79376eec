// Matrices and preconditioners one by one: against dense algebra, against the reference values, and for what conjugate
// gradients on faces need of them.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>

#include "support/bcqp.hpp"
#include "tendril/linalg/bcqp/band_matrix.hpp"
#include "tendril/linalg/bcqp/preconditioner.hpp"
#include "tendril/linalg/bcqp/sparse_matrix.hpp"

namespace tendril::bcqp {
namespace {

using namespace support;
using Eigen::MatrixXd;

Vector vector(const std::vector<double>& values) { return Vector::Map(values.data(), Index(values.size())); }

Vector random_vector(Random& random, Index n) {
  return Vector::NullaryExpr(n, [&] { return random.normal(); });
}

Vector random_face(Random& random, Index n) {
  return Vector::NullaryExpr(n, [&] { return random.below(3) > 0 ? 1.0 : 0.0; });
}

std::unique_ptr<Matrix> loaded(const Band<double>& a, Storage storage) {
  const Vector ones = Vector::Ones(Index(a.size));
  if (storage == Storage::sparse) {
    auto matrix = std::make_unique<SparseMatrix>();
    matrix->load(sparse(a), ones);
    return matrix;
  }
  auto matrix = std::make_unique<BandMatrix>();
  matrix->load(a, ones);
  return matrix;
}

// A preconditioner on a face as a matrix.
MatrixXd operator_of(FacePreconditioner& preconditioner, const Vector& free) {
  const Index n = free.size();
  MatrixXd out(n, n);
  Vector z(n);
  for (Index j = 0; j < n; ++j) {
    preconditioner.apply(free, free.cwiseProduct(Vector::Unit(n, j)), z);
    out.col(j) = z;
  }
  return out;
}

std::vector<Index> members(const Vector& free) {
  std::vector<Index> out;
  for (Index i = 0; i < free.size(); ++i)
    if (free[i] != 0.0) out.push_back(i);
  return out;
}

class MatrixOf : public testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Storages, MatrixOf, testing::Values(Storage::band, Storage::sparse),
                         [](const auto& test) { return test.param == Storage::band ? "band" : "sparse"; });

TEST_P(MatrixOf, MultipliesAndSolvesLikeADenseOne) {
  for (const std::size_t n : {1, 2, 3, 4, 5, 9, 24, 31})
    for (const std::size_t width : {0, 1, 2, 3, 4, 7, 40}) {
      Random random(width, n);
      const BoxProblem problem = random_problem(random, n, width);
      const MatrixXd a = dense(problem.a);
      const auto matrix = loaded(problem.a, GetParam());
      const Vector x = random_vector(random, Index(n)), added = random_vector(random, Index(n)).cwiseAbs();
      Vector y(n), z(n);
      matrix->multiply(x, y);
      EXPECT_LT((y - a * x).norm(), 1e-13 * (a * x).norm() + 1e-14 * a.norm()) << n << " x " << width;
      for (Index i = 0; i < Index(n); ++i) EXPECT_NEAR(matrix->row_times(i, x), y[i], 1e-13 * a.norm());
      matrix->multiply_absolute(x, y);
      EXPECT_LT((y - a.cwiseAbs() * x.cwiseAbs()).norm(), 1e-13 * y.norm());

      const Vector free = random_face(random, Index(n));
      ASSERT_TRUE(matrix->factorise(added, free));
      matrix->solve(free, x, z);
      const std::vector<Index> f = members(free);
      const MatrixXd part = MatrixXd(a + MatrixXd(added.asDiagonal()))(f, f);
      EXPECT_LT((part * z(f) - x(f)).norm(), 1e-11 * x.norm()) << n << " x " << width;
      EXPECT_EQ(z.cwiseProduct(Vector::Ones(Index(n)) - free).norm(), 0.0);
    }
}

TEST_P(MatrixOf, RefusesToFactoriseWhatIsNotPositive) {
  Random random(1);
  BoxProblem problem = random_problem(random, 9, 3);
  problem.a.at(6, 6) = -1.0;
  const auto matrix = loaded(problem.a, GetParam());
  const Vector none = Vector::Zero(9), all = Vector::Ones(9);
  EXPECT_FALSE(matrix->factorise(none, all));
  EXPECT_TRUE(matrix->factorise(none, all - Vector::Unit(9, 6)));  // taken out, it does no harm
  EXPECT_FALSE(loaded(band_of(MatrixXd::Ones(4, 4), 3), GetParam())->factorise(none.head(4), all.head(4)));
}

struct Choice {
  Preconditioner kind;
  Storage storage;
};

class OnFaces : public testing::TestWithParam<Choice> {};
std::vector<Choice> choices() {
  std::vector<Choice> out;
  for (std::size_t p = 0; p < preconditioner_names().size(); ++p)
    for (const Storage storage : {Storage::band, Storage::sparse}) out.push_back({Preconditioner(p), storage});
  return out;
}
INSTANTIATE_TEST_SUITE_P(Preconditioners, OnFaces, testing::ValuesIn(choices()), [](const auto& test) {
  return std::string(name(test.param.kind)) + (test.param.storage == Storage::sparse ? "_sparse" : "");
});

TEST_P(OnFaces, AreSymmetricAndPositiveDefinite) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed, 2);
    const BoxProblem problem = random_problem(random, 40, 1 + seed % 8, 1e3, 2.0);
    const auto matrix = loaded(problem.a, GetParam().storage);
    const auto preconditioner = make_preconditioner(GetParam().kind);
    ASSERT_TRUE(preconditioner->prepare(*matrix));
    const Vector free = random_face(random, 40);
    const MatrixXd p = operator_of(*preconditioner, free);
    EXPECT_LT((p - p.transpose()).norm(), 1e-12 * p.norm()) << seed;
    const std::vector<Index> f = members(free);
    const MatrixXd on_face = p(f, f);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(on_face).eigenvalues()[0], 0.0) << seed;
    EXPECT_LT(p.norm() - on_face.norm(), 1e-14 * p.norm());  // nothing off the face
  }
}

TEST_P(OnFaces, DoNotDependOnHowTheMatrixIsStored) {
  Random random(3);
  const BoxProblem problem = random_problem(random, 30, 5);
  const Vector free = random_face(random, 30), r = free.cwiseProduct(random_vector(random, 30));
  const auto band = loaded(problem.a, Storage::band), general = loaded(problem.a, Storage::sparse);
  const auto one = make_preconditioner(GetParam().kind), other = make_preconditioner(GetParam().kind);
  ASSERT_TRUE(one->prepare(*band) && other->prepare(*general));
  Vector z(30), same(30);
  one->apply(free, r, z);
  other->apply(free, r, same);
  // The order of elimination decides what a factor drops: only whole faces are the same.
  if (GetParam().kind == Preconditioner::asc) {
    one->apply(Vector::Ones(30), r, z);
    other->apply(Vector::Ones(30), r, same);
  }
  EXPECT_LT((z - same).norm(), 1e-12 * z.norm());
}

Vector applied_to_reference(Preconditioner kind) {
  const std::string file = "der-sagfree_asc.json";
  const Vector free = vector(numbers(file, "free")), r = free.cwiseProduct(vector(numbers(file, "rhs")));
  const auto matrix = loaded(reference_of_12().problem.a, Storage::band);
  const auto preconditioner = make_preconditioner(kind);
  EXPECT_TRUE(preconditioner->prepare(*matrix));
  Vector z(12);
  preconditioner->apply(free, r, z);
  return z;
}

TEST(Preconditioners, GiveTheReferenceValues) {
  const std::string file = "der-sagfree_asc.json";
  EXPECT_LT((applied_to_reference(Preconditioner::asc) - vector(numbers(file, "asc_apply"))).norm(), 1e-13);
  EXPECT_LT((applied_to_reference(Preconditioner::ssor) - vector(numbers(file, "ssor12_apply"))).norm(), 1e-13);
  EXPECT_LT((applied_to_reference(Preconditioner::jacobi) - vector(numbers(file, "wj_apply"))).norm(), 1e-13);
}

// A_FF = L_FF D_F L_FFᵀ + L_FC D_C L_FCᵀ: no eigenvalue of P_F A_FF is below one, and at most |C| differ from one.
TEST(ActiveSetCholesky, ChangesAsManyEigenvaluesAsThereAreActiveBounds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, 4);
    const Index n = 30;
    const BoxProblem problem = random_problem(random, 30, 6, 100.0);
    Vector free = Vector::Ones(n);
    const std::uint64_t active = random.below(6);
    for (std::uint64_t k = 0; k < active; ++k) free[Index(random.below(30))] = 0.0;
    const auto matrix = loaded(problem.a, seed % 2 == 0 ? Storage::band : Storage::sparse);
    const auto preconditioner = make_preconditioner(Preconditioner::asc);
    ASSERT_TRUE(preconditioner->prepare(*matrix));
    const std::vector<Index> f = members(free);
    const MatrixXd product = MatrixXd(operator_of(*preconditioner, free)(f, f)) * MatrixXd(dense(problem.a)(f, f));
    const Eigen::VectorXcd eigenvalues = product.eigenvalues();
    int others = 0;
    for (const std::complex<double>& value : eigenvalues) {
      EXPECT_GT(value.real(), 1.0 - 1e-9);
      EXPECT_NEAR(value.imag(), 0.0, 1e-9);
      others += std::abs(value.real() - 1.0) > 1e-9;
    }
    EXPECT_LE(others, int(n) - int(f.size())) << seed;
  }
}

// Nothing is dropped from a tridiagonal matrix: the factor is whole.
TEST(IncompleteCholesky, IsCompleteWithoutFill) {
  const Index n = 20;
  MatrixXd a = MatrixXd::Identity(n, n) * 4.0;
  for (Index i = 0; i + 1 < n; ++i) a(i, i + 1) = a(i + 1, i) = -1.0;
  for (const Preconditioner kind : {Preconditioner::ic, Preconditioner::mic}) {
    const auto matrix = loaded(band_of(a, 1), Storage::band);
    const auto preconditioner = make_preconditioner(kind);
    ASSERT_TRUE(preconditioner->prepare(*matrix));
    const MatrixXd p = operator_of(*preconditioner, Vector::Ones(n));
    EXPECT_LT((p * a - MatrixXd::Identity(n, n)).norm(), 1e-13);
  }
}

// The modified factor keeps row sums, up to the 3 % that it holds back: L D Lᵀ 1 is close to A 1.
TEST(IncompleteCholesky, KeepsRowSumsIfModified) {
  const Index side = 6, n = side * side;
  MatrixXd a = MatrixXd::Identity(n, n) * 4.1;  // a grid of five-point stars
  for (Index i = 0; i < n; ++i) {
    if ((i + 1) % side != 0) a(i, i + 1) = a(i + 1, i) = -1.0;
    if (i + side < n) a(i, i + side) = a(i + side, i) = -1.0;
  }
  const auto error = [&](Preconditioner kind) {
    const auto matrix = loaded(band_of(a, std::size_t(side)), Storage::band);
    const auto preconditioner = make_preconditioner(kind);
    EXPECT_TRUE(preconditioner->prepare(*matrix));
    const Vector row_sums = a * Vector::Ones(n);
    Vector ones(n);
    preconditioner->apply(Vector::Ones(n), row_sums, ones);
    return (ones - Vector::Ones(n)).norm();
  };
  EXPECT_LT(error(Preconditioner::mic), 0.3 * error(Preconditioner::ic));
}

}  // namespace
}  // namespace tendril::bcqp
