// Super-helices in time: the one-step contract, driven roots, equilibrium, and the benchmarks of a clamped rod.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <complex>

#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/implicit/newton.hpp"
#include "tendril/rods/superhelix/balance.hpp"
#include "tendril/rods/superhelix/forces.hpp"
#include "tendril/rods/superhelix/one_step.hpp"
#include "tendril/rods/superhelix/static_potential.hpp"

namespace tendril::superhelix {
namespace {

using der::support::append;
using der::support::one;
using der::support::random_vector;
using der::support::smooth_strand;
using der::support::straight_strand;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;

constexpr double g = 9.81;

Strands make(const der::Description& description, const Counts& counts = {}) {
  Result<Strands> made = Strands::create(description, counts);
  if (!made) ADD_FAILURE() << made.error().message();
  return std::move(made.value());
}

// A strand of 0.2 m whose own weight bends it with the given gamma = rho A g L^3 / EI.
der::Description weighted_rod(double gamma, const Vector3d& along, std::size_t vertices = 21) {
  der::Material material;
  material.radius = 1e-3, material.density = 1200.0;
  material.young = material.density * g * 0.2 * 0.2 * 0.2 * 4.0 / (gamma * 1e-6);
  material.shear = material.young / 2.6;
  return der::describe(one(straight_strand(vertices, 0.2, along)), material, {der::Clamp::point, der::Clamp::free});
}

der::Description three_curly_strands(double damping = 0.0) {
  Random random(21);
  Curves curves;
  for (const std::size_t n : {12u, 20u, 31u}) append(curves, smooth_strand(random, n, 0.15, 0.1));
  der::Material material;
  material.radius = 60e-6, material.tip_radius = 30e-6, material.aspect = 0.8, material.damping = damping;
  return der::describe(curves, material, {der::Clamp::edge, der::Clamp::free});
}

struct Course {
  Strands strands;
  State state, trial;
  Workspace work;
  std::vector<Pose> targets;
  StepOptions options;

  explicit Course(Strands s) : strands(std::move(s)), state(strands.start()) { drive({}); }

  void drive(const Pose& pose) { strands.drive(std::span(&pose, 1), targets); }
  StepReport step() {
    const StepReport report = superhelix::step(strands, targets, options, state, work, trial);
    state.swap(trial);
    return report;
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_EQ(step().outcome, Outcome::converged) << i;
  }
  std::vector<Vector3d> positions() const {
    std::vector<Vector3d> out(strands.vertex_count());
    gather_positions(strands, state, out);
    return out;
  }
  double energy() const { return total_energies(strands, options.gravity, state).total(); }
};

Pose moving_pose(double t) {
  return {Eigen::Quaterniond(Eigen::AngleAxisd(3.0 * t, Vector3d(1, 2, 2) / 3.0)), {0.3 * t, 0.1 * t * t, 0.0}};
}

// A strand in the middle of a motion, ready for its next step.
Course in_motion(double damping = 0.0) {
  Course run(make(three_curly_strands(damping)));
  for (int i = 1; i <= 20; ++i) {
    run.drive(moving_pose(i * run.options.dt));
    if (i < 20) run.run(1);
  }
  return run;
}

MatrixXd inverse_of(const OneStep& system, std::size_t block) {
  const std::size_t size = system.block_size(block);
  MatrixXd columns = MatrixXd::Identity(Eigen::Index(size), Eigen::Index(size));
  system.apply_inverse(block, size, {columns.data(), size * size});
  return columns;
}

TEST(SuperHelixContract, InverseIsThatOfTheStepMatrix) {
  Course run = in_motion(1e-3);
  OneStep system(run.strands, run.targets, run.options, run.state, run.work);
  const Partition& partition = run.strands.partition();
  const auto n = Eigen::Index(partition.unknowns());
  for (std::size_t s = 0; s < system.block_count(); ++s) {
    std::vector<Piece> pieces(partition.pieces());
    lay_out(partition, {&run.state.q[s * std::size_t(n)], std::size_t(n)}, run.strands.length(s),
            run.state.root[s].rotation.toRotationMatrix(), pieces);
    Quadrature quadrature;
    lay_quadrature(partition, pieces, run.strands.length(s), run.strands.masses(s), quadrature);
    MatrixXd matrix(n, n);
    mass_matrix(partition, pieces, quadrature, {matrix.data(), std::size_t(n * n)});
    const double dt = run.options.dt;
    for (Eigen::Index u = 0; u < n; ++u) matrix(u, u) += dt * (1e-3 + dt) * run.strands.stiffness(s)[std::size_t(u)];
    const MatrixXd inverse = inverse_of(system, s);
    EXPECT_LT((inverse.topLeftCorner(n, n) * matrix - MatrixXd::Identity(n, n)).norm(), 1e-8);
    EXPECT_TRUE(inverse.rightCols(6).isZero(0.0) && inverse.bottomRows(6).isZero(0.0));
    EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-12 * inverse.norm());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(inverse.topLeftCorner(n, n)).eigenvalues().minCoeff(), 0.0);
  }
}

