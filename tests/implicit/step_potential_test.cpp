// The same implicit step from two sides: the lanes' converged Newton, and Newton on the incremental potential.
#include <gtest/gtest.h>

#include "tendril/implicit/newton.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::der {
namespace {

Strands curl() {
  Curves curves;
  for (int i = 0; i < 12; ++i)
    curves.points.emplace_back(0.004 * i, 0.01 * std::sin(0.8 * i), 0.01 * std::cos(0.8 * i));
  curves.offsets.push_back(curves.points.size());
  Material material;
  material.radius = 1e-3, material.young = 1e7, material.shear = 4e6;
  return Strands::create(describe(std::move(curves), material, Clamps{})).value();
}

TEST(IncrementalPotentialOfAStep, HasItsMinimumWhereTheLanesEnd) {
  const Strands strands = curl();
  State state = strands.start(), trial;
  const Targets targets = strands.make_targets();
  StepWorkspace work;
  StepOptions options;
  options.dt = 0.01, options.converge = true, options.tolerance = 1e-11;
  for (int i = 0; i < 3; ++i) {  // some way into the fall, so that there are velocities
    ASSERT_EQ(step(strands, targets, options, state, work, trial).outcome, Outcome::converged);
    commit(trial, options.dt, false, state);
  }
  ASSERT_EQ(step(strands, targets, options, state, work, trial).outcome, Outcome::converged);

  const Rod rod = extract(strands, targets, state, 0);
  const auto n = Eigen::Index(rod.unknowns());
  Eigen::VectorXd weight(n), centre(n), u = Eigen::VectorXd::Zero(n);
  for (int k = 0; k < rod.vertices; ++k)
    for (int c = 0; c < 4; ++c) {
      weight[4 * k + c] =
          rod.parameter(k, c < 3 ? ParameterLayout::mass : ParameterLayout::inertia) / (options.dt * options.dt);
      centre[4 * k + c] = options.dt * rod.state[std::size_t(k * StateLayout::components + StateLayout::velocity + c)];
    }
  StaticPotential potential(rod, options.gravity);
  potential.set_proximal(weight, centre);
  NewtonOptions newton_options;
  newton_options.gradient_tolerance = 1e-14;
  NewtonWorkspace newton_work;
  const auto residual = [](const Eigen::VectorXd& g) { return g.lpNorm<Eigen::Infinity>(); };
  const SolveReport report = newton(potential, newton_options, residual, newton_work, u);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.iterations, 10);  // quadratic: the Hessian is exact

  std::vector<Eigen::Vector3d> expected(12);
  gather_positions(strands, trial, expected);
  double moved = 0.0;
  for (int i = 0; i < 12; ++i) {
    // Not to round-off: the two Newtons take different ways, and a director carried along two ways ends at angles that
    // differ by the area between them on the sphere of tangents.
    EXPECT_LT((potential.rod().position(i) - expected[std::size_t(i)]).norm(), 1e-9);
    moved = std::max(moved, (expected[std::size_t(i)] - rod.position(i)).norm());
  }
  EXPECT_GT(moved, 1e-3);  // the step was not trivial
}

}  // namespace
}  // namespace tendril::der
