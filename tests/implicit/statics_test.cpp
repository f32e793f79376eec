// Equilibria against closed forms: cantilevers, hanging and standing rods, and the balance of forces and moments.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/implicit/der_statics.hpp"
#include "tendril/rods/der/reactions.hpp"

namespace tendril::der {
namespace {

using namespace support;
using nlohmann::json;

const Vector3d gravity(0.0, -9.81, 0.0);

double area(const Material& m) { return pi * m.radius * m.radius; }
double bending(const Material& m) { return m.young * 0.25 * pi * std::pow(m.radius, 4); }

StaticReport solve(Simulation& s, const Vector3d& g = gravity) {
  StaticOptions options;
  options.gravity = g;
  return solve_static(s.strands, s.targets, options, s.state)[0];
}
Reactions react(const Simulation& s, const Vector3d& g = gravity) {
  return reactions(s.strands, s.targets, s.state, 0, g);
}

double weight(const Simulation& s) {
  double sum = 0.0;
  for (const double m : s.strands.masses()) sum += m;
  return 9.81 * sum;
}

// Force and moment about vertex 0 of all dead loads.
Wrench applied(const Simulation& s, const Vector3d& tip_force = Vector3d::Zero()) {
  Wrench sum;
  const std::vector<Vector3d> x = s.positions();
  const std::vector<double> mass = s.strands.masses();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vector3d f = mass[i] * gravity + (i + 1 == x.size() ? tip_force : Vector3d::Zero().eval());
    sum.force += f, sum.moment += (x[i] - x[0]).cross(f);
  }
  return sum;
}

struct Drop {
  double x, y;  // of the tip, over the length
};

// A horizontal cantilever with gamma = rho A g L^3 / EI, or no weight and alpha = F L^2 / EI at the tip.
Drop cantilever(const Material& material, double gamma, double alpha, std::size_t edges) {
  const double length = gamma > 0.0 ? std::cbrt(gamma * bending(material) / (material.density * area(material) * 9.81))
                                    : 1000.0 * material.radius;
  Simulation s(
      describe(one(straight_strand(edges + 1, length, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
  const Vector3d tip_force(0.0, -alpha * bending(material) / (length * length), 0.0);
  EXPECT_TRUE(s.strands.add_load({0, -1, tip_force, 0.0}));
  const Vector3d g = gamma > 0.0 ? gravity : Vector3d::Zero().eval();
  const StaticReport report = solve(s, g);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.residual, 1e-10);
  EXPECT_TRUE(report.stable());

  Wrench load{tip_force, Vector3d::Zero()};
  if (gamma > 0.0)
    load = applied(s, tip_force);
  else
    load.moment = (s.positions().back() - s.positions()[0]).cross(tip_force);
  const Reactions r = react(s, g);
  EXPECT_LT((r.root.force + load.force).norm(), 1e-9 * load.force.norm());
  EXPECT_LT((r.root.moment + load.moment).norm(), 1e-9 * load.moment.norm());
  for (const Vector3d& x : s.positions()) EXPECT_LT(std::abs(x.z()), 1e-9 * length);
  const Vector3d tip = s.positions().back();
  return {tip.x() / length, -tip.y() / length};
}

// The error falls at order two and is at most three times that of a reference rod with springs at its joints.
void expect_second_order(const Material& material, double gamma, double alpha, double x, double drop, double constant) {
  const auto coarse = std::size_t(std::max(20.0, 12.0 * std::cbrt(gamma)));
  std::vector<double> error;
  for (const std::size_t edges : {coarse, 2 * coarse, 4 * coarse}) {
    const Drop tip = cantilever(material, gamma, alpha, edges);
    error.push_back(std::hypot(tip.x - x, tip.y - drop));
    EXPECT_LT(error.back(), 3.0 * constant / double(edges * edges)) << "gamma " << gamma << ", alpha " << alpha;
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.3) << "gamma " << gamma << ", alpha " << alpha;
  EXPECT_NEAR(std::log2(error[1] / error[2]), 2.0, 0.3) << "gamma " << gamma << ", alpha " << alpha;
}

// A rope that does not stretch, so that the tables of inextensible rods apply.
Material stiff_rope() {
  Material m = rope();
  m.stretch_young = 5e10;
  return m;
}

TEST(Cantilever, UnderItsOwnWeightFollowsTheTable) {
  const json table = json::parse(std::ifstream(test_data("analytic_cantilever.json")));
  for (const Material& material : {hair(), stiff_rope()})
    for (const json& row : table["self_weight"]) {
      const double gamma = row["gamma"];
      expect_second_order(material, gamma, 0.0, row["tip_x"], row["tip_drop"],
                          gamma <= 10.0    ? 0.52
                          : gamma <= 100.0 ? 1.4
                                           : 4.5);
    }
}

TEST(Cantilever, UnderATipLoadFollowsTheTable) {
  const json table = json::parse(std::ifstream(test_data("analytic_cantilever.json")));
  for (const Material& material : {hair(), stiff_rope()})
    for (const json& row : table["tip_load"])
      expect_second_order(material, 0.0, row["alpha"], row["tip_x"], row["tip_drop"], 0.5);
}

// Cut anywhere beyond the clamp: the tension is the load beyond along the edge, and bending and twisting moment are the
// two parts of that load's moment about the cut.
TEST(Equilibrium, CarriesTheLoadsBeyondEveryCut) {
  for (const Clamp clamp : {Clamp::edge, Clamp::point}) {
    Simulation s(describe(one(straight_strand(25, 0.1, Vector3d::UnitX())), hair(), {clamp, Clamp::free}));
    const Vector3d tip_force(0.0, 0.0, 0.3 * weight(s));
    const double torque = 0.01 * weight(s) * 0.1;  // about the last edge
    ASSERT_TRUE(s.strands.add_load({0, -1, tip_force, torque}));
    const StaticReport report = solve(s);
    ASSERT_EQ(report.status, SolveStatus::converged);
    const Reactions r = react(s);
    const std::vector<Vector3d> x = s.positions();
    const Vector3d tip_torque = torque * (x[24] - x[23]).normalized();
    const std::vector<double> mass = s.strands.masses();
    for (std::size_t i = clamp == Clamp::edge ? 1 : 0; i + 1 < x.size(); ++i) {
      Vector3d force = tip_force, moment = (x.back() - x[i]).cross(tip_force) + tip_torque;
      for (std::size_t j = i + 1; j < x.size(); ++j)
        force += mass[j] * gravity, moment += (x[j] - x[i]).cross(mass[j] * gravity);
      const Vector3d after = (x[i + 1] - x[i]).normalized();
      if (i > 0 || clamp == Clamp::point) {
        EXPECT_NEAR(r.tension[i], force.dot(after), 1e-9 * weight(s)) << "edge " << i;
      }
      if (i == 0) continue;
      const Vector3d before = (x[i] - x[i - 1]).normalized(), mean = (before + after) / (1.0 + before.dot(after));
      const double twist = moment.dot(mean) / mean.squaredNorm();
      const double scale = 0.1 * weight(s);
      EXPECT_NEAR(r.moment[i].z(), twist, 1e-9 * scale) << "joint " << i;
      // The two frames of a joint differ by its twist, which costs the reported bending moment second order in it.
      EXPECT_NEAR(r.moment[i].head<2>().norm(), std::abs(moment.dot(before.cross(after).normalized())), 1e-5 * scale);
      EXPECT_GT(twist, 0.5 * torque);
    }
    EXPECT_LT((r.root.force + applied(s, tip_force).force).norm(), 1e-9 * weight(s));
    EXPECT_LT((r.root.moment + applied(s, tip_force).moment + tip_torque).norm(), 1e-9 * 0.1 * weight(s));
  }
}

TEST(Equilibrium, OfAHangingStrandIsItsWeightInTension) {
  for (const Material& material : {hair(), rope(), cable()})
    for (const std::size_t n : {2u, 3u, 30u}) {
      Simulation s(describe(one(straight_strand(n, 0.5, -Vector3d::UnitY())), material, {Clamp::point, Clamp::free}));
      const StaticReport report = solve(s);
      ASSERT_EQ(report.status, SolveStatus::converged);
      EXPECT_TRUE(report.stable());
      const Reactions r = react(s);
      double below = 0.0;
      for (std::size_t i = n - 1; i-- > 0;) {
        below += 9.81 * s.strands.masses()[i + 1];
        EXPECT_NEAR(r.tension[i], below, 1e-9 * weight(s));
        EXPECT_LT(r.moment[i].norm(), 1e-9 * weight(s) * 0.5);
      }
      EXPECT_NEAR(r.root.force.y(), weight(s), 1e-9 * weight(s));
      // Extension under its own weight, rho g L^2 / 2E, is exact with lumped masses but for the square of the strain.
      const double young = material.stretch_young.value_or(material.young);
      const double extension = material.density * 9.81 * 0.25 / (2.0 * young);
      EXPECT_NEAR(-s.positions().back().y() - 0.5, extension, 1e-6 * extension + 1e-15);
    }
}

// The circle through its vertices, whatever the frames are: the bend radius is that of the circle.
TEST(Reactions, KnowTheRadiusOfACircle) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 12; ++i) points.emplace_back(0.03 * std::cos(0.2 * i), 0.0, 0.03 * std::sin(0.2 * i));
  Simulation s(describe(one(points), hair(), {}));
  const Reactions r = react(s);
  for (std::size_t i = 1; i + 1 < points.size(); ++i) EXPECT_NEAR(r.bend_radius[i], 0.03, 1e-12);
  EXPECT_EQ(r.bend_radius[0], std::numeric_limits<double>::infinity());
  const Simulation straight(describe(one(straight_strand(5, 0.1, Vector3d::UnitX())), hair(), {}));
  EXPECT_EQ(react(straight).bend_radius[2], std::numeric_limits<double>::infinity());
}

// An upright column gives way at gamma = 7.8373 (Greenhill); the straight pose is an equilibrium before and after.
TEST(Stability, OfAnUprightColumnEndsAtGreenhillsLoad) {
  const double critical = 7.8373474389;
  for (const Material& material : {hair(), stiff_rope()})
    for (const double factor : {0.9, 0.99, 1.01, 1.1}) {
      const double length =
          std::cbrt(factor * critical * bending(material) / (material.density * area(material) * 9.81));
      Simulation s(
          describe(one(straight_strand(81, length, Vector3d::UnitY())), material, {Clamp::point, Clamp::free}));
      const StaticReport report = solve(s);
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_EQ(report.stable(), factor < 1.0) << factor;
      EXPECT_EQ(report.negative_modes, factor < 1.0 ? 0 : 2) << factor;  // one for each direction to fall
    }
}

// The same with a load on top: P L^2 / EI = pi^2 / 4, and for n joint springs a little less.
TEST(Stability, OfALoadedColumnEndsAtEulersLoad) {
  const Material material = hair();
  const double length = 0.05, critical = 0.25 * pi * pi * bending(material) / (length * length);
  for (const double factor : {0.99, 1.01}) {
    Simulation s(describe(one(straight_strand(81, length, Vector3d::UnitY())), material, {Clamp::point, Clamp::free}));
    ASSERT_TRUE(s.strands.add_load({0, -1, {0.0, -factor * critical, 0.0}, 0.0}));
    const StaticReport report = solve(s, Vector3d::Zero());
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.stable(), factor < 1.0) << factor;
  }
}

// A column too long to stand, started a little aside: it must find its way down to a stable pose. A flat section, for a
// round one may turn about the vertical at no cost.
TEST(Stability, IsFoundByAColumnThatFallsOver) {
  Material material = hair();
  material.aspect = 0.8;
  const double length = std::cbrt(30.0 * bending(material) / (material.density * area(material) * 9.81));
  std::vector<Vector3d> points = straight_strand(41, length, Vector3d::UnitY());
  Simulation s(describe(one(points), material, {Clamp::point, Clamp::free}));
  for (Vector3d& x : points) x.x() += 1e-3 * x.y() * x.y() / length;
  ASSERT_TRUE(set_positions(s.strands, points, s.state));
  const StaticReport report = solve(s);
  EXPECT_TRUE(report.stable());
  EXPECT_LE(report.residual, 1e-10);
  EXPECT_LT(s.positions().back().y(), 0.5 * length);
}

// An elliptic section is stiffer towards its long axis, and J = pi a^3 b^3 / (a^2 + b^2) in torsion.
TEST(Section, OfAnEllipseBendsByItsTwoMomentsAndTwistsByItsOwn) {
  Material material = hair();
  material.aspect = 0.5;
  const double a = material.radius, b = 0.5 * a, length = 0.02, force = 1e-9;
  for (const bool towards_m1 : {true, false}) {
    Simulation s(describe(one(straight_strand(41, length, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
    const Vector3d m1 = s.directors()[0], direction = towards_m1 ? m1 : Vector3d::UnitX().cross(m1).eval();
    ASSERT_TRUE(s.strands.add_load({0, -1, force * direction, 0.0}));
    EXPECT_TRUE(solve(s, Vector3d::Zero()).stable());
    const double second_moment = 0.25 * pi * a * b * (towards_m1 ? a * a : b * b);
    const double expected = force * std::pow(length, 3) / (3.0 * material.young * second_moment);
    EXPECT_NEAR(s.positions().back().dot(direction), expected, 1e-3 * expected);
    EXPECT_LT(std::abs(react(s, Vector3d::Zero()).moment[5][towards_m1 ? 1 : 0]), 1e-20);
  }
  Simulation s(describe(one(straight_strand(21, length, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
  ASSERT_TRUE(s.strands.add_load({0, -1, Vector3d::Zero(), 1e-12}));
  EXPECT_TRUE(solve(s, Vector3d::Zero()).stable());
  const double torsion = material.shear * pi * std::pow(a * b, 3) / (a * a + b * b);
  const double twisted = length * (1.0 - 0.5 / 20.0);  // to the middle of the last edge
  EXPECT_NEAR(s.thetas()[19], 1e-12 * twisted / torsion, 1e-9 * s.thetas()[19]);
}

// A tapered rod under a small tip load: integral of F (L - x)^2 / E I(x), at order two.
TEST(Section, ThatTapersBendsAtOrderTwo) {
  Material material = hair();
  material.radius = 60e-6, material.tip_radius = 20e-6;
  const double length = 0.02, force = 1e-9;
  double exact = 0.0;
  constexpr int slices = 100000;
  for (int i = 0; i < slices; ++i) {
    const double x = (i + 0.5) / slices, r = 60e-6 - 40e-6 * x;
    exact +=
        force * std::pow(length, 3) * (1.0 - x) * (1.0 - x) / (material.young * 0.25 * pi * std::pow(r, 4)) / slices;
  }
  std::vector<double> error;
  for (const std::size_t edges : {20u, 40u, 80u}) {
    Simulation s(
        describe(one(straight_strand(edges + 1, length, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
    ASSERT_TRUE(s.strands.add_load({0, -1, {0.0, -force, 0.0}, 0.0}));
    EXPECT_TRUE(solve(s, Vector3d::Zero()).stable());
    error.push_back(std::abs(-s.positions().back().y() / exact - 1.0));
  }
  EXPECT_LT(error[2], 1e-3);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.3);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 2.0, 0.3);
}

TEST(Equilibrium, BetweenTwoClampsSharesTheWeight) {
  for (const Clamp clamp : {Clamp::edge, Clamp::point})
    for (const std::size_t n : {4u, 5u, 40u}) {
      Simulation s(describe(one(straight_strand(n, 0.1, Vector3d::UnitX())), hair(), {clamp, clamp}));
      const StaticReport report = solve(s);
      ASSERT_EQ(report.status, SolveStatus::converged) << n;
      EXPECT_LE(report.residual, 1e-10);
      EXPECT_TRUE(report.stable());
      const Reactions r = react(s);
      EXPECT_NEAR(r.root.force.y(), 0.5 * weight(s), 1e-9 * weight(s)) << n;
      EXPECT_NEAR(r.tip.force.y(), 0.5 * weight(s), 1e-9 * weight(s)) << n;
      EXPECT_NEAR(r.root.force.x(), -r.tip.force.x(), 1e-9 * weight(s)) << n;
      EXPECT_NEAR(r.root.moment.z(), -r.tip.moment.z(), 1e-9 * weight(s) * 0.1) << n;
    }
}

// A curved strand between a clamp and two holds: all that holds it carries its weight together.
TEST(Equilibrium, WithHoldsBalancesForcesAndMoments) {
  Random random(92);
  Simulation s(describe(one(smooth_strand(random, 20, 0.1, 0.15)), hair(), {Clamp::point, Clamp::free}),
               {{0, 9, {true, true, true, false}}, {0, -1, {false, true, false, false}}});
  const StaticReport report = solve(s);
  ASSERT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.residual, 1e-10);
  const Reactions r = react(s);
  const std::vector<Vector3d> x = s.positions();
  Vector3d force = r.root.force, moment = r.root.moment;
  for (std::size_t i = 0; i < x.size(); ++i)
    force += r.holds[i].head<3>(), moment += (x[i] - x[0]).cross(r.holds[i].head<3>().eval());
  const Wrench load = applied(s);
  EXPECT_LT((force + load.force).norm(), 1e-9 * weight(s));
  EXPECT_LT((moment + load.moment).norm(), 1e-9 * weight(s) * 0.1);
  EXPECT_GT(r.holds[9].norm(), 1e-3 * weight(s));
  EXPECT_NE(r.holds[19].y(), 0.0);
  EXPECT_EQ(r.holds[19].x(), 0.0);
}

// Clamps and holds that were driven: the equilibrium is that of a strand drawn there, turned and shifted as a whole.
TEST(Equilibrium, FollowsADrivenClamp) {
  for (const Clamp clamp : {Clamp::edge, Clamp::point})
    for (const double angle : {0.1, 0.5, 2.0, pi}) {
      Random random(93);
      std::vector<Vector3d> points = smooth_strand(random, 12, 0.1, 0.2);
      Simulation driven(describe(one(points), rope(), {clamp, Clamp::free}));
      Drive drive;
      drive.root = {
          Pose{Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d(1, 2, 3).normalized())), {0.1, 0.2, 0.3}}};
      driven.strands.drive(drive, driven.state, driven.targets);
      EXPECT_TRUE(solve(driven).stable());
      for (Vector3d& x : points) x = apply(drive.root[0], x);
      Simulation drawn(describe(one(points), rope(), {clamp, Clamp::free}));
      EXPECT_TRUE(solve(drawn).stable());
      for (std::size_t i = 0; i < 12; ++i) EXPECT_LT((driven.positions()[i] - drawn.positions()[i]).norm(), 1e-10);
    }
}

// Nothing to carry: the drawn pose, turned or not, is the equilibrium.
TEST(Equilibrium, WithoutLoadsIsTheDrawnPose) {
  for (const Clamps& clamps : {Clamps{}, Clamps{Clamp::point, Clamp::free}, Clamps{Clamp::edge, Clamp::edge}}) {
    Random random(94);
    Simulation s(describe(one(smooth_strand(random, 12, 0.1, 0.2)), hair(), clamps));
    const std::vector<Vector3d> start = s.positions();
    const StaticReport report = solve(s, Vector3d::Zero());
    EXPECT_TRUE(report.stable());
    for (std::size_t i = 0; i < 12; ++i) EXPECT_LT((s.positions()[i] - start[i]).norm(), 1e-12);
  }
}

TEST(Equilibrium, OfTwoVerticesHangsOrStaysPut) {
  Simulation held(describe(one(straight_strand(2, 0.1, Vector3d::UnitX())), hair(), {Clamp::edge, Clamp::free}));
  EXPECT_EQ(solve(held).status, SolveStatus::converged);
  EXPECT_EQ(held.positions()[1], Vector3d(0.1, 0.0, 0.0));
  Simulation bending_rod(
      describe(one(straight_strand(2, 0.02, Vector3d::UnitX())), hair(), {Clamp::point, Clamp::free}));
  const StaticReport report = solve(bending_rod);
  EXPECT_TRUE(report.stable());
  EXPECT_LT(bending_rod.positions()[1].y(), 0.0);
  const Reactions r = react(bending_rod);
  EXPECT_NEAR(r.root.force.y(), weight(bending_rod), 1e-9 * weight(bending_rod));
}

// Half a turn takes every tangent to its opposite, between which there is no smallest rotation.
TEST(Equilibrium, FollowsAClampThatTurnsRound) {
  for (const Clamps& clamps : {Clamps{Clamp::edge, Clamp::free}, Clamps{Clamp::point, Clamp::free}}) {
    std::vector<Vector3d> points = straight_strand(20, 0.1, Vector3d::UnitX());
    Simulation turned(describe(one(points), hair(), clamps));
    Drive drive;
    drive.root = {Pose{Eigen::Quaterniond(0.0, 0.0, 0.0, 1.0), Vector3d::Zero()}};
    turned.strands.drive(drive, turned.state, turned.targets);
    EXPECT_TRUE(solve(turned).stable());
    for (Vector3d& x : points) x = apply(drive.root[0], x);
    Simulation drawn(describe(one(points), hair(), clamps));
    EXPECT_TRUE(solve(drawn).stable());
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_LT((turned.positions()[i] - drawn.positions()[i]).norm(), 1e-10);
    for (const Vector3d& director : turned.directors()) EXPECT_TRUE(director.allFinite());
  }
}

// Many vertices on a short strand: joints so stiff that their forces exceed the weight by millions, and cancel.
TEST(Equilibrium, OfFineStrandsIsAsPrecise) {
  for (const Clamp clamp : {Clamp::edge, Clamp::point})
    for (const std::size_t vertices : {1000u, 2000u}) {
      Simulation s(describe(one(straight_strand(vertices, 0.3, Vector3d::UnitX())), hair(), {clamp, Clamp::free}));
      const StaticReport report = solve(s);
      EXPECT_EQ(report.status, SolveStatus::converged) << vertices;
      EXPECT_LE(report.residual, 1e-10) << vertices;
      EXPECT_TRUE(report.stable());
      EXPECT_NEAR(react(s).root.force.y(), weight(s), 1e-9 * weight(s)) << vertices;
    }
}

TEST(HeavyEquilibrium, OfFiveThousandVerticesIsAsPrecise) {
  Simulation s(describe(one(straight_strand(5000, 0.3, Vector3d::UnitX())), hair(), {}));
  const StaticReport report = solve(s);
  EXPECT_LE(report.residual, 1e-10);
  EXPECT_TRUE(report.stable());
  EXPECT_NEAR(react(s).root.force.y(), weight(s), 1e-9 * weight(s));
}

// A strand that hangs from a pin can turn about it, a free one anywhere: neither costs energy, so neither is unstable.
TEST(Stability, IsNotDecidedByTheRoundingOfNeutralModes) {
  for (const Vector3d& down : {Vector3d(0, -1, 0), Vector3d(1, 2, -3), Vector3d(0.3, -0.1, 0.9)})
    for (const std::size_t vertices : {5u, 31u, 100u}) {
      const Vector3d along = down.normalized();
      const Clamps none{Clamp::free, Clamp::free};
      Simulation pinned(describe(one(straight_strand(vertices, 0.2, along)), hair(), none), {{0, 0}});
      EXPECT_TRUE(solve(pinned, 9.81 * along).stable()) << vertices;
      Simulation standing(describe(one(straight_strand(vertices, 0.2, -along)), hair(), none), {{0, 0}});
      EXPECT_FALSE(solve(standing, 9.81 * along).stable()) << vertices;
      Simulation afloat(describe(one(straight_strand(vertices, 0.2, along)), hair(), none));
      EXPECT_TRUE(solve(afloat, Vector3d::Zero()).stable()) << vertices;
    }
}

// Every scale, a thousand vertices, long enough to hang: converged to 1e-10 of the load, wrench equal to the weight.
TEST(Equilibrium, OfAThousandVerticesConverges) {
  for (const Material& material : {hair(), rope(), cable()}) {
    const double length = std::cbrt(1000.0 * bending(material) / (material.density * area(material) * 9.81));
    Simulation s(
        describe(one(straight_strand(1000, length, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
    const StaticReport report = solve(s);
    EXPECT_EQ(report.status, SolveStatus::converged) << material.radius;
    EXPECT_LE(report.residual, 1e-10) << material.radius;
    EXPECT_TRUE(report.stable());
    const Reactions r = react(s);
    EXPECT_NEAR(r.root.force.y(), weight(s), 1e-9 * weight(s)) << material.radius;
  }
}

// After an equilibrium a step in time leaves the strand where it is.
TEST(Equilibrium, IsWhereDynamicsStandsStill) {
  Simulation s(describe(one(straight_strand(20, 0.1, Vector3d::UnitX())), hair(), {Clamp::point, Clamp::free}));
  ASSERT_TRUE(solve(s).stable());
  const std::vector<Vector3d> before = s.positions();
  EXPECT_EQ(s.velocities()[19], Vector3d::Zero().eval());
  s.run({}, 60);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_LT((s.positions()[i] - before[i]).norm(), 1e-9);
}

// Statics leaves each strand of a set to itself: order and company do not matter.
TEST(Equilibrium, IsTheSameAloneAndInCompany) {
  Random random(95);
  std::vector<std::vector<Vector3d>> shapes;
  Curves curves;
  for (int i = 0; i < 6; ++i)
    shapes.push_back(smooth_strand(random, 6 + random.below(9), 0.05, 0.2)), append(curves, shapes.back());
  Simulation all(describe(curves, hair(), {}));
  StaticOptions options;
  const std::vector<StaticReport> reports = solve_static(all.strands, all.targets, options, all.state);
  for (std::size_t i = 0; i < 6; ++i) {
    Simulation alone(describe(one(shapes[i]), hair(), {}));
    const StaticReport report = solve(alone);
    EXPECT_EQ(report.status, reports[i].status);
    EXPECT_EQ(report.iterations, reports[i].iterations);
    for (std::size_t v = 0; v < shapes[i].size(); ++v)
      EXPECT_LT((alone.positions()[v] - all.positions()[all.strands.offset(i) + v]).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace tendril::der