TEST(SuperHelixContract, PointVelocityAndImpulseAreAdjoint) {
  Course run = in_motion();
  OneStep system(run.strands, run.targets, run.options, run.state, run.work);
  Random random(22);
  for (const MaterialPoint point : {MaterialPoint{0, 0, 0.0}, {1, 7, 0.3}, {2, 29, 1.0}}) {
    std::vector<double> v(system.block_size(point.block)), back(v.size(), 0.0);
    for (double& value : v) value = random.uniform(-1.0, 1.0);
    const Vector3d impulse = random_vector(random);
    system.add_point_impulse(point, impulse, back);
    double dual = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) dual += v[i] * back[i];
    EXPECT_NEAR(system.point_velocity(point, v).dot(impulse), dual, 1e-15);
  }
}

TEST(SuperHelixContract, WithoutContactIsTheStep) {
  Course run = in_motion();
  OneStep system(run.strands, run.targets, run.options, run.state, run.work);
  for (std::size_t s = 0; s < system.block_count(); ++s) {
    std::vector<double> v(system.block_size(s));
    system.free_velocity(s, v);
    system.set_velocity(s, v);
  }
  State trial;
  ASSERT_EQ(system.advance(trial).outcome, Outcome::converged);
  const double residual = system.residual();
  EXPECT_GT(residual, 0.0);
  EXPECT_LT(residual, 0.1);
  run.step();
  EXPECT_EQ(hash(trial), hash(run.state));
}

// A joint of the tip to a place in the world, by the contract alone: it holds, and the residual counts its impulse.
TEST(SuperHelixContract, AJointHolds) {
  Course run(make(three_curly_strands()));
  const MaterialPoint tip{1, 18, 1.0};
  for (int i = 0; i < 20; ++i) {
    OneStep system(run.strands, run.targets, run.options, run.state, run.work);
    const std::size_t size = system.block_size(1);
    std::vector<double> v(size), columns(3 * size, 0.0);
    system.free_velocity(1, v);
    for (int c = 0; c < 3; ++c)
      system.add_point_impulse(tip, Vector3d::Unit(c), {&columns[std::size_t(c) * size], size});
    system.apply_inverse(1, 3, columns);
    Eigen::Matrix3d delassus;
    for (int c = 0; c < 3; ++c) delassus.col(c) = system.point_velocity(tip, {&columns[std::size_t(c) * size], size});
    const Vector3d impulse = -delassus.ldlt().solve(system.point_velocity(tip, v));
    for (std::size_t k = 0; k < size; ++k)
      for (int c = 0; c < 3; ++c) v[k] += impulse[c] * columns[std::size_t(c) * size + k];
    system.set_velocity(1, v);
    EXPECT_LT(system.point_velocity(tip, v).norm(), 1e-12);
    ASSERT_EQ(system.advance(run.trial).outcome, Outcome::converged);
    EXPECT_LT(system.residual(), 0.05);
    run.state.swap(run.trial);
  }
}

