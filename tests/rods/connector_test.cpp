// Rigid connectors at free ends, and springs to places: against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "support/rods.hpp"
#include "tendril/implicit/der_statics.hpp"
#include "tendril/rods/der/reactions.hpp"

namespace tendril::der::support {
namespace {

constexpr double length = 0.3, gravity = 9.81;

Description beam(std::size_t vertices, Clamp root, const Connector& connector) {
  Description d = describe(one(straight_strand(vertices, length, Vector3d::UnitX())), cable(), {root, Clamp::free});
  d.connectors = {connector};
  return d;
}

// The frequencies of small vibrations: K and M from the matrices of two steps, K + M / dt^2.
Eigen::VectorXd squared_frequencies(const Rod& rod) {
  const double dt = 1e-3;
  const Eigen::MatrixXd stiffness = full(step_hessian(rod, 0.0));
  const Eigen::MatrixXd mass = (full(step_hessian(rod, dt)) - stiffness) * (dt * dt);
  std::vector<Eigen::Index> kept;
  for (std::size_t i = 0; i < rod.unknowns(); ++i)
    if (rod.is_free(i) && i % 4 == 1) kept.push_back(Eigen::Index(i));  // bending in one plane
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness(kept, kept), mass(kept, kept),
                                                                   Eigen::EigenvaluesOnly)
      .eigenvalues();
}

// A massless beam with a body at its end has two modes: M = [m, m d; m d, J + m d^2] in deflection and slope of the
// end, and the stiffness EI/L^3 [12, -6L; -6L, 4L^2].
TEST(Connector, VibratesAtTheFrequenciesOfABeamWithABody) {
  const double mass = 30.0, transverse = 0.09, offset = 0.04;  // far heavier than the beam
  const auto light = [&](std::size_t vertices) {
    Description d = beam(vertices, Clamp::point, {0, true, mass, 0.0, transverse, offset});
    for (double& density : d.density) density *= 1e-6;
    return d;
  };
  const Description d = light(2);
  const double r = d.semi_axis1[0], bending = d.bend_modulus[1] * pi / 4.0 * r * r * r * r;
  Eigen::Matrix2d k, m;
  k << 12.0, -6.0 * length, -6.0 * length, 4.0 * length * length;
  k *= bending / (length * length * length);
  m << mass, mass * offset, mass * offset, transverse + mass * offset * offset;
  const Eigen::Vector2d expected = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d>(k, m).eigenvalues();
  // The body is fixed to the last edge, half of which does not bend: first order in its length.
  const Eigen::VectorXd coarse = squared_frequencies(Simulation(light(121)).rod()),
                        fine = squared_frequencies(Simulation(light(241)).rod());
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(2.0 * fine[i] - coarse[i], expected[i], 2e-3 * expected[i]);
    EXPECT_NEAR((coarse[i] - expected[i]) / (fine[i] - expected[i]), 2.0, 0.15);
  }
}

TEST(Connector, FallsLikeAnythingElse) {
  for (const Isa isa : available_sets()) {
    Simulation s(beam(9, Clamp::free, {0, true, 0.5, 1e-5, 4e-5, 0.02}), {}, isa);
    StepOptions options;
    options.dt = 1.0 / 240.0, options.converge = true;
    s.run(options, 24);
    for (const Vector3d& v : s.velocities()) EXPECT_LT((v - Vector3d(0.0, -gravity * 0.1, 0.0)).norm(), 1e-9);
    for (const double rate : s.theta_velocities()) EXPECT_NEAR(rate, 0.0, 1e-9);
  }
}

