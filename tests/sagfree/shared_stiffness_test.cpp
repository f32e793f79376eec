// Stiffness that elements, strands or groups have in common, or that is smooth: by the sweep, and by the general
// optimiser as its judge; and the ways to store and to count variables that are there for comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/rods.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::sagfree {
namespace {

using namespace der::support;
using der::Description;
using der::RestState;
using der::Strands;

const Vector3d down(0.0, 0.0, -9.81);

// Straight strands held out sideways, of these lengths.
Description sideways(const std::vector<double>& lengths) {
  Curves curves;
  for (const double length : lengths) append(curves, straight_strand(16, length, Vector3d::UnitX()));
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = 1e9, material.density = 1300.0;
  Description d = der::describe(std::move(curves), material, {});
  d.root_director.assign(lengths.size(), Vector3d::UnitY());  // gravity bends about one axis: box and disc agree
  return d;
}

Options bounded_at(double mu, Mode mode) {
  Options options;
  options.mu = mu, options.mode = mode, options.gravity = down, options.check_stability = false;
  options.rest_weight = 1e-3;  // what it adds to stiffness that nothing bounds is then below what is compared
  return options;
}

struct Prepared {
  Strands strands;
  RestState before, rest;
  Outcome outcome;

  Prepared(const Description& d, const Options& options)
      : strands(Strands::create(d).value()), before(strands.rest_state()) {
    Result<Outcome> found = optimise(options, strands.start(), strands);
    EXPECT_TRUE(found) << (found ? "" : found.error().message());
    outcome = std::move(found.value()), rest = strands.rest_state();
  }
  double bend(std::size_t strand, std::size_t joint) const {
    const std::size_t v = strands.offset(strand) + joint;
    return rest.bend_modulus[v] / before.bend_modulus[v];
  }
  std::vector<double> bends(std::size_t strand) const {
    std::vector<double> factors;
    for (std::size_t i = 1; i + 1 < strands.vertices(strand); ++i) factors.push_back(bend(strand, i));
    return factors;
  }
};

double variation(const std::vector<double>& values) {
  double sum = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += std::abs(values[i] - values[i - 1]);
  return sum;
}

TEST(SharedStiffness, AStrandHasTheLargestThatAnyOfItsElementsNeeds) {
  const Description d = sideways({0.3});
  Options options = bounded_at(0.3, Mode::sweep);
  const Prepared own(d, options);
  options.sharing = Sharing::strand;
  const Prepared shared(d, options);
  const double largest = std::ranges::max(own.bends(0));
  ASSERT_GT(largest, 1.5);
  for (const double factor : shared.bends(0)) {
    EXPECT_EQ(factor, shared.bend(0, 1));
    EXPECT_NEAR(factor, largest, 1e-6 * largest);
  }
  EXPECT_LT(shared.outcome.strands[0].imbalance, 1e-9);
  EXPECT_EQ(shared.outcome.strands[0].status, StrandStatus::balanced);
}

TEST(SharedStiffness, TheGeneralOptimiserFindsTheSame) {
  const Description d = sideways({0.3});
  Options options = bounded_at(0.3, Mode::sweep);
  options.sharing = Sharing::strand;
  const Prepared swept(d, options);
  options.mode = Mode::full;
  const Prepared sought(d, options);
  EXPECT_LT(sought.outcome.strands[0].imbalance, 1e-6);
  for (std::size_t i = 1; i < 15; ++i) {
    EXPECT_NEAR(sought.bend(0, i), swept.bend(0, i), 1e-6);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(sought.rest.curvature[i][c], swept.rest.curvature[i][c], 1e-6);
  }
}

TEST(SharedStiffness, AGroupHasOneForAllItsStrands) {
  const Description d = sideways({0.3, 0.25, 0.2});
  for (const Mode mode : {Mode::sweep, Mode::full}) {
    Options options = bounded_at(0.15, mode);
    options.sharing = Sharing::strand;
    const Prepared each(d, options);
    options.sharing = Sharing::group, options.groups = {0, 1, 0};
    const Prepared grouped(d, options);
    EXPECT_GT(each.bend(0, 5), 1.1 * each.bend(2, 5));
    EXPECT_EQ(grouped.bend(0, 5), grouped.bend(2, 5));
    // Multipliers are met to 1e-5; what corrections add after that depends on what is solved together.
    const double tolerance = mode == Mode::sweep ? 1e-12 : 1e-5;
    EXPECT_NEAR(grouped.bend(0, 5), each.bend(0, 5), tolerance * each.bend(0, 5));
    EXPECT_NEAR(grouped.bend(1, 5), each.bend(1, 5), tolerance * each.bend(1, 5));
    for (const StrandOutcome& strand : grouped.outcome.strands) EXPECT_LT(strand.imbalance, 1e-6);
    options.groups = {};
    const Prepared all(d, options);
    EXPECT_EQ(all.bend(1, 5), all.bend(0, 5));
  }
}

TEST(SmoothStiffness, VariesLessAndIsNowhereLessThanNeeded) {
  const Description d = sideways({0.3});
  Options options = bounded_at(0.2, Mode::sweep);
  const Prepared own(d, options);
  options.smoothness = 10.0;
  const Prepared smooth(d, options);
  options.mode = Mode::full;
  const Prepared sought(d, options);
  for (std::size_t i = 1; i < 15; ++i) {
    EXPECT_GE(smooth.bend(0, i), own.bend(0, i) - 1e-9);
    EXPECT_NEAR(sought.bend(0, i), smooth.bend(0, i), 1e-5) << i;
  }
  const auto curvature_of = [](const std::vector<double>& b) {
    double worst = 0.0;
    for (std::size_t i = 1; i + 1 < b.size(); ++i) worst = std::max(worst, std::abs(b[i - 1] - 2.0 * b[i] + b[i + 1]));
    return worst;
  };
  EXPECT_LT(variation(smooth.bends(0)), variation(own.bends(0)));
  EXPECT_LT(curvature_of(smooth.bends(0)), curvature_of(own.bends(0)));
  EXPECT_LT(smooth.outcome.strands[0].imbalance, 1e-9);
  EXPECT_LT(sought.outcome.strands[0].imbalance, 1e-6);
}

// The sweep hands a group on as a whole if it does not cover one of its strands.
TEST(SharedStiffness, StrandsThatAreHeldAtBothEndsShareToo) {
  Random random(61);
  Curves curves;
  append(curves, smooth_strand(random, 12, 0.2, 0.15));
  append(curves, smooth_strand(random, 12, 0.2, 0.15));
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = 1e9, material.density = 1300.0;
  Description d = der::describe(std::move(curves), material, {der::Clamp::edge, der::Clamp::edge});
  d.clamps.assign(2, d.clamps[0]);
  d.clamps[1].tip = der::Clamp::free;
  for (const double smoothness : {0.0, 5.0}) {
    Options options;
    options.gravity = down, options.mu = 0.02;
    options.smoothness = smoothness;
    if (smoothness == 0.0) options.sharing = Sharing::group;
    const Prepared p(d, options);
    for (const StrandOutcome& strand : p.outcome.strands) EXPECT_LT(strand.imbalance, 1e-6);
    EXPECT_EQ(p.bend(0, 4) == p.bend(1, 7), smoothness == 0.0);
    EXPECT_GT(p.outcome.strands[0].newton_iterations, 0);
    EXPECT_EQ(p.outcome.strands[1].newton_iterations > 0, smoothness == 0.0);
  }
}

// Edges that are held, and strands that are not, have nothing to say about what is shared or smooth.
TEST(SharedStiffness, IsNotHinderedByWhatCannotChange) {
  Curves curves;
  for (int i = 0; i < 3; ++i) append(curves, straight_strand(16, 0.3, -Vector3d::UnitZ()));
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = 1e5, material.density = 1300.0;
  Description d = der::describe(std::move(curves), material, {});
  d.clamps = {
      {der::Clamp::edge, der::Clamp::edge}, {der::Clamp::edge, der::Clamp::free}, {der::Clamp::free, der::Clamp::free}};
  Options options = bounded_at(0.5, Mode::sweep);
  options.shortest = 0.97, options.sharing = Sharing::group;
  const Prepared shared(d, options);
  const auto stretch = [](const Prepared& p, std::size_t v) {
    return p.rest.stretch_modulus[v] / p.before.stretch_modulus[v];
  };
  EXPECT_LT(shared.outcome.strands[0].imbalance, 1e-6);
  EXPECT_LT(shared.outcome.strands[1].imbalance, 1e-6);
  EXPECT_EQ(shared.outcome.strands[2].status, StrandStatus::not_held);
  EXPECT_GT(stretch(shared, 3), 1.1);
  EXPECT_EQ(stretch(shared, 3), stretch(shared, 16 + 3));
  EXPECT_EQ(stretch(shared, 14), 1.0);  // between held vertices
  options.sharing = Sharing::element, options.smoothness = 100.0;
  d.clamps[0].tip = der::Clamp::point;
  const Prepared smooth(d, options);
  EXPECT_LT(smooth.outcome.strands[0].imbalance, 1e-6);
}

TEST(Comparisons, SparseMatricesGiveWhatBandedOnesDo) {
  const Description d = sideways({0.3});
  Options options = bounded_at(0.3, Mode::full);
  const Prepared banded(d, options);
  options.storage = Storage::sparse;
  const Prepared sparse(d, options);
  EXPECT_EQ(banded.outcome.strands[0].newton_iterations, sparse.outcome.strands[0].newton_iterations);
  for (std::size_t i = 1; i < 15; ++i) EXPECT_NEAR(banded.bend(0, i), sparse.bend(0, i), 1e-8);
}

// In a plane the components that turn about each other are equal; in space four have more freedom, and change less.
TEST(Comparisons, FourVariablesOfRestCurvature) {
  Options options = bounded_at(1.0, Mode::full);
  const Description planar = sideways({0.3});
  const Prepared two(planar, options);
  options.curvature_variables = CurvatureVariables::four;
  const Prepared four(planar, options);
  for (std::size_t i = 1; i < 15; ++i)
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(two.rest.curvature[i][c], four.rest.curvature[i][c], 1e-6);
  Random random(63);
  const Description curved = der::describe(one(smooth_strand(random, 12, 0.2, 0.2)), rope(), {});
  for (const Storage storage : {Storage::banded, Storage::sparse}) {
    options.storage = storage;
    EXPECT_LT(Prepared(curved, options).outcome.strands[0].imbalance, 1e-6);
  }
}

TEST(Sharing, RefusesWhatContradictsItself) {
  Strands strands = Strands::create(sideways({0.3})).value();
  Options options = bounded_at(0.3, Mode::sweep);
  options.sharing = Sharing::group, options.groups = {0, 1};
  EXPECT_FALSE(optimise(options, strands.start(), strands));
  options.groups = {}, options.smoothness = 1.0;
  EXPECT_FALSE(optimise(options, strands.start(), strands));
}

}  // namespace
}  // namespace tendril::sagfree
