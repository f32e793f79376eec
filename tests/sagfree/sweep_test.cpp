// The equilibrium sweep: reference values, closed forms, every kind of strand that it covers, and stability.
#include "tendril/sagfree/sweep.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/reference_rod.hpp"
#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::sagfree {
namespace {

using namespace der::support;
using der::Clamp;
using der::Clamps;
using der::Description;
using der::RestState;
using der::Strands;
using Eigen::Vector3d;
using nlohmann::json;

const Vector3d down(0.0, 0.0, -9.81);

json reference(const std::string& name) {
  return json::parse(std::ifstream(test_data("der-sagfree_" + name + ".json")));
}

Options options_of(std::optional<double> mu, const Vector3d& gravity = down) {
  Options options;
  options.mu = mu, options.gravity = gravity;
  return options;
}

// 30 vertices, 0.3 m, radius 0.2 mm, 1 GPa for all: the straight strand of the comparisons.
Description scene_strand(const Vector3d& along, double modulus = 1e9, std::size_t vertices = 30) {
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = modulus, material.density = 1300.0;
  return der::describe(one(straight_strand(vertices, 0.3, along)), material, {});
}

struct Prepared {
  Strands strands;
  der::State state;
  std::vector<StrandOutcome> outcomes;
  RestState before, rest;

  Prepared(const Description& d, const Options& options, Isa isa = active_isa())
      : strands(Strands::create(d, {}, isa).value()), state(strands.start()), before(strands.rest_state()) {
    Result<Outcome> result = optimise(options, state, strands);
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    outcomes = result.value().strands, rest = strands.rest_state();
  }
  double bend_factor(std::size_t v) const { return rest.bend_modulus[v] / before.bend_modulus[v]; }
};

class SweepSets : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Sets, SweepSets, testing::ValuesIn(available_sets()), set_name);

TEST_P(SweepSets, TwistedSpaceCurveOfTheReference) {
  const json data = reference("direct");
  ReferenceRod rod = reference_rod(data["rod"], der::Curvature::four, GetParam());
  const json& after = data["after"];
  Options options = options_of(double(after["mu"]), rod.options.gravity);
  options.bound = CurvatureBound::box;
  const double scale = data["rod"]["s"];
  std::vector<StrandOutcome> outcomes(1);
  ASSERT_TRUE(sweep(options, MuChoice::by_options, rod.state, rod.strands, outcomes));
  const RestState rest = rod.strands.rest_state();
  for (std::size_t i = 1; i + 1 < 12; ++i) {
    EXPECT_NEAR(rod.strands.reference_lengths()[i] / (1.0 + rest.strain[i]), after["lbar"][i], 1e-9 * 0.0116);
    EXPECT_NEAR(rest.stretch_modulus[i] / scale, after["alpha"][i], 1e-9);
    EXPECT_NEAR(rest.bend_modulus[i] / scale, after["beta"][i - 1], 1e-9);
    EXPECT_NEAR(rest.twist_modulus[i] / scale, after["gamma"][i - 1], 1e-9);
    EXPECT_NEAR(rest.twist[i], after["mbar"][i - 1], 1e-9);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(rest.curvature[i][c], after["kbar"][i - 1][c], 1e-9);
  }
  EXPECT_LT(imbalances(rod.strands, options.gravity, rod.state)[0], 1e-12);
}

TEST_P(SweepSets, HorizontalStrandOfTheReference) {
  const json scene = reference("scenes");
  const json& expected = scene["horizontal_mu0.2"]["direct"];
  const Prepared p(scene_strand(Vector3d::UnitX()), options_of(0.2), GetParam());
  for (std::size_t i = 1; i + 1 < 30; ++i) EXPECT_NEAR(p.bend_factor(i), expected["beta"][i - 1], 1e-9);
  EXPECT_LT(p.outcomes[0].imbalance, 1e-12);
  EXPECT_GT(p.outcomes[0].negative_modes, 0);  // it would fall over sideways
  EXPECT_EQ(p.outcomes[0].status, StrandStatus::unstable);
}

// Unbounded: kappa_rest L = M L / (2 EI), from the moment of what hangs beyond the joint.
TEST_P(SweepSets, HorizontalStrandHasTheCurvatureOfItsMoment) {
  const json expected = reference("scenes")["horizontal_unbounded"]["kbar0"];
  Options options = options_of(1e9);
  options.rest_weight = 0.0;  // else stiffness gives way a little
  const Prepared p(scene_strand(Vector3d::UnitX()), options, GetParam());
  for (std::size_t i = 1; i + 1 < 30; ++i) {
    const std::array<double, 4>& k = p.rest.curvature[i];
    EXPECT_NEAR(std::hypot(k[0], k[1]), std::abs(double(expected[i - 1])), 1e-9);
    EXPECT_EQ(p.bend_factor(i), 1.0);
  }
}