// Free in space and set spinning: what the vertices have of momentum, and the body at its centre, stays.
TEST(Connector, KeepsMomentum) {
  const Connector body{0, false, 0.5, 1e-5, 4e-4, 0.03};
  Simulation s(beam(9, Clamp::free, body));
  std::vector<Vector3d> v = s.positions();
  for (Vector3d& velocity : v) velocity = Vector3d(0.3, 0.1, -2.0).cross(velocity);
  ASSERT_TRUE(set_velocities(s.strands, v, s.state));
  std::vector<double> mass = s.strands.masses();
  mass[0] -= body.mass;
  const auto momenta = [&] {
    const std::vector<Vector3d> x = s.positions(), u = s.velocities();
    const Vector3d edge = x[0] - x[1], axis = edge.normalized();
    const Vector3d turn = (u[0] - u[1] - axis.dot(u[0] - u[1]) * axis) / edge.norm();  // of the axis
    const Vector3d centre = x[0] + body.offset * axis, velocity = u[0] + body.offset * turn;
    Vector3d linear = body.mass * velocity;
    Vector3d angular = body.mass * centre.cross(velocity) + body.transverse_inertia * axis.cross(turn);
    for (std::size_t i = 0; i < x.size(); ++i) linear += mass[i] * u[i], angular += mass[i] * x[i].cross(u[i]);
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momenta();
  StepOptions options;
  options.dt = 1e-4, options.converge = true, options.gravity.setZero(), options.tolerance = 1e-10;
  s.run(options, 100);
  const auto [linear_after, angular_after] = momenta();
  EXPECT_LT((linear_after - linear).norm(), 2e-3 * linear.norm());     // the centre turns with the edge, to first order
  EXPECT_LT((angular_after - angular).norm(), 2e-3 * angular.norm());  // in the step
}

// However short the last edge is: it carries the body's weight, and nothing of its lever.
TEST(Connector, PullsWithItsWeightAlone) {
  for (const std::size_t vertices : {6u, 41u, 161u}) {
    const double mass = 0.5;
    Description d =
        describe(one(straight_strand(vertices, length, -Vector3d::UnitY())), cable(), {Clamp::point, Clamp::free});
    d.connectors = {{0, true, mass, 0.0, 1e-4, 0.05}};
    Simulation s(d);
    StaticOptions options;
    ASSERT_TRUE(solve_static(s.strands, s.targets, options, s.state)[0].stable());
    const Reactions r = reactions(s.strands, s.targets, s.state, 0, options.gravity);
    const double last = s.strands.masses().back();  // with half of the last edge
    EXPECT_NEAR(r.tension[vertices - 2], last * gravity, 1e-8 * last * gravity);
  }
}

// Upright on a slender strand it falls over: the equilibrium is found, and called unstable.
TEST(Connector, StandsUnstablyOnASlenderStrand) {
  Description d = describe(one(straight_strand(41, length, Vector3d::UnitY())), rope(), {Clamp::point, Clamp::free});
  d.connectors = {{0, true, 1e-3, 0.0, 1e-6, 0.05}};
  for (double& density : d.density) density *= 1e-6;  // its own weight does not count
  const double r = d.semi_axis1[0], bending = d.bend_modulus[1] * pi / 4.0 * r * r * r * r;
  const auto verdict = [&](double mass) {
    d.connectors[0].mass = mass;
    Simulation s(d);
    StaticOptions options;
    return solve_static(s.strands, s.targets, options, s.state)[0];
  };
  // A column of length L with a body of weight W whose centre is d beyond its end bends as 1 - cos(kx) with W = EI k^2,
  // and its end and slope there must bring the centre above: cos(kL) = k d sin(kL).
  double k = 0.1 / length;
  while (std::cos(k * length) > k * 0.05 * std::sin(k * length)) k *= 1.0001;
  const double critical = bending * k * k / gravity;
  EXPECT_EQ(verdict(0.9 * critical).negative_modes, 0);
  EXPECT_EQ(verdict(1.1 * critical).negative_modes, 2);
}

TEST(Connector, HangsByItsWeightAtItsCentre) {
  const double mass = 0.2, offset = 0.05;
  const Description d = beam(41, Clamp::point, {0, true, mass, 0.0, 1e-4, offset});
  Simulation s(d);
  StaticOptions options;
  ASSERT_TRUE(solve_static(s.strands, s.targets, options, s.state)[0].stable());
  const Reactions r = reactions(s.strands, s.targets, s.state, 0, options.gravity);
  const std::vector<Vector3d> x = s.positions();
  const std::vector<double> masses =
      Simulation(describe(d.curves, cable(), {Clamp::point, Clamp::free})).strands.masses();
  double weight = mass * gravity, moment = mass * gravity * (x[40] + offset * (x[40] - x[39]).normalized()).x();
  for (std::size_t i = 0; i < x.size(); ++i) weight += masses[i] * gravity, moment += masses[i] * gravity * x[i].x();
  EXPECT_NEAR(r.root.force.y(), weight, 1e-8 * weight);
  EXPECT_NEAR(r.root.moment.z(), moment, 1e-8 * moment);
}

TEST(Connector, IsTheSameInEveryInstructionSet) {
  const Description d = beam(17, Clamp::edge, {0, true, 0.05, 2e-6, 5e-6, 0.01});
  StepOptions options;
  options.dt = 1e-3;
  Simulation plain(d, {}, Isa::reference);
  plain.run(options, 50);
  for (const Isa isa : available_sets()) {
    Simulation s(d, {}, isa);
    s.run(options, 50);
    for (std::size_t i = 0; i < 17; ++i) EXPECT_LT((s.positions()[i] - plain.positions()[i]).norm(), 1e-11);
  }
}

TEST(Connector, IsRefusedWhereItMakesNoSense) {
  const auto refusal = [](const Connector& connector, Clamp root = Clamp::edge) {
    const Status status = check(beam(5, root, connector));
    return status ? std::string("accepted") : status.error().message();
  };
  EXPECT_EQ(refusal({0, true, 0.1, 0.0, 0.0, 0.0}), "accepted");
  EXPECT_NE(refusal({1, true, 0.1, 0.0, 0.0, 0.0}).find("names strand 1; there are 1"), std::string::npos);
  EXPECT_NE(refusal({0, false, 0.1, 0.0, 0.0, 0.0}).find("needs a free end"), std::string::npos);
  EXPECT_NE(refusal({0, true, 0.0, 0.0, 0.0, 0.0}).find("must be positive"), std::string::npos);
  EXPECT_NE(refusal({0, true, 0.1, 3.0, 1.0, 0.0}).find("more than twice"), std::string::npos);
  EXPECT_EQ(refusal({0, true, 0.1, 0.0, 0.0, -0.01}), "accepted");  // a ring around the end
  EXPECT_NE(refusal({0, true, 0.1, -1.0, 1.0, 0.0}).find("negative"), std::string::npos);
}

// A free strand without gravity whose places are all shifted alike moves as one point on a spring.
TEST(Anchor, IsASpring) {
  for (const Isa isa : available_sets()) {
    Simulation s(
        describe(one(straight_strand(7, 0.1, Vector3d(1, 2, 3).normalized())), rope(), {Clamp::free, Clamp::free}), {},
        isa);
    const double rate = 40.0;  // [rad/s]
    const Vector3d shift(0.01, -0.02, 0.03);
    std::vector<Vector3d> places = s.positions();
    for (Vector3d& place : places) place += shift;
    std::vector<double> stiffness = s.strands.masses();
    for (double& k : stiffness) k *= rate * rate;
    s.strands.set_anchors(places, stiffness, s.targets);
    StepOptions options;
    options.dt = 2e-3, options.gravity.setZero();
    const std::vector<Vector3d> drawn = s.positions();
    double x = 0.0, v = 0.0;  // share of the shift: x' = (x + h v + (h w)^2) / (1 + (h w)^2)
    for (int i = 0; i < 30; ++i) {
      s.step(options);
      const double hw = options.dt * rate, next = (x + options.dt * v + hw * hw) / (1.0 + hw * hw);
      v = (next - x) / options.dt, x = next;
      for (std::size_t k = 0; k < drawn.size(); ++k) EXPECT_LT((s.positions()[k] - drawn[k] - x * shift).norm(), 1e-10);
    }
    options.converge = true, options.tolerance = 1e-9;
    EXPECT_EQ(s.step(options).outcome, Outcome::converged);
  }
}

// With only some lanes and vertices anchored the converged step has no residual: gradient, matrix and energy agree.
TEST(Anchor, ConvergesBesideAllElse) {
  Random random(3);
  Curves curves;
  for (int i = 0; i < 5; ++i) append(curves, smooth_strand(random, 12 + std::size_t(i), 0.2, 0.2));
  Description d = describe(curves, hair(), {Clamp::edge, Clamp::free});
  d.connectors = {{2, true, 1e-6, 0.0, 1e-12, 1e-3}};
  Simulation s(d);
  std::vector<Vector3d> places = s.positions();
  std::vector<double> stiffness = s.strands.masses();
  for (std::size_t v = 0; v < places.size(); ++v)
    places[v] += 0.01 * random_vector(random), stiffness[v] = v % 3 == 0 ? 1e3 * std::abs(stiffness[v]) : 0.0;
  s.strands.set_anchors(places, stiffness, s.targets);
  StepOptions options;
  options.converge = true, options.tolerance = 1e-8;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(s.step(options).outcome, Outcome::converged);
}

}  // namespace
}  // namespace tendril::der::support
