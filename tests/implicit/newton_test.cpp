// Newton with a line search on small potentials whose minimum is known, and every way in which it may end.
#include "tendril/implicit/newton.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace tendril {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::VectorXd;

// A potential in the plane by its three functions; counts what it is asked for.
struct Plane {
  double (*energy)(const Vector2d&);
  Vector2d (*slope)(const Vector2d&);
  Matrix2d (*curvature)(const Vector2d&);
  Matrix2d hessian = Matrix2d::Identity();
  int gradients = 0, factorisations = 0;

  double value(const VectorXd& x) { return energy(x); }
  void gradient(const VectorXd& x, VectorXd& out) { out = slope(x), ++gradients; }
  bool factorise(const VectorXd& x) {
    hessian = curvature(x), ++factorisations;
    return hessian.llt().info() == Eigen::Success;
  }
  void solve(const VectorXd& x, VectorXd& out) const { out = hessian.llt().solve(x); }
};
static_assert(IncrementalPotential<Plane>);

Plane quadratic() {
  return {[](const Vector2d& x) { return 2.0 * x[0] * x[0] + x[0] * x[1] + x[1] * x[1] - x[0]; },
          [](const Vector2d& x) { return Vector2d(4.0 * x[0] + x[1] - 1.0, x[0] + 2.0 * x[1]); },
          [](const Vector2d&) { return (Matrix2d() << 4.0, 1.0, 1.0, 2.0).finished(); }};
}

double rosenbrock_energy(const Vector2d& x) {
  return std::pow(1.0 - x[0], 2) + 100.0 * std::pow(x[1] - x[0] * x[0], 2);
}
Vector2d rosenbrock_slope(const Vector2d& x) {
  return {-2.0 * (1.0 - x[0]) - 400.0 * x[0] * (x[1] - x[0] * x[0]), 200.0 * (x[1] - x[0] * x[0])};
}
// Gauss-Newton part of the Hessian: positive definite everywhere.
Matrix2d rosenbrock_curvature(const Vector2d& x) {
  return (Matrix2d() << 2.0 + 800.0 * x[0] * x[0], -400.0 * x[0], -400.0 * x[0], 200.0).finished();
}

double largest(const VectorXd& g) { return g.lpNorm<Eigen::Infinity>(); }

TEST(Newton, SolvesAQuadraticInOneIteration) {
  Plane p = quadratic();
  NewtonWorkspace work;
  VectorXd x = Vector2d(5.0, -3.0);
  const SolveReport report = newton(p, {}, largest, work, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 1);
  EXPECT_LT((x - Vector2d(2.0 / 7.0, -1.0 / 7.0)).norm(), 1e-14);
  EXPECT_LT(report.residual, 1e-13);
}

TEST(Newton, StopsAtOnceWhereItStandsAtTheMinimum) {
  Plane p = quadratic();
  NewtonWorkspace work;
  VectorXd x = Vector2d(2.0 / 7.0, -1.0 / 7.0);
  const SolveReport report = newton(p, {}, largest, work, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(p.factorisations, 0);
}

TEST(Newton, FindsTheEndOfRosenbrocksValleyDownhillAllTheWay) {
  for (const Vector2d& start : {Vector2d(-1.2, 1.0), Vector2d(10.0, -20.0), Vector2d(0.0, 0.0)}) {
    Plane p{rosenbrock_energy, rosenbrock_slope, rosenbrock_curvature};
    NewtonWorkspace work;
    NewtonOptions options;
    options.max_iterations = 200;
    VectorXd x = start;
    const SolveReport report = newton(p, options, largest, work, x);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LT((x - Vector2d(1.0, 1.0)).norm(), 1e-7);
    EXPECT_EQ(p.gradients, report.iterations + 1);  // one per accepted iterate, none at trial points
  }
}

TEST(Newton, SaysWhenItRunsOutOfIterations) {
  Plane p{rosenbrock_energy, rosenbrock_slope, rosenbrock_curvature};
  NewtonWorkspace work;
  NewtonOptions options;
  options.max_iterations = 3;
  VectorXd x = Vector2d(-1.2, 1.0);
  const double before = p.value(x);
  const SolveReport report = newton(p, options, largest, work, x);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.residual, largest(rosenbrock_slope(x)));  // of where it ended
  EXPECT_LT(p.value(x), before);
}

TEST(Newton, SaysWhenNoDefiniteFormCouldBeHad) {
  Plane p = quadratic();
  p.curvature = [](const Vector2d&) { return Matrix2d((Matrix2d() << 1.0, 2.0, 2.0, 1.0).finished()); };
  NewtonWorkspace work;
  VectorXd x = Vector2d(5.0, -3.0);
  EXPECT_EQ(newton(p, {}, largest, work, x).status, SolveStatus::not_positive_definite);
  EXPECT_EQ(x, VectorXd(Vector2d(5.0, -3.0)));
}

TEST(Newton, SaysWhenTheGradientIsNotFinite) {
  Plane p = quadratic();
  p.slope = [](const Vector2d&) { return Vector2d(0.0, std::nan("")); };
  NewtonWorkspace work;
  VectorXd x = Vector2d(5.0, -3.0);
  EXPECT_EQ(newton(p, {}, largest, work, x).status, SolveStatus::not_finite);
}

// The gradient has the wrong sign: no step goes down.
TEST(Newton, SaysWhenNoStepGoesDown) {
  Plane p = quadratic();
  p.slope = [](const Vector2d& x) { return Vector2d(-(4.0 * x[0] + x[1] - 1.0), -(x[0] + 2.0 * x[1])); };
  NewtonWorkspace work;
  VectorXd x = Vector2d(5.0, -3.0);
  EXPECT_EQ(newton(p, {}, largest, work, x).status, SolveStatus::step_too_small);
  EXPECT_EQ(x, VectorXd(Vector2d(5.0, -3.0)));
}

// Out of bounds is infinity or NaN: the search backs off until it is inside.
TEST(Newton, BacksOffFromWhereThereIsNoEnergy) {
  for (const bool with_nan : {false, true}) {
    Plane p{nullptr, [](const Vector2d& x) { return Vector2d(1.0 - 1.0 / x[0], 2.0 * x[1]); },
            [](const Vector2d& x) { return Matrix2d(Vector2d(1.0 / (x[0] * x[0]), 2.0).asDiagonal()); }};
    if (with_nan)
      p.energy = [](const Vector2d& x) { return x[0] > 0.0 ? x[0] - std::log(x[0]) + x[1] * x[1] : std::nan(""); };
    else
      p.energy = [](const Vector2d& x) { return x[0] > 0.0 ? x[0] - std::log(x[0]) + x[1] * x[1] : INFINITY; };
    NewtonWorkspace work;
    VectorXd x = Vector2d(8.0, 3.0);  // the full step leads to x = -48
    const SolveReport report = newton(p, {}, largest, work, x);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LT((x - Vector2d(1.0, 0.0)).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace tendril
