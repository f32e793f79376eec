// Every mode on what is at the edge of its field: bounds of all sizes, the shortest strands, poses that are barely
// allowed, no gravity, caps on stiffness, and strands that the sweep does not cover.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/rods.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::sagfree {
namespace {

using namespace der::support;
using der::Clamp;
using der::Clamps;
using der::Description;
using der::RestState;
using der::Strands;

const Vector3d down(0.0, 0.0, -9.81);
constexpr Mode every_mode[] = {Mode::naive, Mode::rest_shape, Mode::penalty, Mode::full, Mode::sweep};
constexpr Mode optimisers[] = {Mode::rest_shape, Mode::penalty, Mode::full};

Options options_of(Mode mode, std::optional<double> mu = {}, const Vector3d& gravity = down) {
  Options options;
  options.mode = mode, options.mu = mu, options.gravity = gravity;
  return options;
}

// One strand, before and after.
struct Case {
  Strands strands;
  der::State state;
  RestState before, after;
  StrandOutcome outcome;

  Case(const Description& d, const Options& options)
      : strands(Strands::create(d).value()), state(strands.start()), before(strands.rest_state()) {
    const Result<Outcome> found = optimise(options, state, strands);
    EXPECT_TRUE(found) << name(options.mode) << ": " << (found ? "" : found.error().message());
    if (found) outcome = found.value().strands[0];
    after = strands.rest_state();
  }

