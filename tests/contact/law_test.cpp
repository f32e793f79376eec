#include "tendril/contact/law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/random_problems.hpp"
#include "contact/reference.hpp"

namespace tendril::contact {
namespace {

constexpr auto both_variants = {AlartCurnierVariant::alart_curnier, AlartCurnierVariant::jean_moreau};

// Entries beyond the dimension of the case are not in the reference.
void expect_matrix(const Matrix3d& found, const Matrix3d& expected, int dimension, double tolerance) {
  const auto difference = (found - expected).topLeftCorner(dimension, dimension);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), tolerance) << found << "\n\n" << expected;
}

void expect_vector(const Vector3d& found, const Vector3d& expected, double tolerance) {
  EXPECT_LT((found - expected).norm(), tolerance) << found.transpose() << "\n" << expected.transpose();
}

// By central differences of a function of one vector.
template <class Function>
Matrix3d differences(Function&& function, const Vector3d& x) {
  constexpr double h = 1e-6;
  Matrix3d out;
  for (int k = 0; k < 3; ++k)
    out.col(k) = (function(x + h * Vector3d::Unit(k)) - function(x - h * Vector3d::Unit(k))) / (2.0 * h);
  return out;
}

// Of the derivative's size; round-off in the differences is 1e-10.
void expect_derivative(const Matrix3d& found, const Matrix3d& by_differences) {
  EXPECT_LT((found - by_differences).norm(), 1e-6 * (1.0 + by_differences.norm())) << found << "\n\n" << by_differences;
}

// s∘s and x∘x + y∘y.
Vector3d jordan_square(const Vector3d& x) { return {x.squaredNorm(), 2.0 * x[0] * x[1], 2.0 * x[0] * x[2]}; }

TEST(FischerBurmeister, IsThatOfTheReference) {
  for (const reference::FunctionCase& known : reference::fischer_burmeister_cases()) {
    const FischerBurmeister f = fischer_burmeister(known.first, known.second);
    expect_vector(f.value, known.value, 1e-14);
    expect_vector(fischer_burmeister_value(known.first, known.second), known.value, 1e-14);
    expect_matrix(f.by_x, known.by_first, known.dimension, 1e-13);
    expect_matrix(f.by_y, known.by_second, known.dimension, 1e-13);
  }
}

TEST(FischerBurmeister, TakesASquareRootOfTheJordanAlgebra) {
  Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d x = random_vector(random), y = random_vector(random);
    const Vector3d s = x + y - fischer_burmeister_value(x, y), square = jordan_square(x) + jordan_square(y);
    expect_vector(jordan_square(s), square, 1e-14 * (1.0 + square.norm()));
  }
}

TEST(FischerBurmeister, HasTheDerivativesOfDifferences) {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d x = random_vector(random), y = random_vector(random);
    const FischerBurmeister f = fischer_burmeister(x, y);
    expect_derivative(f.by_x, differences([&](const Vector3d& z) { return fischer_burmeister_value(z, y); }, x));
    expect_derivative(f.by_y, differences([&](const Vector3d& z) { return fischer_burmeister_value(x, z); }, y));
  }
}

// Along (x_N, y_N) (1, -ω) the derivative has a limit; it is what is given on the boundary.
TEST(FischerBurmeister, HasTheLimitOfItsDerivativesOnTheBoundaryOfTheCone) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const double angle = random.uniform(0.0, 6.28), x = random.normal(), y = std::abs(random.normal());
    const Vector3d along(1.0, std::cos(angle), std::sin(angle)), away(1.0, -along[1], -along[2]);
    const FischerBurmeister at = fischer_burmeister(x * along, y * along);
    const FischerBurmeister near = fischer_burmeister(x * (along + 1e-9 * away), y * (along + 1e-9 * away));
    expect_matrix(at.by_x, near.by_x, 3, 1e-5);
    expect_matrix(at.by_x, (1.0 - x / std::hypot(x, y)) * Matrix3d::Identity(), 3, 1e-5);
    expect_matrix(at.by_y, (1.0 - y / std::hypot(x, y)) * Matrix3d::Identity(), 3, 1e-5);
  }
}

TEST(FischerBurmeister, VanishesWhereBothAreInTheConeAndOrthogonal) {
  const Vector3d x(2.0, 1.2, -1.6);
  expect_vector(fischer_burmeister_value(x, 3.0 * Vector3d(2.0, -1.2, 1.6)), Vector3d::Zero(), 1e-14);
  expect_vector(fischer_burmeister_value(x, Vector3d::Zero()), Vector3d::Zero(), 1e-15);
  EXPECT_GT(fischer_burmeister_value(x, x).norm(), 0.1);
  EXPECT_GT(fischer_burmeister_value(-x, Vector3d::Zero()).norm(), 0.1);
}

