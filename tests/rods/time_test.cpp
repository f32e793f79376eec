// Time: orders of the integrators, energy, damping, and how one Newton iteration relates to many.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rods.hpp"

namespace tendril::der {
namespace {

using namespace support;

StepOptions weightless(double dt) {
  StepOptions options;
  options.dt = dt;
  options.gravity.setZero();
  return options;
}

double distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

// A rubber-like cantilever, slow enough that 1/100 s resolves all that moves: bending at 1 Hz, little stretching.
Description soft_cantilever(std::size_t vertices) {
  Material m;
  m.radius = 5e-3, m.young = 2e5, m.shear = 7e4, m.density = 1000.0;
  return describe(one(straight_strand(vertices, 0.3, Vector3d::UnitX())), m, {Clamp::point, Clamp::free});
}

std::vector<Vector3d> swung(StepOptions options, double dt, int steps) {
  Simulation s(soft_cantilever(8));
  options.dt = dt;
  s.run(options, steps);
  return s.positions();
}

// Halving the step halves Euler's error and quarters that of BDF2, against a much finer run.
TEST(Order, IsOneForEulerAndTwoForBdf2) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2})
    for (const bool converge : {false, true}) {
      StepOptions options;
      options.integrator = integrator, options.converge = converge;
      options.gravity = {0.0, -1.0, 0.5};
      StepOptions fine = options;
      fine.integrator = Integrator::bdf2, fine.converge = true;
      const std::vector<Vector3d> exact = swung(fine, 0.2 / 6400, 6400);
      std::vector<double> error;
      for (const int steps : {100, 200, 400}) error.push_back(distance(swung(options, 0.2 / steps, steps), exact));
      const double expected = integrator == Integrator::euler ? 1.0 : 2.0;
      EXPECT_NEAR(std::log2(error[0] / error[1]), expected, 0.3) << "converge " << converge;
      EXPECT_NEAR(std::log2(error[1] / error[2]), expected, 0.3) << "converge " << converge;
    }
}

// Steps that alternate between dt and 2 dt: the formula knows the step before.
TEST(Order, OfBdf2StaysTwoWithVariableSteps) {
  const auto run = [](double dt, int pairs) {
    Simulation s(soft_cantilever(8));
    StepOptions options;
    options.integrator = Integrator::bdf2, options.converge = true, options.gravity = {0.0, -1.0, 0.5};
    for (int i = 0; i < pairs; ++i) {
      for (const double length : {1.0, 2.0}) {
        options.dt = length * dt;
        EXPECT_EQ(s.step(options).outcome, Outcome::converged);
      }
    }
    return s.positions();
  };
  StepOptions fine;
  fine.integrator = Integrator::bdf2, fine.converge = true, fine.gravity = {0.0, -1.0, 0.5};
  const std::vector<Vector3d> exact = swung(fine, 0.2 / 6400, 6400);
  const double coarse = distance(run(0.2 / 150, 50), exact), half = distance(run(0.2 / 300, 100), exact),
               quarter = distance(run(0.2 / 600, 200), exact);
  EXPECT_NEAR(std::log2(coarse / half), 2.0, 0.3);
  EXPECT_NEAR(std::log2(half / quarter), 2.0, 0.3);
}

// One linearly implicit iteration differs from the converged step by second order in the step.
TEST(Newton, OneIterationTendsToTheConvergedRun) {
  StepOptions once, converged;
  once.gravity = converged.gravity = {0.0, -1.0, 0.5};
  converged.converge = true;
  std::vector<double> off;
  for (const int steps : {50, 100, 200})
    off.push_back(distance(swung(once, 0.2 / steps, steps), swung(converged, 0.2 / steps, steps)));
  EXPECT_LT(off[1], 0.7 * off[0]);
  EXPECT_LT(off[2], 0.7 * off[1]);
  EXPECT_LT(off[2], 1e-3);
}

// Many iterations without a search end where the search ends, if the step is small.
TEST(Newton, FixedCountReachesTheConvergedStep) {
  Random random(71);
  Description d = describe(one(smooth_strand(random, 12, 0.1, 0.2)), rope(), {});
  Simulation fixed(d), converged(d);
  StepOptions many, search;
  many.dt = search.dt = 1e-3, many.newton = 12, search.converge = true, search.tolerance = 1e-10;
  fixed.run(many, 30), converged.run(search, 30);
  EXPECT_LT(distance(fixed.positions(), converged.positions()), 1e-10);
}

TEST(ConvergedStep, MeetsItsToleranceAndSaysSo) {
  Random random(72);
  Curves curves;
  for (int i = 0; i < 8; ++i) append(curves, smooth_strand(random, 12, 0.1, 0.2));
  Simulation s(describe(curves, rope(), {}));
  StepOptions options;
  options.converge = true;
  StepWorkspace work;
  for (int i = 0; i < 30; ++i) {
    const State before = s.state;
    const StepReport report = s.try_step(options);
    ASSERT_EQ(report.outcome, Outcome::converged) << text(report.trouble);
    EXPECT_GE(report.iterations, 2);
    EXPECT_NEAR(force_residual(s.strands, s.targets, options, before, s.trial, work), report.residual,
                1e-3 * report.residual);
    EXPECT_LT(report.residual, 1e-6);  // rounding of positions may be above the tolerance of 1e-8
    commit(s.trial, options.dt, false, s.state);
  }
}