  bool is_unchanged() const {
    return after.strain == before.strain && after.curvature == before.curvature && after.twist == before.twist &&
           after.stretch_modulus == before.stretch_modulus && after.bend_modulus == before.bend_modulus &&
           after.twist_modulus == before.twist_modulus;
  }
  double rest_length(std::size_t edge) const { return strands.reference_lengths()[edge] / (1.0 + after.strain[edge]); }
  double largest_factor() const {
    double largest = 0.0;
    for (std::size_t v = 0; v < before.bend_modulus.size(); ++v) {
      if (v + 1 < before.bend_modulus.size())
        largest = std::max(largest, after.stretch_modulus[v] / before.stretch_modulus[v]);
      if (!der::has_joint(strands.description(), 0, v)) continue;
      largest = std::max(
          {largest, after.bend_modulus[v] / before.bend_modulus[v], after.twist_modulus[v] / before.twist_modulus[v]});
    }
    return largest;
  }
};

// Eq. 3, with the box for the curvature. A NaN is outside of everything.
void expect_within_bounds(const Case& c, const Options& options, double mu) {
  constexpr double slack = 1.0 + 1e-12;
  const auto expect_factor = [&](double now, double then) {
    EXPECT_GE(now * slack, options.floor * then);
    EXPECT_LE(now, slack * options.cap * then);
  };
  const std::size_t n = c.strands.vertex_count();
  for (std::size_t v = 0; v + 1 < n; ++v) {
    expect_factor(c.after.stretch_modulus[v], c.before.stretch_modulus[v]);
    EXPECT_GE(c.rest_length(v) * slack, options.shortest * c.strands.reference_lengths()[v]);
    EXPECT_LE(c.rest_length(v), slack * options.longest * c.strands.reference_lengths()[v]);
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (!der::has_joint(c.strands.description(), 0, v)) continue;
    expect_factor(c.after.bend_modulus[v], c.before.bend_modulus[v]);
    expect_factor(c.after.twist_modulus[v], c.before.twist_modulus[v]);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_LE(std::abs(c.after.curvature[v][k] - c.before.curvature[v][k]), slack * mu + 1e-15);
    EXPECT_LE(std::abs(c.after.twist[v] - c.before.twist[v]), slack * options.twist_share * mu + 1e-15);
    for (const double component : c.after.curvature[v]) EXPECT_TRUE(std::isfinite(component));
  }
}

Description curl(Clamps clamps = {}, const der::Material& material = hair(), double length = 0.2) {
  Random random(51);
  return der::describe(one(smooth_strand(random, 14, length, 0.15)), material, clamps);
}

Description straight(const Vector3d& along, double modulus, std::size_t vertices) {
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = modulus, material.density = 1300.0;
  return der::describe(one(straight_strand(vertices, 0.3, along)), material, {});
}

// Half as thick at the tip, and flat.
der::Material flat_and_tapered(der::Material material) {
  material.aspect = 0.6, material.tip_radius = 0.5 * material.radius;
  return material;
}

// A bound that never acts is none: rest shape alone balances, and stiffness hardly moves.
TEST(CurvatureBounds, HugeOnesLeaveStiffnessAlone) {
  for (const Description& d : {curl(), straight(Vector3d::UnitX(), 1e9, 12)})
    for (const Mode mode : {Mode::full, Mode::sweep}) {
      const Case huge(d, options_of(mode, 1e6)), unbounded(d, options_of(mode, 1e9));
      EXPECT_LT(huge.outcome.imbalance, mode == Mode::sweep ? 1e-12 : 1e-6) << name(mode);
      EXPECT_NEAR(huge.largest_factor(), 1.0, 1e-3);
      EXPECT_EQ(huge.after.curvature, unbounded.after.curvature);
    }
}

// mu = 0 leaves rest curvature and twist as drawn, and no stiffness makes bending stress of that: what cannot be
// balanced is said to be so, and nothing is spoilt.
TEST(CurvatureBounds, ZeroLeavesBendingUnbalanced) {
  for (const Mode mode : {Mode::rest_shape, Mode::penalty, Mode::full, Mode::sweep}) {
    const Options options = options_of(mode, 0.0);
    const Case c(curl(), options);
    expect_within_bounds(c, options, 0.0);
    EXPECT_GT(c.outcome.imbalance, 0.5) << name(mode);
    EXPECT_EQ(c.outcome.status, StrandStatus::bounded) << name(mode);
    EXPECT_LT(c.largest_factor(), 1e6) << name(mode);
  }
}

// A strand that hangs straight down carries no bending stress: mu = 0 does not hinder.
TEST(CurvatureBounds, ZeroIsEnoughForAHangingStrand) {
  for (const Mode mode : {Mode::full, Mode::sweep}) {
    const Case c(straight(-Vector3d::UnitZ(), 1e9, 12), options_of(mode, 0.0));
    EXPECT_EQ(c.outcome.status, StrandStatus::balanced) << name(mode);
    EXPECT_LT(c.outcome.imbalance, 1e-8) << name(mode);
  }
}

// Two clamped vertices are the whole of an edge-clamped strand of one edge: nothing is free, and nothing changes.
TEST(ShortStrands, OneClampedEdgeHasNothingToSolve) {
  Random random(7);
  for (const Clamps clamps : {Clamps{}, Clamps{Clamp::edge, Clamp::edge}})
    for (const Mode mode : every_mode) {
      const Case c(der::describe(one(smooth_strand(random, 2, 0.05, 0.3)), hair(), clamps), options_of(mode));
      EXPECT_TRUE(c.is_unchanged()) << name(mode);
      EXPECT_EQ(c.outcome.imbalance, 0.0);
      EXPECT_EQ(c.outcome.status, StrandStatus::balanced);
    }
}

TEST(ShortStrands, FewVerticesAreBalancedByEveryMode) {
  for (const auto& [vertices, clamp] : {std::pair{2u, Clamp::point}, {3u, Clamp::edge}, {3u, Clamp::point}})
    for (const Mode mode : {Mode::rest_shape, Mode::penalty, Mode::full, Mode::sweep}) {
      Random random(7);
      const Options options = options_of(mode);
      const Case c(der::describe(one(smooth_strand(random, vertices, 0.05, 0.3)), hair(), {clamp, Clamp::free}),
                   options);
      EXPECT_NEAR(c.outcome.imbalance_before, 1.0, 1e-9);
      EXPECT_LT(c.outcome.imbalance, mode == Mode::sweep ? 1e-12 : 1e-7) << name(mode) << " " << vertices;
      EXPECT_EQ(c.outcome.status, StrandStatus::balanced) << name(mode) << " " << vertices;
      expect_within_bounds(c, options, c.outcome.mu);
    }
}

// What der::check() lets through, a fold of 179 degrees and an edge of 20 nm, is solved like anything else.
TEST(BarelyAllowedPoses, AreBalanced) {
  const double a = 179.0 * pi / 180.0;
  const std::vector<Vector3d> fold = {{0.0, 0.0, 0.0},
                                      {0.02, 0.0, 0.0},
                                      {0.04, 0.0, 0.0},
                                      {0.04 + 0.02 * std::cos(a), 0.02 * std::sin(a), 0.0},
                                      {0.0, 0.002, 0.01}};
  const std::vector<Vector3d> tiny_edge = {
      {0.0, 0.0, 0.0}, {0.02, 0.0, 0.0}, {0.02 + 2e-8, 1e-8, 0.0}, {0.05, 0.01, 0.0}, {0.07, 0.0, 0.01}};
  for (const std::vector<Vector3d>& points : {fold, tiny_edge})
    for (const Mode mode : {Mode::full, Mode::sweep}) {
      const Options options = options_of(mode);
      const Case c(der::describe(one(points), hair(), {}), options);
      EXPECT_EQ(c.outcome.status, StrandStatus::balanced) << name(mode);
      expect_within_bounds(c, options, c.outcome.mu);
    }
}

TEST(WithoutGravity, NoModeChangesABit) {
  for (const Clamps clamps : {Clamps{}, Clamps{Clamp::point, Clamp::free}, Clamps{Clamp::edge, Clamp::edge}})
    for (const Mode mode : every_mode)
      for (const Start start : {Start::drawn, Start::sweep}) {
        Options options = options_of(mode, {}, Vector3d::Zero());
        options.start = start;
        const Case c(curl(clamps, flat_and_tapered(hair())), options);
        EXPECT_TRUE(c.is_unchanged()) << name(mode);
        EXPECT_EQ(c.outcome.status, StrandStatus::balanced) << name(mode);
      }
}

// A load is a reason, without gravity too.
TEST(WithoutGravity, LoadsAreBalancedByEveryMode) {
  for (const Mode mode : {Mode::full, Mode::sweep}) {
    Strands strands = Strands::create(curl()).value();
    ASSERT_TRUE(strands.add_load({0, -1, Vector3d(0.0, 1e-8, 2e-8), 0.0}));
    const Result<Outcome> found = optimise(options_of(mode, {}, Vector3d::Zero()), strands.start(), strands);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found.value().strands[0].imbalance_before, 1.0, 1e-6);
    EXPECT_LT(found.value().strands[0].imbalance, 1e-6) << name(mode);
  }
}

