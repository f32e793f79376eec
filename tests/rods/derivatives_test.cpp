// A whole strand: force against differences of the energy, step matrix against rows made by differences, exact Hessian
// against differences of the force, and the invariances of the energy.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rods.hpp"
#include "tendril/implicit/der_statics.hpp"

namespace tendril::der {
namespace {

using namespace support;

// Stretching no stiffer than bending by much, so that no part hides behind another's round-off.
Material stout() {
  Material m;
  m.radius = 2e-3, m.young = 1e6, m.shear = 0.7e6, m.stretch_young = 2e4, m.density = 1000.0, m.aspect = 0.6;
  m.tip_radius = 1.5e-3;
  return m;
}

Simulation random_simulation(Random& random, Curvature curvature, const Clamps& clamps, bool round = false) {
  Material material = stout();
  if (round) material.aspect = 1.0;
  Description d = describe(one(smooth_strand(random, 7, 0.06, 0.5)), material, clamps);
  d.curvature = curvature;
  Simulation s(d);
  shake(random, s);
  return s;
}

double edge_of(const Rod& rod) { return rod.parameter(rod.first, ParameterLayout::reference_length); }
double unit_of(const Rod& rod, Eigen::Index unknown) { return unknown % 4 == 3 ? 1.0 : edge_of(rod); }

class TrueMeasure : public testing::TestWithParam<Curvature> {};
INSTANTIATE_TEST_SUITE_P(Rod, TrueMeasure, testing::Values(Curvature::four, Curvature::averaged, Curvature::slerped),
                         curvature_name);

TEST_P(TrueMeasure, ForceIsMinusTheEnergysDerivative) {
  Random random(11);
  const Vector3d gravity(1.0, -9.81, 2.0);
  for (const Clamps& clamps : {Clamps{Clamp::free, Clamp::free}, Clamps{Clamp::point, Clamp::point}}) {
    Simulation s = random_simulation(random, GetParam(), clamps);
    ASSERT_TRUE(s.strands.add_load({0, 3, {1e-3, 2e-3, -1e-3}, 1e-6}));
    const Rod rod = s.rod();
    const VectorXd force = net_force(rod, gravity);
    const double largest = force.cwiseAbs().maxCoeff();
    for (Eigen::Index u = 0; u + 1 < force.size(); ++u) {
      const double h = 1e-3 * unit_of(rod, u);
      const auto at = [&](double d) {
        return energies(displaced(rod, d * VectorXd::Unit(force.size(), u)), gravity).total();
      };
      const double expected = -(8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
      // Torques are compared as forces at the lever of an edge.
      EXPECT_NEAR(force[u] / unit_of(rod, u) * edge_of(rod), expected / unit_of(rod, u) * edge_of(rod), 1e-8 * largest)
          << "unknown " << u;
    }
  }
}

// The step's matrix from scratch: strains of the measuring kernel, differentiated numerically.
TEST_P(TrueMeasure, StepMatrixIsMassPlusOuterProductsPlusProjectedStretching) {
  Random random(12);
  for (const bool round : {false, true}) {
    const Simulation s = random_simulation(random, GetParam(), {Clamp::free, Clamp::free}, round);
    const Rod rod = s.rod();
    const auto n = Eigen::Index(rod.unknowns());
    constexpr int rows_per_vertex = MeasureLayout::components;
    const auto strains = [&](const Rod& r) {
      Stream values(std::size_t(r.vertices) * rows_per_vertex);
      kernels(Isa::reference).measure(r.view(), r.state.data(), values.data());
      return VectorXd(Eigen::Map<VectorXd>(values.data(), Eigen::Index(values.size())));
    };
    Eigen::MatrixXd rows(rod.vertices * rows_per_vertex, n);
    for (Eigen::Index u = 0; u < n; ++u) {
      const double h = 1e-3 * unit_of(rod, u);
      const auto at = [&](double d) { return strains(displaced(rod, d * VectorXd::Unit(n, u))); };
      rows.col(u) = u + 1 == n ? VectorXd(VectorXd::Zero(rows.rows()))
                               : VectorXd((8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h));
    }
    const double dt = 1e-2;
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(n, n);
    const int components = GetParam() == Curvature::four ? 4 : 2;
    for (int k = 0; k < rod.vertices; ++k) {
      using P = ParameterLayout;
      const auto add = [&](double stiffness, int row) {
        const VectorXd r = rows.row(k * rows_per_vertex + row);
        expected += stiffness * r * r.transpose();
      };
      if (k > 0 && k + 1 < rod.vertices) {
        for (int c = 0; c < components; ++c)
          add((4 / components) * rod.parameter(k, c % 2 == 0 ? P::bend1 : P::bend2), MeasureLayout::curvature + c);
        add(rod.parameter(k, P::twist), MeasureLayout::twist);
      }
      for (int c = 0; c < 3; ++c) expected(4 * k + c, 4 * k + c) += rod.parameter(k, P::mass) / (dt * dt);
      expected(4 * k + 3, 4 * k + 3) += rod.parameter(k, P::inertia) / (dt * dt);
      if (k + 1 == rod.vertices) continue;
      add(rod.parameter(k, P::stretch) * rod.parameter(k, P::inverse_rest_length), MeasureLayout::length);
      const Vector3d edge = rod.position(k + 1) - rod.position(k), t = edge.normalized();
      const double strain = edge.norm() * rod.parameter(k, P::inverse_rest_length) - 1.0;
      const Eigen::Matrix3d across = std::max(0.0, rod.parameter(k, P::stretch) * strain / edge.norm()) *
                                     (Eigen::Matrix3d::Identity() - t * t.transpose());
      expected.block<3, 3>(4 * k, 4 * k) += across, expected.block<3, 3>(4 * k + 4, 4 * k + 4) += across;
      expected.block<3, 3>(4 * k, 4 * k + 4) -= across, expected.block<3, 3>(4 * k + 4, 4 * k) -= across;
    }
    const Eigen::MatrixXd ours = full(step_hessian(rod, dt));
    for (Eigen::Index a = 0; a < n; ++a)
      for (Eigen::Index b = 0; b < n; ++b)
        EXPECT_NEAR(ours(a, b), expected(a, b), 1e-8 * std::sqrt(expected(a, a) * expected(b, b))) << a << " " << b;
  }
}

Eigen::MatrixXd force_jacobian(const Rod& rod) {
  const auto n = Eigen::Index(rod.unknowns());
  Eigen::MatrixXd out(n, n);
  for (Eigen::Index u = 0; u < n; ++u) {
    const double h = 1e-4 * unit_of(rod, u);
    const auto at = [&](double d) { return net_force(displaced(rod, d * VectorXd::Unit(n, u)), Vector3d::Zero()); };
    out.col(u) = -(8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
  }
  return out;
}

TEST_P(TrueMeasure, ExactHessianIsTheSymmetricPartOfTheForcesDerivative) {
  Random random(13);
  for (int trial = 0; trial < 3; ++trial) {
    const Rod rod = random_simulation(random, GetParam(), {Clamp::free, Clamp::free}).rod();
    const Eigen::MatrixXd jacobian = force_jacobian(rod);
    Eigen::MatrixXd expected = 0.5 * (jacobian + jacobian.transpose()), ours = full(exact_hessian(rod));
    for (Eigen::Index u = 0; u < ours.rows(); ++u)  // all entries as energies
      for (Eigen::MatrixXd* m : {&expected, &ours}) m->row(u) *= unit_of(rod, u), m->col(u) *= unit_of(rod, u);
    EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff());
  }
}

// Transported frames have holonomy: away from equilibrium, or under an applied torque, the derivative of the force is
// not symmetric.
TEST_P(TrueMeasure, ForceDerivativeIsSymmetricAtEquilibriumOnly) {
  Random random(14);
  Simulation s = random_simulation(random, GetParam(), {Clamp::edge, Clamp::free});
  const auto asymmetry = [&] {
    const Rod rod = s.rod();
    Eigen::MatrixXd j = force_jacobian(rod);
    for (Eigen::Index u = 0; u < j.rows(); ++u) {
      j.row(u) *= unit_of(rod, u), j.col(u) *= unit_of(rod, u);
      if (!rod.is_free(std::size_t(u))) j.row(u).setZero(), j.col(u).setZero();
    }
    return (j - j.transpose()).cwiseAbs().maxCoeff() / j.cwiseAbs().maxCoeff();
  };
  EXPECT_GT(asymmetry(), 1e-3);
  ASSERT_TRUE(s.strands.add_load({0, -1, {1e-3, 2e-3, -2e-3}, 0.0}));  // far from the rest shape
  StaticOptions options;
  const StaticReport report = solve_static(s.strands, s.targets, options, s.state)[0];
  ASSERT_EQ(report.status, SolveStatus::converged);
  EXPECT_GT(s.energies(Vector3d::Zero()).twist, 0.0);
  EXPECT_LT(asymmetry(), 1e-8);
}

// All measures and energies: nothing changes when the whole strand moves as a rigid body, frames included.
TEST_P(TrueMeasure, RigidMotionChangesNoEnergyAndTurnsTheForces) {
  Random random(15);
  const Rod rod = random_simulation(random, GetParam(), {Clamp::free, Clamp::free}).rod();
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(2.1, Vector3d(1, -2, 0.5).normalized()));
  const Vector3d shift(0.3, -0.2, 0.7);
  Rod turned = rod;
  for (int k = 0; k < rod.vertices; ++k) {
    const Vector3d x = turn * rod.position(k) + shift, a = turn * Vector3d(read3(rod, k, StateLayout::director));
    for (int c = 0; c < 3; ++c)
      value_of(turned, k, StateLayout::position + c) = x[c], value_of(turned, k, StateLayout::director + c) = a[c];
  }
  const Energies before = energies(rod, Vector3d::Zero()), after = energies(turned, Vector3d::Zero());
  // A position of 1 m rounds the length of a 1 cm edge to 1e-14 of it: that is the floor.
  EXPECT_NEAR(after.stretch, before.stretch, 1e-12 * before.stretch);
  EXPECT_NEAR(after.bend, before.bend, 1e-12 * before.bend);
  EXPECT_NEAR(after.twist, before.twist, 1e-12 * before.twist);
  const VectorXd f = net_force(rod, Vector3d::Zero()), g = net_force(turned, Vector3d::Zero());
  for (int k = 0; k < rod.vertices; ++k) {
    EXPECT_LT((g.segment<3>(4 * k) - turn * f.segment<3>(4 * k)).norm(), 1e-11 * f.norm());
    EXPECT_NEAR(g[4 * k + 3], f[4 * k + 3], 1e-11 * f.norm() * edge_of(rod));
  }
}

// The reference directors are a gauge: turned by any angle per edge, with theta turned back, nothing may change.
TEST_P(TrueMeasure, TurningReferenceDirectorsBackwardsChangesNothing) {
  Random random(16);
  for (const bool each_its_own : {false, true}) {
    Simulation s = random_simulation(random, GetParam(), {Clamp::free, Clamp::free});
    const Energies before = energies(s.rod(), Vector3d::Zero());
    const VectorXd force = net_force(s.rod(), Vector3d::Zero());
    std::vector<Vector3d> x = s.positions(), a = s.directors();
    std::vector<double> theta = s.thetas(), twist = s.reference_twists();
    double angle = 0.9, behind = 0.9;
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      if (each_its_own) behind = angle, angle = random.uniform(-3.0, 3.0);
      a[k] = Eigen::AngleAxisd(angle, (x[k + 1] - x[k]).normalized()) * a[k];
      theta[k] -= angle;
      if (k > 0) twist[k] += angle - behind;
    }
    ASSERT_TRUE(set_thetas(s.strands, theta, s.state));
    ASSERT_TRUE(set_directors(s.strands, a, twist, s.state));
    const Energies after = energies(s.rod(), Vector3d::Zero());
    EXPECT_NEAR(after.bend, before.bend, 1e-12 * before.bend);
    EXPECT_NEAR(after.twist, before.twist, 1e-12 * before.twist);
    EXPECT_LT((net_force(s.rod(), Vector3d::Zero()) - force).norm(), 1e-12 * force.norm());
  }
}

// A round rod does not know how its frames lie: turning them all by one angle costs nothing, if rest is straight.
TEST_P(TrueMeasure, CommonShiftOfThetaCostsARoundStraightRodNothing) {
  Random random(17);
  Description d = describe(one(smooth_strand(random, 7, 0.06, 0.5)), hair(), {Clamp::free, Clamp::free});
  d.curvature = GetParam();
  d.rest_curvature.assign(7, {});
  Simulation s(d);
  shake(random, s);
  const Energies before = energies(s.rod(), Vector3d::Zero());
  std::vector<double> theta = s.thetas();
  for (double& t : theta) t += 1.234;
  ASSERT_TRUE(set_thetas(s.strands, theta, s.state));
  const Energies after = energies(s.rod(), Vector3d::Zero());
  EXPECT_NEAR(after.bend, before.bend, 1e-13 * before.bend);
  EXPECT_NEAR(after.twist, before.twist, 1e-13 * before.twist);
  EXPECT_GT(before.bend, 0.0);
}

// Internal forces come in pairs: their sum vanishes, and so does the sum of their moments with the frames' torques.
TEST_P(TrueMeasure, InternalForcesAndMomentsBalance) {
  Random random(18);
  const Rod rod = random_simulation(random, GetParam(), {Clamp::free, Clamp::free}).rod();
  const VectorXd force = net_force(rod, Vector3d::Zero());
  Vector3d sum = Vector3d::Zero(), moment = Vector3d::Zero();
  for (int k = 0; k < rod.vertices; ++k) {
    sum += force.segment<3>(4 * k);
    moment += rod.position(k).cross(force.segment<3>(4 * k));
    if (k + 1 < rod.vertices) moment += force[4 * k + 3] * (rod.position(k + 1) - rod.position(k)).normalized();
  }
  const double largest = force.cwiseAbs().maxCoeff();
  EXPECT_LT(sum.norm(), 1e-13 * largest);
  EXPECT_LT(moment.norm(), 1e-12 * largest * 0.1);  // positions reach 0.1 m
}

}  // namespace
}  // namespace tendril::der