TEST(ConvergedStep, ReportsWhenItRunsOutOfIterations) {
  Random random(73);
  Simulation s(describe(one(smooth_strand(random, 20, 0.2, 0.3)), hair(), {}));
  std::vector<Vector3d> velocity(20, Vector3d(1.0, 0.0, 2.0));
  ASSERT_TRUE(set_velocities(s.strands, velocity, s.state));
  StepOptions options;
  options.converge = true, options.max_iterations = 2;
  const StepReport report = s.step(options);
  EXPECT_EQ(report.outcome, Outcome::usable);
  EXPECT_EQ(report.trouble, Trouble::not_converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.residual, 1e-8);
}

// Converged implicit Euler minimises a potential: whatever the step, it cannot gain energy.
TEST(Energy, NeverGrowsInConvergedEuler) {
  for (const Material& material : {hair(), rope()})
    for (const double dt : {1e-3, 1.0 / 240.0, 0.05}) {
      Random random(74);
      Description d = describe(one(smooth_strand(random, 20, 0.2, 0.3)), material, {});
      d.rest_curvature.assign(20, {});  // springs open
      Simulation s(d);
      StepOptions options = weightless(dt);
      options.converge = true;
      double energy = s.energies(Vector3d::Zero()).total();
      EXPECT_GT(energy, 0.0);
      const double start = energy;
      for (int i = 0; i < 60; ++i) {
        ASSERT_NE(s.step(options).outcome, Outcome::failed);
        const double now = s.energies(Vector3d::Zero()).total();
        EXPECT_LE(now, energy + 1e-6 * start) << "dt " << dt << ", step " << i;  // 1e-6: residual at the noise floor
        energy = now;
      }
      EXPECT_LT(energy, start);
    }
}

// A free strand that spins and flies: linear momentum to round-off whatever the integrator, angular momentum and energy
// with the integrator's order.
TEST(Momentum, OfAFreeStrandIsConserved) {
  struct Run {
    Vector3d linear, angular;
    double energy;
  };
  const auto measure = [](const Simulation& s) {
    Run run{Vector3d::Zero(), Vector3d::Zero(), s.energies(Vector3d::Zero()).total()};
    const std::vector<double> mass = s.strands.masses();
    const std::vector<Vector3d> x = s.positions(), v = s.velocities();
    for (std::size_t i = 0; i < x.size(); ++i) run.linear += mass[i] * v[i], run.angular += mass[i] * x[i].cross(v[i]);
    return run;
  };
  std::vector<double> lost_spin[2], lost_energy[2];
  for (const int kind : {0, 1})
    for (const int steps : {100, 200, 400}) {
      Random random(75);
      Description d = describe(one(smooth_strand(random, 15, 0.2, 0.1)), rope(), {Clamp::free, Clamp::free});
      d.inertia.assign(15, 1e-14);  // the spin of edges about themselves is no part of the model's angular momentum
      Simulation s(d);
      std::vector<Vector3d> velocity;
      for (const Vector3d& x : s.positions()) velocity.push_back(Vector3d(0.2, 0.1, -0.1) + Vector3d(1, 2, 2).cross(x));
      ASSERT_TRUE(set_velocities(s.strands, velocity, s.state));
      const Run before = measure(s);
      StepOptions options = weightless(0.25 / steps);
      options.integrator = kind == 0 ? Integrator::euler : Integrator::bdf2;
      options.converge = true;
      s.run(options, steps);
      const Run after = measure(s);
      EXPECT_LT((after.linear - before.linear).norm(), 1e-10 * before.linear.norm());
      lost_spin[kind].push_back((after.angular - before.angular).norm() / before.angular.norm());
      lost_energy[kind].push_back((before.energy - after.energy) / before.energy);
      EXPECT_GT(lost_energy[kind].back(), kind == 0 ? 0.0 : -1e-3);
    }
  for (const int i : {0, 1}) {
    EXPECT_NEAR(std::log2(lost_spin[0][std::size_t(i)] / lost_spin[0][std::size_t(i) + 1]), 1.0, 0.3);
    EXPECT_GT(std::log2(lost_spin[1][std::size_t(i)] / lost_spin[1][std::size_t(i) + 1]), 1.7);
  }
  EXPECT_LT(lost_spin[1][2], 0.1 * lost_spin[0][2]);
}

// The first bending mode of a clamped rod as a smooth start: deflection of a tip load, then let go.
struct Ringing {
  double frequency, ratio;  // [1/s], of critical damping, from the envelope
};