// Flat and tapered sections, held at one end and at both, in every way: mode full balances them all.
TEST(GeneralOptimiser, BalancesFlatAndTaperedStrandsUnderEveryClamp) {
  for (const der::Material& material : {flat_and_tapered(hair()), flat_and_tapered(rope())})
    for (const Clamp root : {Clamp::edge, Clamp::point})
      for (const Clamp tip : {Clamp::free, Clamp::edge, Clamp::point}) {
        const Options options = options_of(Mode::full);
        const Case c(curl({root, tip}, material, 0.1), options);
        EXPECT_EQ(c.outcome.status, StrandStatus::balanced) << int(root) << int(tip);
        EXPECT_LT(c.outcome.imbalance, 1e-7) << int(root) << int(tip);
        expect_within_bounds(c, options, c.outcome.mu);
      }
}

// The joint of a point clamp at the tip has no edge of its own behind it, and must not spoil the others' programs.
TEST(GeneralOptimiser, PenaltyToleratesAPointClampAtTheTip) {
  for (const Clamp root : {Clamp::edge, Clamp::point}) {
    const Case shape(curl({root, Clamp::point}, rope()), options_of(Mode::rest_shape)),
        penalty(curl({root, Clamp::point}, rope()), options_of(Mode::penalty));
    EXPECT_LT(shape.outcome.imbalance, 1e-4);
    EXPECT_LT(penalty.outcome.imbalance, 1e-4);
  }
}

