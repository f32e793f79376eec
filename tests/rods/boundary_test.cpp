// What is held, stays; what is driven, gets there; and the strand follows. Clamps, single holds, twist, loads.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rods.hpp"
#include "tendril/rods/der/reactions.hpp"

namespace tendril::der {
namespace {

using namespace support;

StepOptions weightless(double dt) {
  StepOptions options;
  options.dt = dt;
  options.gravity.setZero();
  return options;
}

Pose turn(double angle, const Vector3d& axis, const Vector3d& shift = Vector3d::Zero()) {
  return {Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized())), shift};
}

// First material director of an edge.
Vector3d material_director(const Simulation& s, std::size_t edge) {
  const std::vector<Vector3d> x = s.positions();
  return Eigen::AngleAxisd(s.thetas()[edge], (x[edge + 1] - x[edge]).normalized()) * s.directors()[edge];
}

class EndClamp : public testing::TestWithParam<Clamp> {};
INSTANTIATE_TEST_SUITE_P(Boundary, EndClamp, testing::Values(Clamp::edge, Clamp::point),
                         [](const testing::TestParamInfo<Clamp>& clamp) {
                           return clamp.param == Clamp::edge ? "Edge" : "Point";
                         });

// Held positions are their targets to the last bit, held frames to round-off, held velocities what took them there.
TEST_P(EndClamp, GoesWhereItIsDriven) {
  for (const bool tip_too : {false, true}) {
    Random random(41);
    Simulation s(
        describe(one(smooth_strand(random, 12, 0.1, 0.2)), hair(), {GetParam(), tip_too ? GetParam() : Clamp::free}));
    const std::vector<Vector3d> start = s.positions();
    const Vector3d director = material_director(s, 0), tip_director = material_director(s, 10);
    const auto held = [&](std::size_t v) {
      if (GetParam() == Clamp::edge) return v < 2 || (tip_too && v > 9);
      return v == 0 || (tip_too && v == 11);
    };
    for (int i = 1; i <= 60; ++i) {
      Drive drive;
      drive.root = {turn(0.05 * i, {1, 2, 3}, {1e-3 * i, 0.0, 2e-3 * std::sin(0.4 * i)})};
      drive.tip = drive.root;
      const std::vector<Vector3d> before = s.positions();
      ASSERT_EQ(s.step({}, drive).outcome, Outcome::converged);
      const std::vector<Vector3d> x = s.positions(), v = s.velocities();
      for (std::size_t k = 0; k < x.size(); ++k)
        if (held(k)) {
          EXPECT_EQ(x[k], apply(drive.root[0], start[k])) << "step " << i << ", vertex " << k;
          EXPECT_LT((v[k] - (x[k] - before[k]) * 240.0).norm(), 1e-12 * v[k].norm());
        }
      if (GetParam() == Clamp::edge) {
        EXPECT_LT((material_director(s, 0) - drive.root[0].rotation * director).norm(), 1e-12);
        if (tip_too) {
          EXPECT_LT((material_director(s, 10) - drive.root[0].rotation * tip_director).norm(), 1e-12);
        }
      }
    }
  }
}

// Steps so long that inertia does not count: an unloaded strand is where its clamp has taken it, as a rigid body.
TEST_P(EndClamp, TakesAnUnloadedStrandAlongRigidly) {
  for (const Material& material : {hair(), rope(), cable()}) {
    Random random(42);
    Simulation s(describe(one(smooth_strand(random, 12, 0.1, 0.2)), material, {GetParam(), Clamp::free}));
    const std::vector<Vector3d> start = s.positions();
    StepOptions options = weightless(1e4);
    options.converge = true;
    Drive drive;
    for (int i = 1; i <= 20; ++i) {
      drive.root = {turn(0.1 * i, {1, 2, 3}, {2e-3 * i, 0.0, -1e-3 * i})};
      ASSERT_NE(s.step(options, drive).outcome, Outcome::failed);
    }
    const std::vector<Vector3d> x = s.positions();
    double largest = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k)
      largest = std::max(largest, (x[k] - apply(drive.root[0], start[k])).norm());
    EXPECT_LT(largest, 1e-8 * 0.1);
  }
}

// Turned about its own axis the root makes any number of turns; a strand at rest comes along without twist.
TEST_P(EndClamp, TakesAStrandThroughTenTurnsAboutItsOwnAxis) {
  Simulation s(describe(one(straight_strand(8, 0.1, Vector3d::UnitX())), hair(), {GetParam(), Clamp::free}));
  const StepOptions options = weightless(10.0);
  for (int i = 1; i <= 200; ++i) {
    Drive drive;
    drive.root = {turn(0.1 * pi * i, Vector3d::UnitX())};
    ASSERT_EQ(s.step(options, drive).outcome, Outcome::converged);
  }
  for (std::size_t e = 0; e < 7; ++e) EXPECT_NEAR(s.thetas()[e], 20.0 * pi, 1e-7) << "edge " << e;
  EXPECT_LT(s.energies(Vector3d::Zero()).elastic(), 1e-16);
}