TEST(SuperHelixSteps, HaveTheSameBitsForAnyThreadCount) {
  Random random(23);
  Curves curves;
  for (int i = 0; i < 40; ++i) append(curves, smooth_strand(random, 15, 0.1, 0.1));
  const der::Description description = der::describe(curves, {}, {});
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    Course run(make(description));
    run.run(20);
    hashes.push_back(hash(run.state));
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(SuperHelixSteps, StayAtRestAsDrawnWithoutGravity) {
  Course run(make(three_curly_strands()));
  run.options.gravity.setZero();
  const std::vector<double> q = run.state.q;
  run.run(50);
  EXPECT_EQ(run.state.q, q);
}

TEST(SuperHelixSteps, KeepABalancedShapeUnderGravityAndLoads) {
  Course run(make(three_curly_strands()));
  ASSERT_TRUE(run.strands.add_load({2, -1, Vector3d(1e-6, 0, 2e-6), 1e-9}));
  const std::vector<Vector3d> drawn = run.positions();
  balance(run.state, run.options.gravity, run.strands);
  for (const double f : static_force(run.strands, run.state, 2, run.options.gravity)) EXPECT_NEAR(f, 0.0, 1e-20);
  run.run(200);
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_LT((run.positions()[i] - drawn[i]).norm(), 1e-12);
}

// Roots that move at constant velocity carry their strands along as they are.
TEST(SuperHelixRoots, UniformMotionLeavesTheShapeAlone) {
  Course run(make(three_curly_strands()));
  run.options.gravity.setZero();
  const std::vector<double> q = run.state.q;
  const Vector3d velocity(1.0, -2.0, 0.5);
  run.state.root_velocity.assign(3, velocity);
  for (int i = 1; i <= 100; ++i) {
    run.drive({Eigen::Quaterniond::Identity(), velocity * (i * run.options.dt)});
    ASSERT_EQ(run.step().outcome, Outcome::converged);
  }
  for (std::size_t u = 0; u < q.size(); ++u) EXPECT_NEAR(run.state.q[u], q[u], 1e-9 * (1.0 + std::abs(q[u])));
}

// The principle of equivalence: an accelerated root is a root at rest under gravity in the opposite direction.
TEST(SuperHelixRoots, AccelerationActsLikeGravity) {
  const Vector3d a(2.0, 3.0, -1.0);
  Course driven(make(three_curly_strands())), heavy(make(three_curly_strands()));
  driven.options.gravity.setZero(), heavy.options.gravity = -a;
  double speed = 0.0;
  Vector3d place = Vector3d::Zero();
  for (int i = 0; i < 100; ++i) {
    speed += driven.options.dt, place += a * speed * driven.options.dt;
    driven.drive({Eigen::Quaterniond::Identity(), place});
    driven.step(), heavy.step();
  }
  for (std::size_t u = 0; u < driven.state.q.size(); ++u)
    EXPECT_NEAR(driven.state.q[u], heavy.state.q[u], 1e-8 * (1.0 + std::abs(heavy.state.q[u])));
}

// Whatever the pose, the root is there to the last bit, and a strand at rest in its frame has the chord velocities of a
// rigid body.
TEST(SuperHelixRoots, ArriveExactlyAndMoveRigidly) {
  Course run(make(three_curly_strands()));
  const std::vector<Vector3d> before = run.positions();
  const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(0.4, Vector3d(1, 2, 2) / 3.0)), {0.01, 0.02, 0.0}};
  run.drive(pose);
  OneStep system(run.strands, run.targets, run.options, run.state, run.work);
  for (const std::size_t s : {0u, 1u, 2u}) {
    std::vector<double> v(system.block_size(s));
    system.free_velocity(s, v);
    std::fill(v.begin(), v.end() - 6, 0.0);
    for (const std::size_t i : {std::size_t(0), run.strands.vertices(s) / 2, run.strands.vertices(s) - 1}) {
      const Vector3d x = before[run.strands.offset(s) + i];
      const MaterialPoint point{s, std::min(i, run.strands.vertices(s) - 2),
                                i + 1 == run.strands.vertices(s) ? 1.0 : 0.0};
      EXPECT_LT((system.point_velocity(point, v) - (apply(pose, x) - x) / run.options.dt).norm(), 1e-11);
    }
  }
  run.step();
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(run.state.root[s].translation, run.targets[s].translation);
    EXPECT_EQ(run.state.root[s].rotation.coeffs(), run.targets[s].rotation.coeffs());
  }
}