// λ1 by subtraction would leave 1e-8 of x here.
TEST(FischerBurmeister, KeepsItsDigitsNextToTheBoundary) {
  for (const double off : {1e-6, 1e-9, 1e-12}) {
    const Vector3d value = fischer_burmeister_value(Vector3d(1.0, 1.0 - off, 0.0), Vector3d(off, 0.0, 0.0));
    EXPECT_LT(value.norm(), 3.0 * off);
  }
}

TEST(LawResidual, IsThatOfTheReference) {
  for (const reference::FunctionCase& known : reference::law_cases()) {
    const LawResidual f = law_residual(known.first, known.second, known.mu, known.rho);
    expect_vector(f.value, known.value, 1e-14);
    expect_vector(law_residual_value(known.first, known.second, known.mu, known.rho), known.value, 1e-14);
    expect_matrix(f.by_r, known.by_first, known.dimension, 1e-13);
    expect_matrix(f.by_u, known.by_second, known.dimension, 1e-13);
  }
}

TEST(LawResidual, HasTheDerivativesOfDifferences) {
  Random random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d r = random_vector(random), u = random_vector(random);
    const double mu = trial % 5 == 0 ? 0.0 : random.uniform(0.01, 3.0), rho = random.uniform(0.1, 5.0);
    const LawResidual f = law_residual(r, u, mu, rho);
    expect_derivative(f.by_r, differences([&](const Vector3d& z) { return law_residual_value(z, u, mu, rho); }, r));
    expect_derivative(f.by_u, differences([&](const Vector3d& z) { return law_residual_value(r, z, mu, rho); }, u));
  }
}

TEST(LawResidual, VanishesInEachCaseOfTheLaw) {
  const double mu = 0.5, rho = 2.0;
  const Vector3d inside(2.0, 0.3, -0.4), on(2.0, 0.6, -0.8), zero = Vector3d::Zero();
  expect_vector(law_residual_value(zero, {0.1, 3.0, -2.0}, mu, rho), zero, 1e-15);
  expect_vector(law_residual_value(inside, zero, mu, rho), zero, 1e-15);
  expect_vector(law_residual_value(on, {0.0, -0.3, 0.4}, mu, rho), zero, 1e-15);
}

// The convex relaxation without De Saxcé's term would have it lift off.
TEST(LawResidual, DoesNotVanishWhereTheLawIsBroken) {
  const double mu = 0.5, rho = 2.0;
  const Vector3d on(2.0, 0.6, -0.8);
  EXPECT_GT(law_residual_value(on, {0.25, -0.3, 0.4}, mu, rho).norm(), 0.1);              // slides and separates
  EXPECT_GT(law_residual_value(on, {0.0, 0.3, -0.4}, mu, rho).norm(), 0.1);               // friction drives
  EXPECT_GT(law_residual_value(on, {0.0, -0.4, -0.3}, mu, rho).norm(), 0.1);              // friction across
  EXPECT_GT(law_residual_value({-1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, mu, rho).norm(), 0.1);  // it pulls
}

TEST(LawOnPath, HasTheDerivativesOfDifferences) {
  Random random(14);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d r = random_vector(random), u = random_vector(random);
    const double mu = trial % 5 == 0 ? 0.0 : random.uniform(0.1, 3.0), t = random.uniform(0.0, 6.0), h = 1e-6;
    const LawOnPath f = law_on_path(r, u, mu, t);
    expect_derivative(f.by_r, differences([&](const Vector3d& z) { return law_on_path(z, u, mu, t).value; }, r));
    expect_derivative(f.by_u, differences([&](const Vector3d& z) { return law_on_path(r, z, mu, t).value; }, u));
    const Vector3d slope = (law_on_path(r, u, mu, t + h).value - law_on_path(r, u, mu, t - h).value) / (2.0 * h);
    expect_vector(f.by_t, slope, 1e-6);
    expect_derivative(f.by_r_inverse * f.by_r, Matrix3d::Identity());
  }
}

TEST(LawOnPath, LeadsToTheLaw) {
  Random random(15);
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3d r = random_vector(random), u = random_vector(random);
    const double mu = trial % 5 == 0 ? 0.0 : random.uniform(0.1, 3.0);
    expect_vector(law_on_path(r, u, mu, 30.0).value, law_residual_value(r, u, mu, 1.0), 1e-6);
  }
}