// A straight rod clamped at both ends, its tip turned about the axis: every joint takes an equal share of the twist,
// and the clamps see the torque GJ angle / length. Edge clamps leave the length between the middles of their edges.
// Torsion so much weaker than bending that ten turns stay below the load at which it would loop.
TEST_P(EndClamp, HoldsOneAndTenTurnsOfTwist) {
  constexpr std::size_t n = 9;
  const double edge = 0.1 / double(n - 1);
  for (const double turns : {1.0, 10.0, -3.0}) {
    Material material = hair();
    material.shear = material.young / 40.0;
    Simulation s(describe(one(straight_strand(n, 0.1, Vector3d::UnitX())), material, {GetParam(), GetParam()}));
    const StepOptions options = weightless(1e3);
    Drive drive;
    const int steps = 100;
    for (int i = 1; i <= steps + 20; ++i) {
      drive.tip = {turn(2.0 * pi * turns * std::min(1.0, double(i) / steps), Vector3d::UnitX())};
      ASSERT_EQ(s.step(options, drive).outcome, Outcome::converged);
    }
    const double angle = 2.0 * pi * turns, length = GetParam() == Clamp::edge ? 0.1 - edge : 0.1;
    const double torque = material.shear * 0.5 * pi * std::pow(material.radius, 4) * angle / length;
    const Reactions r = reactions(s.strands, s.targets, s.state, 0, Vector3d::Zero());
    for (std::size_t i = 1; i + 1 < n; ++i) {
      EXPECT_NEAR(s.thetas()[i] - s.thetas()[i - 1] + s.reference_twists()[i], angle * edge / length, 1e-9);
      EXPECT_NEAR(r.moment[i].z(), torque, 1e-9 * std::abs(torque));
    }
    EXPECT_NEAR(r.tip.moment.x(), torque, 1e-9 * std::abs(torque));
    EXPECT_NEAR(r.root.moment.x(), -torque, 1e-9 * std::abs(torque));
    EXPECT_NEAR(s.energies(Vector3d::Zero()).twist, 0.5 * torque * angle, 1e-9 * std::abs(torque * angle));

    for (int i = steps; i-- > 0;) {  // and back
      drive.tip = {turn(2.0 * pi * turns * double(i) / steps, Vector3d::UnitX())};
      ASSERT_EQ(s.step(options, drive).outcome, Outcome::converged);
    }
    s.run(options, 20);
    EXPECT_LT(s.energies(Vector3d::Zero()).elastic(), 1e-12 * std::abs(torque * angle));
  }
}

// A twisted rod whose whole set-up turns in space: the twist must survive the transport of the frames.
TEST(Twist, SurvivesARigidTurnOfBothClamps) {
  Material material = hair();
  material.shear = material.young / 40.0;
  Simulation s(describe(one(straight_strand(9, 0.1, Vector3d::UnitX())), material, {Clamp::edge, Clamp::edge}));
  const StepOptions options = weightless(1e3);
  Drive drive;
  for (int i = 1; i <= 100; ++i) {
    drive.tip = {turn(0.06 * pi * i, Vector3d::UnitX())};
    ASSERT_EQ(s.step(options, drive).outcome, Outcome::converged);
  }
  s.run(options, 20);
  const double before = s.energies(Vector3d::Zero()).twist;
  const Pose twisted = drive.tip[0];
  for (int i = 1; i <= 200; ++i) {  // a loop in the space of directions that encloses a solid angle
    const Pose tilt = compose(turn(0.01 * pi * i, {0, 1, 0}), turn(0.8 * std::sin(0.01 * pi * i), {0, 0, 1}));
    drive.root = {tilt}, drive.tip = {compose(tilt, twisted)};
    ASSERT_EQ(s.step(options, drive).outcome, Outcome::converged);
  }
  s.run(options, 50);
  EXPECT_NEAR(s.energies(Vector3d::Zero()).twist, before, 1e-6 * before);
  EXPECT_LT(s.energies(Vector3d::Zero()).bend, 1e-9 * before);
}

TEST(Hold, KeepsASingleComponent) {
  for (const Isa isa : available_sets()) {
    Random random(43);
    Simulation s(describe(one(smooth_strand(random, 12, 0.1, 0.2)), hair(), {Clamp::free, Clamp::free}),
                 {{0, 5, {true, false, false, false}}}, isa);
    const std::vector<Vector3d> start = s.positions();
    StepOptions options;
    options.gravity = {3.0, -9.81, 1.0};
    s.run(options, 50);
    const std::vector<Vector3d> x = s.positions();
    EXPECT_EQ(x[5].x(), start[5].x());
    EXPECT_EQ(s.velocities()[5].x(), 0.0);
    EXPECT_LT(x[5].y(), start[5].y() - 0.1);
    EXPECT_GT(x[5].z(), start[5].z() + 0.01);
    // Nothing else acts across x: the whole strand swings, but its centre falls freely in y and z.
    double mass = 0.0;
    Vector3d momentum = Vector3d::Zero();
    const std::vector<double> masses = s.strands.masses();
    for (std::size_t i = 0; i < masses.size(); ++i) mass += masses[i], momentum += masses[i] * s.velocities()[i];
    EXPECT_NEAR(momentum.y() / mass, -9.81 * 50.0 / 240.0, 1e-9);
    EXPECT_NEAR(momentum.z() / mass, 1.0 * 50.0 / 240.0, 1e-9);
  }
}