// A spun-up straight strand along its arm stands under m w^2 r: it neither bends nor leaves its line, but one that is
// bent is straightened. In the frame of the root the centrifugal force is that of static_force with gravity w^2 r;
// here the sum of both has to vanish: at the settled state the residual of a step is that of round-off.
TEST(SuperHelixRoots, SteadyRotationComesToRelativeRest) {
  der::Description d = three_curly_strands(0.02);
  Course run(make(d));
  run.options.gravity.setZero();
  const double rate = 8.0;
  for (int i = 1; i <= 6000; ++i) {
    run.drive({Eigen::Quaterniond(Eigen::AngleAxisd(rate * run.options.dt * i, Vector3d::UnitY())), Vector3d::Zero()});
    ASSERT_EQ(run.step().outcome, Outcome::converged);
  }
  // Work of the centrifugal field rate^2 times distance from the axis, by differences of its potential.
  const auto potential = [&](const State& state) {
    double value = total_energies(run.strands, Vector3d::Zero(), state).elastic();
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t j = 0; j < run.strands.partition().pieces(); ++j)
        for (std::size_t k = 0; k < gauss_points; ++k) {
          std::vector<Piece> pieces(run.strands.partition().pieces());
          lay_out(run.strands.partition(), {&state.q[s * 16], 16}, run.strands.length(s),
                  state.root[s].rotation.toRotationMatrix(), pieces);
          const double b = run.strands.partition().begin(j), e = run.strands.partition().end(j);
          Vector3d x = state.root[s].translation + position_at(run.strands.partition(), pieces, run.strands.length(s),
                                                               b + gauss_place[k] * (e - b));
          x.y() = 0.0;
          value -= 0.5 * rate * rate * run.strands.masses(s)[j * gauss_points + k] * x.squaredNorm();
        }
    return value;
  };
  for (std::size_t u = 0; u < run.state.q.size(); ++u) {
    State more = run.state, less = run.state;
    more.q[u] += 1e-2, less.q[u] -= 1e-2;
    const double slope = (potential(more) - potential(less)) / 2e-2;
    const double scale = run.strands.stiffness(u / 16)[u % 16] * 10.0;
    EXPECT_LT(std::abs(slope), 1e-3 * scale) << u;
  }
}

// ---- benchmarks of a clamped rod ----

// To the equilibrium by plain Newton steps, cut where they are long.
void settle(const Strands& strands, const Vector3d& gravity, State& state) {
  StaticPotential potential(strands, state, 0, gravity);
  VectorXd q = potential.unknowns(), gradient;
  double moved = 1.0;
  for (int i = 0; i < 60 && moved > 1e-9; ++i) {
    potential.gradient(q, gradient);
    VectorXd step = -potential.hessian(q).fullPivLu().solve(gradient);
    step *= std::min(1.0, 20.0 / step.lpNorm<Eigen::Infinity>());
    q += step, moved = step.lpNorm<Eigen::Infinity>();
  }
  EXPECT_LE(moved, 1e-9) << "no equilibrium";
  std::copy(q.begin(), q.end(), state.q.begin());
}