Ringing ring(double damping, Integrator integrator, bool converge, int newton) {
  Description d = soft_cantilever(12);
  d.damping = {damping};
  Simulation s(d);
  std::vector<Vector3d> x = s.positions();
  for (Vector3d& p : x) p.y() += 1e-4 * p.x() * p.x() * (3.0 * 0.3 - p.x()) / (2.0 * 0.3 * 0.3 * 0.3);
  EXPECT_TRUE(set_positions(s.strands, x, s.state));
  StepOptions options = weightless(2e-4);
  options.integrator = integrator, options.converge = converge, options.newton = newton;
  std::vector<double> peaks, times;
  double before = x.back().y(), last = before;
  for (int i = 1; i <= 30000 && peaks.size() < 4; ++i) {
    s.run(options, 1);
    const double now = s.positions().back().y();
    if (last > before && last >= now && last > 0.0) peaks.push_back(last), times.push_back(i * options.dt);
    before = last, last = now;
  }
  if (peaks.size() < 4) return {0.0, 0.0};
  const double decrement = std::log(peaks[0] / peaks[3]) / (3.0 * 2.0 * pi);
  return {3.0 / (times[3] - times[0]), decrement / std::sqrt(1.0 + decrement * decrement)};
}

// Stiffness-proportional damping of time beta: a mode of circular frequency w decays with the ratio beta w / 2.
TEST(HeavyDamping, DecaysAVibrationByHalfBetaOmega) {
  const double plain = ring(0.0, Integrator::bdf2, false, 1).ratio;  // BDF2's own, third order in the step
  EXPECT_LT(std::abs(plain), 1e-4);
  for (const double beta : {2e-3, 1e-2}) {
    const Ringing once = ring(beta, Integrator::bdf2, false, 1), converged = ring(beta, Integrator::bdf2, true, 1);
    const double expected = beta * 2.0 * pi * once.frequency / 2.0;
    EXPECT_NEAR(once.ratio - plain, expected, 0.03 * expected) << beta;
    EXPECT_NEAR(converged.ratio, once.ratio, 0.01 * expected) << beta;
    const Ringing euler = ring(beta, Integrator::euler, false, 1), three = ring(beta, Integrator::euler, false, 3);
    EXPECT_NEAR(three.ratio, euler.ratio, 0.01 * expected) << beta;
  }
}

// Damping acts on strains: falling, sliding and turning cost nothing.
TEST(Damping, LeavesRigidMotionAlone) {
  for (const bool converge : {false, true}) {
    std::vector<double> spin;
    for (const double beta : {0.0, 0.1}) {
      Random random(76);
      Description d = describe(one(smooth_strand(random, 10, 0.1, 0.2)), rope(), {Clamp::free, Clamp::free});
      d.damping = {beta};
      Simulation s(d);
      std::vector<Vector3d> velocity;
      for (const Vector3d& x : s.positions()) velocity.push_back(Vector3d(1, 0, 0) + 0.1 * Vector3d(1, 2, 2).cross(x));
      ASSERT_TRUE(set_velocities(s.strands, velocity, s.state));
      StepOptions options = weightless(1e-4);
      options.converge = converge;
      s.run(options, 200);
      spin.push_back(s.energies(Vector3d::Zero()).kinetic);
    }
    EXPECT_NEAR(spin[1], spin[0], 1e-6 * spin[0]) << converge;
  }
}

TEST(Damping, OfOneStrandLeavesOthersUndamped) {
  Random random(77);
  Curves curves;
  for (int i = 0; i < 5; ++i) append(curves, smooth_strand(random, 12, 0.1, 0.2));
  Description none = describe(curves, hair(), {}), some = none;
  some.damping = {0.0, 0.0, 1e-2, 0.0, 0.0};
  for (const bool converge : {false, true}) {
    Simulation a(none), b(some);
    StepOptions options;
    options.converge = converge;
    a.run(options, 20), b.run(options, 20);
    for (std::size_t strand = 0; strand < 5; ++strand) {
      const std::vector<Vector3d> x = a.positions(), y = b.positions();
      const bool same =
          std::equal(x.begin() + std::ptrdiff_t(12 * strand), x.begin() + std::ptrdiff_t(12 * strand + 12),
                     y.begin() + std::ptrdiff_t(12 * strand));
      EXPECT_EQ(same, strand != 2) << strand;
    }
  }
}

// Going from BDF2 to Euler and back must not use a history that is no longer the last step.
TEST(Bdf2, ForgetsItsHistoryWhenAnotherStepComesBetween) {
  Random random(78);
  Description d = describe(one(smooth_strand(random, 8, 0.1, 0.2)), hair(), {});
  StepOptions bdf2, euler;
  bdf2.integrator = Integrator::bdf2, bdf2.dt = euler.dt = 1e-3;
  Simulation s(d);
  s.run(bdf2, 3), s.run(euler, 20);
  Simulation fresh = s;
  ASSERT_TRUE(set_velocities(fresh.strands, fresh.velocities(), fresh.state));  // starts BDF2 afresh
  s.run(bdf2, 1), fresh.run(bdf2, 1);
  EXPECT_EQ(s.positions(), fresh.positions());
}

}  // namespace
}  // namespace tendril::der