TEST(Hold, FollowsItsDriveAndTurnsItsEdge) {
  for (const Isa isa : available_sets()) {
    Random random(44);
    Simulation s(describe(one(smooth_strand(random, 12, 0.1, 0.2)), hair(), {}),
                 {{0, -4, {true, true, true, false}}, {0, 6, {false, false, false, true}}}, isa);
    const std::vector<Vector3d> start = s.positions();
    Drive drive;
    drive.holds.resize(2), drive.hold_angles.resize(2);
    for (int i = 1; i <= 40; ++i) {
      drive.holds[0] = turn(0.0, Vector3d::UnitX(), {0.0, 2e-4 * i, 1e-4 * i});
      drive.hold_angles[1] = 0.3 * i;
      ASSERT_EQ(s.step({}, drive).outcome, Outcome::converged);
      EXPECT_EQ(s.positions()[8], start[8] + Vector3d(0.0, 2e-4 * i, 1e-4 * i));
      EXPECT_EQ(s.thetas()[6], 0.3 * i);
      EXPECT_NEAR(s.theta_velocities()[6], 0.3 * 240.0, 1e-9);
    }
  }
}

// Everything held: the step has nothing left to do but must still be right.
TEST(Hold, OfAllVerticesLeavesTheStrandInPlace) {
  std::vector<Hold> holds;
  for (int i = 0; i < 6; ++i) holds.push_back({0, i, {true, true, true, i < 5}});
  for (const Isa isa : available_sets()) {
    Random random(45);
    Simulation s(describe(one(smooth_strand(random, 6, 0.1, 0.2)), hair(), {Clamp::free, Clamp::free}), holds, isa);
    const std::vector<Vector3d> start = s.positions();
    s.run({}, 10);
    EXPECT_EQ(s.positions(), start);
    EXPECT_EQ(s.velocities(), std::vector<Vector3d>(6, Vector3d::Zero()));
  }
}

// Momentum: what a load brings in is all that changes it, and a torque spins the edge it acts on.
TEST(Load, BringsItsImpulseAndItsSpin) {
  for (const Isa isa : available_sets()) {
    Random random(46);
    Simulation s(describe(one(smooth_strand(random, 9, 0.1, 0.2)), hair(), {Clamp::free, Clamp::free}), {}, isa);
    ASSERT_TRUE(s.strands.add_load({0, 3, {2e-6, 0.0, 0.0}, 0.0}));
    ASSERT_TRUE(s.strands.add_load({0, -1, {0.0, 1e-6, -3e-6}, 0.0}));
    const StepOptions options = weightless(1e-3);
    s.run(options, 40);
    const std::vector<double> masses = s.strands.masses();
    const auto momentum = [&] {
      Vector3d sum = Vector3d::Zero();
      for (std::size_t i = 0; i < masses.size(); ++i) sum += masses[i] * s.velocities()[i];
      return sum;
    };
    const Vector3d expected = 0.04 * Vector3d(2e-6, 1e-6, -3e-6);
    EXPECT_LT((momentum() - expected).norm(), 1e-10 * expected.norm());
    s.strands.clear_loads();
    s.run(options, 10);
    EXPECT_LT((momentum() - expected).norm(), 1e-10 * expected.norm());
  }
  Simulation pair(describe(one(straight_strand(2, 0.01, Vector3d::UnitX())), hair(), {Clamp::free, Clamp::free}));
  ASSERT_TRUE(pair.strands.add_load({0, 0, Vector3d::Zero(), 1e-12}));
  pair.run(weightless(1e-3), 10);
  const double edge_mass = 1300.0 * pi * 40e-6 * 40e-6 * 0.01;
  EXPECT_NEAR(pair.theta_velocities()[0], 1e-12 * 0.01 / (0.5 * edge_mass * 40e-6 * 40e-6), 1e-6);
  EXPECT_EQ(pair.positions()[1], Vector3d(0.01, 0.0, 0.0));
}

// No edge starts at the last vertex: a torque there turns the last edge.
TEST(Load, TorqueAtTheTipTurnsTheLastEdge) {
  std::vector<double> tip_angle;
  for (const int vertex : {-1, -2}) {
    Simulation s(describe(one(straight_strand(6, 0.1, Vector3d::UnitX())), hair(), {}));
    ASSERT_TRUE(s.strands.add_load({0, vertex, Vector3d::Zero(), 1e-9}));
    s.run(weightless(1e3), 20);
    tip_angle.push_back(s.thetas()[4]);
  }
  // Edge clamp: the twisted length ends at the middle of the clamped edge, and at that of the loaded one.
  const double stiffness = 1.3e9 * 0.5 * pi * std::pow(40e-6, 4);
  EXPECT_NEAR(tip_angle[0], 1e-9 * 0.08 / stiffness, 1e-9 * tip_angle[0]);
  EXPECT_EQ(tip_angle[0], tip_angle[1]);
}

}  // namespace
}  // namespace tendril::der