// The second derivatives of loads against differences of the gradient, for a curly strand.
TEST(SuperHelixStatics, HessianIsTheDerivativeOfTheGradient) {
  Course course(make(three_curly_strands()));
  ASSERT_TRUE(course.strands.add_load({1, 11, Vector3d(1e-6, -2e-6, 3e-6), 0.0}));
  StaticPotential potential(course.strands, course.state, 1, {1.0, -9.0, 2.0});
  const VectorXd q = potential.unknowns();
  const MatrixXd hessian = potential.hessian(q);
  MatrixXd expected(16, 16);
  VectorXd more, less, slopes(16), gradient;
  potential.gradient(q, gradient);
  for (Eigen::Index u = 0; u < 16; ++u) {
    const VectorXd h = 1e-2 * VectorXd::Unit(16, u);
    potential.gradient(q + h, more), potential.gradient(q - h, less);
    expected.col(u) = (more - less) / 2e-2;
    slopes[u] = (potential.value(q + h) - potential.value(q - h)) / 2e-2;
  }
  const VectorXd stiffness = Eigen::Map<const VectorXd>(course.strands.stiffness(1).data(), 16);
  const MatrixXd loads = expected - MatrixXd(stiffness.asDiagonal());
  EXPECT_LT((hessian - expected).norm(), 1e-6 * loads.norm());
  EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-15 * hessian.norm());
  EXPECT_LT((slopes - gradient).norm(), 1e-6 * gradient.norm());
}

// The general minimiser of the project finds the equilibrium of any strand.
TEST(SuperHelixStatics, NewtonFindsTheEquilibrium) {
  const Course course(make(three_curly_strands()));
  for (std::size_t s = 0; s < 3; ++s) {
    StaticPotential potential(course.strands, course.state, s, course.options.gravity);
    VectorXd q = potential.unknowns();
    NewtonWorkspace work;
    const auto residual = [&](const VectorXd& force) {
      return force.lpNorm<Eigen::Infinity>() / potential.force_scale();
    };
    const SolveReport report = newton(potential, {.gradient_tolerance = 1e-10}, residual, work, q);
    EXPECT_EQ(report.status, SolveStatus::converged) << s << " " << report.residual;
    EXPECT_LT(report.iterations, 40);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(potential.hessian(q)).eigenvalues().minCoeff(), 0.0);
  }
}

Vector3d tip_of(const Strands& strands, const State& state) {
  std::vector<Vector3d> x(strands.vertex_count());
  gather_positions(strands, state, x);
  return x.back();
}

void expect_order(const std::vector<double>& errors, double order, double slack) {
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), order, slack) << errors[i] << " " << errors[i + 1];
}

// B2: a horizontal cantilever under its own weight, gamma = 10.
TEST(SuperHelixBenchmark, CantileverUnderItsWeight) {
  std::vector<double> errors;
  for (const int n : {4, 8, 16}) {
    Strands strands = make(weighted_rod(10.0, Vector3d::UnitX()), {n, n, 1});
    State state = strands.start();
    settle(strands, {0.0, -g, 0.0}, state);
    const Vector3d tip = tip_of(strands, state) / 0.2;
    EXPECT_LT(std::abs(tip.z()), 1e-12);
    errors.push_back(std::hypot(tip.y() + 0.7001997155, tip.x() - 0.6563537612));
  }
  EXPECT_LT(errors.back(), 1e-3);
  expect_order(errors, 2.0, 0.3);
}

// B2: a dead load at the tip, alpha = 2.
TEST(SuperHelixBenchmark, CantileverWithALoad) {
  std::vector<double> errors;
  for (const int n : {4, 8, 16}) {
    const der::Description d = weighted_rod(1.0, Vector3d::UnitX());
    Strands strands = make(d, {n, n, 1});
    const double bending = d.bend_modulus[0] * pi * 1e-12 / 4.0;
    ASSERT_TRUE(strands.add_load({0, -1, Vector3d(0.0, -2.0 * bending / 0.04, 0.0), 0.0}));
    State state = strands.start();
    settle(strands, Vector3d::Zero(), state);
    const Vector3d tip = tip_of(strands, state) / 0.2;
    errors.push_back(std::hypot(tip.y() + 0.4934574804, tip.x() - 0.8393582792));
  }
  EXPECT_LT(errors.back(), 1e-3);
  expect_order(errors, 2.0, 0.3);
}