// A contact that sticks is stiff: by_r, a difference of ones, has no digits left that its inverse could have.
TEST(LawOnPath, HasTheDigitsOfTheInverseWhereAContactSticks) {
  const double mu = 0.5, t = 28.0, nu = std::exp(-t);
  const Vector3d x(2.0, 0.3, -0.4), r(x[0] / mu, x[1], x[2]);
  const double square = x[0] * x[0] - x.tail<2>().squaredNorm();
  // u such that x∘y = ν e, y = ν x⁻¹, but for what u_T adds to u_N.
  const Vector3d y = nu / square * Vector3d(x[0], -x[1], -x[2]);
  const double slip = y.tail<2>().norm() / mu, rounded = slip * slip / (std::hypot(slip, nu) + nu);
  const Vector3d u(y[0] - mu * ((1.0 - nu) * rounded + nu), y[1] / mu, y[2] / mu);
  // df/dx = L_s⁻¹ L_{s - x} where s - x = y, and s is x + y.
  const auto jordan = [](const Vector3d& z) {
    Matrix3d l = z[0] * Matrix3d::Identity();
    l.row(0) = z.transpose(), l.col(0) = z;
    return l;
  };
  const Matrix3d inverse = Vector3d(1.0 / mu, 1.0, 1.0).asDiagonal() * jordan(y).inverse() * jordan(x + y);
  const Matrix3d found = law_on_path(r, u, mu, t).by_r_inverse;
  EXPECT_LT((found - inverse).norm(), 1e-4 * inverse.norm());
}

TEST(AlartCurnier, IsThatOfTheReference) {
  for (const reference::FunctionCase& known : reference::alart_curnier_cases()) {
    const auto variant = known.variant == "AC" ? AlartCurnierVariant::alart_curnier : AlartCurnierVariant::jean_moreau;
    const AlartCurnierScales rho{known.rho, known.rho_tangential};
    const LawResidual f = alart_curnier(known.first, known.second, known.mu, rho, variant);
    expect_vector(f.value, known.value, 1e-14);
    expect_matrix(f.by_r, known.by_first, known.dimension, 1e-13);
    expect_matrix(f.by_u, known.by_second, known.dimension, 1e-13);
  }
}

TEST(AlartCurnier, HasTheDerivativesOfDifferences) {
  Random random(5);
  for (int trial = 0; trial < 1000; ++trial)
    for (const AlartCurnierVariant variant : both_variants) {
      const Vector3d r = random_vector(random), u = random_vector(random);
      const double mu = trial % 5 == 0 ? 0.0 : random.uniform(0.01, 3.0);
      const AlartCurnierScales rho{random.uniform(0.1, 5.0), random.uniform(0.1, 5.0)};
      const auto value = [&](const Vector3d& of_r, const Vector3d& of_u) -> Vector3d {
        return alart_curnier(of_r, of_u, mu, rho, variant).value;
      };
      const LawResidual f = alart_curnier(r, u, mu, rho, variant);
      expect_derivative(f.by_r, differences([&](const Vector3d& z) { return value(z, u); }, r));
      expect_derivative(f.by_u, differences([&](const Vector3d& z) { return value(r, z); }, u));
    }
}

TEST(ConeProjection, IsTheNearestPoint) {
  Random random(6);
  for (int trial = 0; trial < 1000; ++trial) {
    const double mu = trial % 7 == 0 ? 0.0 : random.uniform(0.01, 3.0);
    const Vector3d z = random_vector(random), p = project_on_cone(z, mu), q = z - p;
    EXPECT_LE(p.tail<2>().norm(), mu * p[0] + 1e-14);
    EXPECT_LE(q[0] + mu * q.tail<2>().norm(), 1e-14);  // in the polar cone, and
    EXPECT_NEAR(p.dot(q), 0.0, 1e-14);                 // orthogonal: Moreau
  }
}

TEST(ConeProjection, HasTheDerivativesOfDifferences) {
  Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d z = random_vector(random);
    const double mu = random.uniform(0.01, 3.0);
    expect_derivative(project_on_cone_derivative(z, mu),
                      differences([&](const Vector3d& x) { return project_on_cone(x, mu); }, z));
  }
}

TEST(ContactStates, AreToldApart) {
  const double mu = 0.5, rho = 2.0;
  const Vector3d zero = Vector3d::Zero();
  EXPECT_EQ(classify(zero, {0.1, 3.0, -2.0}, mu, rho), ContactState::take_off);
  EXPECT_EQ(classify(zero, zero, mu, rho), ContactState::take_off);
  EXPECT_EQ(classify({2.0, 0.3, -0.4}, zero, mu, rho), ContactState::stick);
  EXPECT_EQ(classify({2.0, 0.6, -0.8}, {0.0, -0.3, 0.4}, mu, rho), ContactState::slide);
  EXPECT_EQ(classify({2.0, 0.0, 0.0}, {0.0, -0.3, 0.4}, 0.0, rho), ContactState::slide);
  EXPECT_EQ(name(ContactState::take_off), "take-off");
  EXPECT_EQ(name(ContactState::slide), "slide");
}

}  // namespace
}  // namespace tendril::contact