// An upward strand is compressed: its rest lengths grow, to their bound if it is soft, and the sweep agrees.
TEST(GeneralOptimiser, UpwardStrandIsCompressedAsByTheSweep) {
  for (const auto& [modulus, vertices] : {std::pair{1e5, 8u}, {1e3, 30u}}) {
    const Description d = straight(Vector3d::UnitZ(), modulus, vertices);
    const Options options = options_of(Mode::full, 1.0);
    const Case full(d, options), sweep(d, options_of(Mode::sweep, 1.0));
    EXPECT_LT(full.outcome.imbalance, 1e-9);
    EXPECT_EQ(full.outcome.status, StrandStatus::unstable);  // it buckles under its own weight
    EXPECT_EQ(full.outcome.negative_modes, sweep.outcome.negative_modes);
    expect_within_bounds(full, options, 1.0);
    for (std::size_t e = 1; e + 1 < vertices; ++e) {
      EXPECT_LT(full.after.strain[e], 0.0);
      EXPECT_NEAR(full.after.strain[e], sweep.after.strain[e], 1e-6);
      EXPECT_NEAR(full.after.stretch_modulus[e] / modulus, sweep.after.stretch_modulus[e] / modulus, 1e-5);
    }
  }
}

// With a cap on stiffness that is too low for the bound, each mode stays in its box, leaves a force and says so.
TEST(StiffnessCap, LeavesAForceThatIsNamed) {
  for (const Description& d : {straight(Vector3d::UnitX(), 1e9, 12), curl()})
    for (const double cap : {1.0, 1.5})
      for (const Mode mode : optimisers) {
        Options options = options_of(mode, 0.2);
        options.cap = cap;
        const Case c(d, options);
        expect_within_bounds(c, options, 0.2);
        EXPECT_GT(c.outcome.imbalance, 0.01) << name(mode);
        EXPECT_LT(c.outcome.imbalance, 1.0) << name(mode);
        EXPECT_TRUE(c.outcome.status == StrandStatus::bounded || c.outcome.status == StrandStatus::stopped)
            << name(mode) << ": " << name(c.outcome.status);
      }
}

// More of it helps: the force that is left falls with the cap, and is gone when it is high enough.
TEST(StiffnessCap, LeavesLessTheHigherItIs) {
  double last = 1.0;
  for (const double cap : {1.0, 1.5, 2.0, 3.0}) {
    Options options = options_of(Mode::full, 0.2);
    options.cap = cap;
    const Case c(straight(Vector3d::UnitX(), 1e9, 30), options);
    EXPECT_LT(c.outcome.imbalance, last) << cap;
    last = c.outcome.imbalance;
  }
  EXPECT_LT(last, 1e-9);  // the root needs 2.77 times its stiffness
}

// Stability is not bought with the balance: mu is not lowered below what the cap allows.
TEST(StiffnessCap, StopsTheSearchForAStableMu) {
  Options options = options_of(Mode::sweep);
  options.cap = 2.0;
  const Case c(straight(Vector3d::UnitX(), 1e9, 30), options);
  EXPECT_LT(c.outcome.imbalance, 1e-9);
  EXPECT_EQ(c.outcome.status, StrandStatus::unstable);
  EXPECT_GT(c.outcome.mu, 0.2);
}