// B1: twisting by a torque at the tip is exact for any number of pieces.
TEST(SuperHelixBenchmark, TwistByATorque) {
  const der::Description d = weighted_rod(1.0, Vector3d::UnitX());
  const double torsion = d.twist_modulus[0] * pi * 1e-12 / 2.0, angle = 0.7;
  for (const int n : {1, 3}) {
    Strands strands = make(d, {2, 2, n});
    ASSERT_TRUE(strands.add_load({0, -1, Vector3d::Zero(), torsion * angle / 0.2}));
    State state = strands.start();
    settle(strands, Vector3d::Zero(), state);
    for (std::size_t u = 0; u < strands.unknowns(); ++u)
      EXPECT_NEAR(state.q[u], strands.partition().component(u) == 2 ? angle / 0.2 : 0.0, 1e-9);
    EXPECT_NEAR(total_energies(strands, Vector3d::Zero(), state).twist, torsion * angle * angle / 0.4, 1e-9 * torsion);
  }
}

// B3: a column under its own weight gives way at gamma = 7.8373.
TEST(SuperHelixBenchmark, ColumnBucklesUnderItsWeight) {
  const auto least = [](double gamma, int n) {
    const Strands strands = make(weighted_rod(gamma, Vector3d::UnitY()), {n, n, 1});
    const State state = strands.start();
    StaticPotential potential(strands, state, 0, {0, -g, 0});
    const MatrixXd hessian = potential.hessian(potential.unknowns()).topLeftCorner(n, n);
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(hessian).eigenvalues()[0];
  };
  std::vector<double> errors;
  for (const int n : {2, 4, 8}) {
    double stable = 5.0, unstable = 12.0;
    while (unstable - stable > 1e-6) {
      const double middle = 0.5 * (stable + unstable);
      (least(middle, n) > 0.0 ? stable : unstable) = middle;
    }
    errors.push_back(std::abs(stable - 7.8373474389));
  }
  EXPECT_LT(errors.back(), 0.05);
  expect_order(errors, 2.0, 0.3);
}

// B7: frequencies of a clamped-free beam.
TEST(SuperHelixBenchmark, FrequenciesOfABeam) {
  const double exact[] = {1.8751040687, 4.6940911330, 7.8547574382};
  std::array<std::vector<double>, 3> errors;
  for (const int n : {6, 12, 24}) {
    const der::Description d = weighted_rod(1.0, Vector3d::UnitX());
    Course run(make(d, {n, n, 1}));
    std::vector<Piece> pieces(run.strands.partition().pieces());
    const std::size_t unknowns = run.strands.unknowns();
    lay_out(run.strands.partition(), run.state.q, 0.2, run.state.root[0].rotation.toRotationMatrix(), pieces);
    Quadrature quadrature;
    lay_quadrature(run.strands.partition(), pieces, 0.2, run.strands.masses(0), quadrature);
    MatrixXd mass(unknowns, unknowns);
    mass_matrix(run.strands.partition(), pieces, quadrature, {mass.data(), unknowns * unknowns});
    const VectorXd stiffness = Eigen::Map<const VectorXd>(run.strands.stiffness(0).data(), n);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(MatrixXd(stiffness.asDiagonal()),
                                                                   mass.topLeftCorner(n, n), Eigen::EigenvaluesOnly);
    const double bending = d.bend_modulus[0] * pi * 1e-12 / 4.0, line = 1200.0 * pi * 1e-6;
    for (std::size_t mode = 0; mode < 3; ++mode) {
      const double omega = exact[mode] * exact[mode] * std::sqrt(bending / (line * std::pow(0.2, 4)));
      errors[mode].push_back(std::abs(std::sqrt(modes.eigenvalues()[Eigen::Index(mode)]) / omega - 1.0));
    }
  }
  for (const auto& mode : errors) expect_order(mode, 2.0, 0.25);
  EXPECT_LT(errors[0].back(), 1e-3);
}