TEST_P(SweepSets, HangingStrandOfTheReference) {
  const json scene = reference("scenes");
  const json& expected = scene["vertical_lmin0.01"]["direct"];
  Options options = options_of(1.0);
  options.shortest = 0.01 / (0.3 / 29.0), options.stiffness_weight = 1e6;
  const Prepared p(scene_strand(-Vector3d::UnitZ(), 1e5), options, GetParam());
  for (std::size_t i = 1; i + 1 < 30; ++i) {
    EXPECT_NEAR(p.strands.reference_lengths()[i] / (1.0 + p.rest.strain[i]), expected["lbar"][i], 1e-12);
    EXPECT_NEAR(p.rest.stretch_modulus[i] / 1e5, expected["alpha"][i], 1e-9);
  }
  EXPECT_LT(p.outcomes[0].imbalance, 1e-13);
  EXPECT_EQ(p.outcomes[0].status, StrandStatus::balanced);
}

// Strands of every kind that the sweep covers, many at once: curls in space, tapered and elliptic sections, both
// clamps, 3 vertices and more, upward and downward, under loads.
Description mixed_strands(Random& random, Clamp root, double aspect, std::size_t count = 23) {
  Curves curves;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Vector3d> points = smooth_strand(random, 3 + random.below(30), random.uniform(0.05, 0.3), 0.25);
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitX(), random_vector(random));
    for (Vector3d& x : points) x = turn * x;
    append(curves, points);
  }
  der::Material material = hair();
  material.aspect = aspect, material.tip_radius = 0.4 * material.radius;
  return der::describe(curves, material, {root, Clamp::free});
}

TEST_P(SweepSets, EveryStrandIsBalancedAndStable) {
  for (const Clamp root : {Clamp::edge, Clamp::point})
    for (const double aspect : {1.0, 0.6}) {
      Random random(31);
      const Prepared p(mixed_strands(random, root, aspect), options_of({}), GetParam());
      for (const StrandOutcome& outcome : p.outcomes) {
        EXPECT_LT(outcome.imbalance, 1e-12);
        EXPECT_EQ(outcome.status, StrandStatus::balanced);
        EXPECT_EQ(outcome.negative_modes, 0);
        EXPECT_GE(outcome.stiffness_factor, 1.0 - 1e-3);
      }
    }
}

TEST(Sweep, KeepsItsBounds) {
  for (const CurvatureBound bound : {CurvatureBound::disc, CurvatureBound::box}) {
    Random random(32);
    Options options = options_of(0.01);
    options.bound = bound;
    const Prepared p(mixed_strands(random, Clamp::edge, 0.7), options);
    for (std::size_t s = 0; s < p.strands.size(); ++s)
      for (std::size_t v = p.strands.offset(s) + 1; v + 1 < p.strands.offset(s + 1); ++v) {
        const double d0 = p.rest.curvature[v][0] - p.before.curvature[v][0],
                     d1 = p.rest.curvature[v][1] - p.before.curvature[v][1];
        const double change = bound == CurvatureBound::disc ? std::hypot(d0, d1) : std::max(std::abs(d0), std::abs(d1));
        EXPECT_LE(change, 0.01 * (1.0 + 1e-12));
        EXPECT_LE(std::abs(p.rest.twist[v] - p.before.twist[v]), 0.0025 * (1.0 + 1e-12));
      }
  }
}

// Lanes count what the exact Hessian of statics counts, strand by strand.
TEST_P(SweepSets, CountsTheNegativeModesOfTheExactHessian) {
  int unstable = 0;
  for (const double mu : {1.0, 0.3, 0.1}) {
    Random random(33);
    const Prepared p(mixed_strands(random, Clamp::edge, mu == 0.3 ? 0.7 : 1.0), options_of(mu), GetParam());
    for (std::size_t s = 0; s < p.strands.size(); ++s) {
      const der::Rod rod = der::extract(p.strands, p.strands.make_targets(), p.state, s);
      EXPECT_EQ(p.outcomes[s].negative_modes, der::StaticPotential(rod, down).negative_modes()) << s;
      unstable += p.outcomes[s].negative_modes > 0;
    }
  }
  EXPECT_GT(unstable, 10);
}

// The drawn shape, gravity and frames turned together, or the root frame alone: the same stiffness.
TEST(Sweep, OptimumDoesNotDependOnOrientationOrRootFrame) {
  Random random(34);
  Description d = mixed_strands(random, Clamp::edge, 1.0, 9);
  const Prepared plain(d, options_of(0.05));
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.1, Vector3d(0.3, -0.5, 0.8).normalized()));
  Description turned = d;
  for (Vector3d& x : turned.curves.points) x = turn * x;
  const Prepared whole(turned, options_of(0.05, turn * down));
  Description director = d;
  director.root_director = {Vector3d(0.4, 0.5, -0.7)};
  const Prepared framed(director, options_of(0.05));
  for (const Prepared* other : {&whole, &framed})
    for (std::size_t v = 0; v < plain.rest.bend_modulus.size(); ++v) {
      EXPECT_NEAR(other->rest.bend_modulus[v], plain.rest.bend_modulus[v], 1e-9 * plain.rest.bend_modulus[v]);
      EXPECT_NEAR(other->rest.twist_modulus[v], plain.rest.twist_modulus[v], 1e-9 * plain.rest.twist_modulus[v]);
      EXPECT_NEAR(other->rest.strain[v], plain.rest.strain[v], 1e-12);
    }
}