// What is told of a strand is what was done to it, whoever did it.
TEST(Outcomes, StiffnessFactorIsTheLargestOfAllElements) {
  for (const Mode mode : {Mode::penalty, Mode::full, Mode::sweep}) {
    const Case c(straight(Vector3d::UnitX(), 1e9, 30), options_of(mode, 0.2));
    EXPECT_GT(c.largest_factor(), 1.5);
    EXPECT_NEAR(c.outcome.stiffness_factor, c.largest_factor(), 1e-12) << name(mode);
  }
}

// Held at its tip alone a strand is the other way round: its first edge has to carry its share.
TEST(Clamps, AtTheTipAloneAreAsGoodAsAtTheRoot) {
  for (const Clamp tip : {Clamp::edge, Clamp::point})
    for (const Mode mode : {Mode::full, Mode::sweep}) {
      const Case c(curl({Clamp::free, tip}, mode == Mode::full ? rope() : hair()), options_of(mode));
      EXPECT_LT(c.outcome.imbalance, 1e-6) << name(mode);
      EXPECT_NE(c.after.strain[0], 0.0);
    }
}

// A strand in balance is not called balanced if the least push makes it leave, and is left alone if it is.
TEST(Balance, ComesWithStability) {
  Description upright = straight(Vector3d::UnitZ(), 1e5, 30);
  const Case measured(upright, options_of(Mode::naive));
  EXPECT_EQ(measured.outcome.status, StrandStatus::sagging);
  Strands strands = Strands::create(upright).value();
  ASSERT_EQ(optimise(options_of(Mode::sweep), strands.start(), strands).value().strands[0].status,
            StrandStatus::unstable);
  EXPECT_EQ(optimise(options_of(Mode::naive), strands.start(), strands).value().strands[0].status,
            StrandStatus::unstable);
}

TEST(Balance, WithoutLoadIsThatOfForcesAgainstTheWeight) {
  Description thin = curl({Clamp::edge, Clamp::edge});
  thin.rest_curvature.assign(thin.curves.points.size(), {0.01, 0.0, 0.01, 0.0});
  thin.rest_twist.assign(thin.curves.points.size(), 0.0);
  const Case c(thin, options_of(Mode::naive, {}, Vector3d::Zero()));
  EXPECT_GT(c.outcome.imbalance, 1e-3);
  EXPECT_EQ(c.outcome.status, StrandStatus::sagging);
}

// What one strand carries is no reason to touch another, and what is in balance is not searched again.
TEST(Balance, IsLeftAlone) {
  Curves curves;
  Random random(53);
  append(curves, smooth_strand(random, 10, 0.2, 0.15)), append(curves, smooth_strand(random, 10, 0.2, 0.15));
  Strands strands = Strands::create(der::describe(curves, hair(), {Clamp::edge, Clamp::edge})).value();
  ASSERT_TRUE(strands.add_load({0, 5, Vector3d(1e-5, 0.0, 0.0), 0.0}));
  const RestState before = strands.rest_state();
  Options options = options_of(Mode::sweep, {}, Vector3d::Zero());
  const Outcome first = optimise(options, strands.start(), strands).value();
  EXPECT_GT(first.strands[0].newton_iterations, 0);
  EXPECT_EQ(first.strands[1].newton_iterations, 0);
  for (std::size_t v = 10; v < 20; ++v) EXPECT_EQ(strands.rest_state().bend_modulus[v], before.bend_modulus[v]);
  const Outcome again = optimise(options, strands.start(), strands).value();
  EXPECT_EQ(again.strands[0].newton_iterations, 0);
  EXPECT_EQ(again.strands[0].status, StrandStatus::balanced);
}

TEST(GeneralOptimiser, CarriesConnectorsAsTheSweepDoes) {
  Description d = curl({}, rope());
  d.connectors = {{0, true, 1e-3, 1e-9, 1e-9, 0.02}};
  for (const Mode mode : {Mode::full, Mode::sweep}) EXPECT_LT(Case(d, options_of(mode)).outcome.imbalance, 1e-6);
}

}  // namespace
}  // namespace tendril::sagfree