// B7 in time: mode 1 decays by (1 + (w dt)^2)^-1/2 and turns by atan(w dt) per step, as backward Euler has it.
TEST(SuperHelixBenchmark, VibrationIsThatOfBackwardEuler) {
  Course run(make(weighted_rod(1.0, Vector3d::UnitX()), {1, 1, 1}));  // one unknown per direction: one frequency
  run.options.gravity.setZero();
  run.state.q[0] = 1e-4;
  OneStep system(run.strands, run.targets, run.options, run.state, run.work);
  const MatrixXd inverse = inverse_of(system, 0);
  const double dt = run.options.dt, k = run.strands.stiffness(0)[0], mass = 1.0 / inverse(0, 0) - dt * dt * k;
  const double omega = std::sqrt(k / mass);
  std::complex<double> amplitude(1e-4, 0.0);  // q + i rate/omega of z' = z / (1 + i omega dt)
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(run.step().outcome, Outcome::converged);
    amplitude /= std::complex<double>(1.0, omega * dt);
    EXPECT_NEAR(run.state.q[0], amplitude.real(), 1e-9) << i;
  }
}

// B11: without damping or driving the energy never grows, and what is lost goes with the step.
TEST(SuperHelixBenchmark, EnergyOfASwingingStrand) {
  std::vector<double> losses;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    Course run(make(weighted_rod(30.0, Vector3d::UnitX()), {4, 4, 2}));
    run.options.dt = dt;
    const double start = run.energy();
    const double scale = 1200.0 * pi * 1e-6 * 0.2 * g * 0.1;
    for (int i = 0; i < int(std::lround(0.5 / dt)); ++i) {
      ASSERT_EQ(run.step().outcome, Outcome::converged);
      EXPECT_LT(run.energy(), start + 2.0 * dt * scale / 0.1) << i;
    }
    losses.push_back((start - run.energy()) / scale);
  }
  EXPECT_GT(losses[0], losses[1]);
  EXPECT_LT(std::abs(losses[2]), 0.2);
}

// A root that is shaken hard with steps of a quarter of a frame: nothing blows up.
TEST(SuperHelixSteps, SurviveAViolentHead) {
  Course run(make(three_curly_strands(1e-3)));
  for (int i = 1; i <= 1200; ++i) {
    const double t = i * run.options.dt;
    run.drive({Eigen::Quaterniond(Eigen::AngleAxisd(0.8 * std::sin(12.0 * t), Vector3d::UnitY())),
               {0.15 * std::sin(9.0 * t), 0.05 * std::sin(17.0 * t), 0.0}});
    ASSERT_EQ(run.step().outcome, Outcome::converged) << i;
    for (const double q : run.state.q) ASSERT_LT(std::abs(q), 2000.0) << i;
  }
}

TEST(SuperHelixInput, RefusesWhatItCannotHold) {
  der::Description free_root = three_curly_strands(), held_tip = free_root, rested = free_root;
  free_root.clamps = {{der::Clamp::free, der::Clamp::free}};
  held_tip.clamps = {{der::Clamp::point, der::Clamp::point}};
  rested.rest_twist.assign(rested.curves.points.size(), 0.0);
  for (const der::Description& d : {free_root, held_tip, rested}) EXPECT_FALSE(Strands::create(d));
  EXPECT_FALSE(Strands::create(three_curly_strands(), {0, 6, 4}));
  Strands strands = make(three_curly_strands());
  EXPECT_FALSE(strands.add_load({3, 0, Vector3d::Zero(), 0.0}));
  EXPECT_FALSE(strands.add_load({0, 12, Vector3d::Zero(), 0.0}));
}

}  // namespace
}  // namespace tendril::superhelix