TEST(Sweep, ChangesNothingWithoutGravity) {
  Random random(35);
  const Prepared p(mixed_strands(random, Clamp::edge, 0.8), options_of({}, Vector3d::Zero()));
  EXPECT_EQ(p.rest.bend_modulus, p.before.bend_modulus);
  EXPECT_EQ(p.rest.twist_modulus, p.before.twist_modulus);
  EXPECT_EQ(p.rest.stretch_modulus, p.before.stretch_modulus);
  EXPECT_EQ(p.rest.strain, p.before.strain);
  EXPECT_EQ(p.rest.curvature, p.before.curvature);
  for (const StrandOutcome& outcome : p.outcomes) EXPECT_EQ(outcome.status, StrandStatus::balanced);
}

TEST(Sweep, UpwardStrandIsCompressed) {
  Options options = options_of(1.0);
  const Prepared p(scene_strand(Vector3d::UnitZ(), 1e5, 8), options);
  EXPECT_LT(p.outcomes[0].imbalance, 1e-12);
  for (std::size_t i = 1; i + 1 < 8; ++i) EXPECT_LT(p.rest.strain[i], 0.0);
  const Prepared soft(scene_strand(Vector3d::UnitZ(), 1e3, 30), options);  // its weight would halve its edges
  for (std::size_t i = 1; i + 1 < 30; ++i) EXPECT_GE(1.0 + soft.rest.strain[i], 0.5 - 1e-12);
  EXPECT_LT(soft.outcomes[0].imbalance, 1e-12);
}

TEST(Sweep, LoadsAreBalancedToo) {
  Random random(36);
  Strands strands = Strands::create(mixed_strands(random, Clamp::point, 1.0, 5)).value();
  for (std::size_t s = 0; s < 5; ++s)
    ASSERT_TRUE(strands.add_load({s, -1, 1e-5 * random_vector(random), s == 2 ? 1e-9 : 0.0}));
  const der::State state = strands.start();
  const Result<Outcome> outcomes = optimise(options_of({}), state, strands);
  ASSERT_TRUE(outcomes);
  for (const StrandOutcome& outcome : outcomes.value().strands) {
    EXPECT_LT(outcome.imbalance, 1e-12);
    EXPECT_GT(outcome.imbalance_before, 0.1);
  }
}

// A cap that is too low leaves a net force, and the outcome says so.
TEST(Sweep, ReportsWhatACapLeavesOver) {
  Options options = options_of(0.2);
  options.cap = 1.5;
  const Prepared p(scene_strand(Vector3d::UnitX()), options);
  EXPECT_EQ(p.outcomes[0].status, StrandStatus::bounded);
  EXPECT_GT(p.outcomes[0].imbalance, 0.01);
  EXPECT_LE(p.outcomes[0].stiffness_factor, 1.5);
}

// As if the optimised parameters had been described from the start: what a prepared groom does.
TEST(Sweep, SurvivesDescription) {
  Random random(37);
  Prepared p(mixed_strands(random, Clamp::edge, 0.8), options_of({}));
  const Strands again = Strands::create(p.strands.description()).value();
  const std::vector<double> imbalance = imbalances(again, down, again.start());
  for (std::size_t s = 0; s < again.size(); ++s) EXPECT_NEAR(imbalance[s], p.outcomes[s].imbalance, 1e-13);
}

// Pushed out of its plane, a stable strand comes back and an unstable one leaves.
TEST(Sweep, StabilityIsWhatAKickShows) {
  for (const std::optional<double> mu : {std::optional<double>(0.2), std::optional<double>()}) {
    Prepared p(scene_strand(Vector3d::UnitX()), options_of(mu));
    Simulation s(p.strands);
    std::vector<Vector3d> velocities(30, Vector3d::Zero());
    for (std::size_t i = 2; i < 30; ++i) velocities[i].y() = 1e-3 * double(i) / 29.0;
    ASSERT_TRUE(der::set_velocities(s.strands, velocities, s.state));
    der::StepOptions options;
    options.dt = 1.0 / 240.0, options.gravity = down;
    const std::vector<Vector3d> before = s.positions();
    s.run(options, 240);
    const double moved = (s.positions()[29] - before[29]).norm();
    EXPECT_EQ(p.outcomes[0].negative_modes > 0, mu.has_value());
    if (mu)
      EXPECT_GT(moved, 3e-4);
    else
      EXPECT_LT(moved, 6e-5);
  }
}

}  // namespace
}  // namespace tendril::sagfree
