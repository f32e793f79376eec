// The rivals of the projection (docs/theory/chain.md, Rivals): what they reach, how fast, and how far that is from the
// closest chain; and that the lanes of every instruction set do the same.
#include "support/chain_rivals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace tendril::testing {
namespace {

using chain::Rival;
using chain::RivalOptions;
using chain::Status;

constexpr std::array all_rivals = {Rival::pbd, Rival::xpbd, Rival::fast, Rival::shake, Rival::banded};
constexpr std::array all_sets = {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512};

std::string name(Rival rival) {
  switch (rival) {
    case Rival::pbd: return "pbd";
    case Rival::xpbd: return "xpbd";
    case Rival::fast: return "fast";
    case Rival::shake: return "shake";
    case Rival::banded: break;
  }
  return "banded";
}

std::vector<Vector3d> closest(const ChainCase& chain) {
  chain::Options options;
  options.tolerance = 1e-12, options.max_iterations = 200, options.isa = Isa::reference;
  return project(chain, options).positions;
}

// Of the points to the closest ones, over that of the prediction.
double distance(const ChainCase& chain, const std::vector<Vector3d>& x) {
  const std::vector<Vector3d> best = closest(chain);
  return mass_norm(chain, x, best) / mass_norm(chain, chain.prediction, best);
}

ChainCase with_free_root(ChainCase chain) {
  chain.inverse_mass[0] = 1.0;
  return chain;
}

// Noise on a chain that turns slowly, so that what one link does goes far along the chain.
ChainCase smooth_noisy_chain(std::uint64_t seed, std::size_t points, double noise) {
  ChainCase made = noisy_chain(seed, points, noise);
  const std::vector<Vector3d> start = random_chain(seed, points, 0.1);
  for (std::size_t i = 0; i < points; ++i) made.prediction[i] += start[i] - made.start[i];
  made.start = start;
  return made;
}

// Jerks suit all of them: SHAKE does not survive noise.
std::vector<ChainCase> jerked_chains() {
  std::vector<ChainCase> made;
  for (std::uint64_t seed = 0; seed < 9; ++seed) made.push_back(jerked_chain(seed, 20, 0.05, 1.0));
  return made;
}

class EachRival : public ::testing::TestWithParam<std::tuple<Rival, Isa>> {
 protected:
  Rival rival() const { return std::get<0>(GetParam()); }
  Isa isa() const { return std::get<1>(GetParam()); }

  void SetUp() override {
    if (!machine_has(isa())) GTEST_SKIP() << "this machine has no " << isa_name(isa());
  }
};

TEST_P(EachRival, FindsTheSameInLanesAsOneByOne) {
  const std::vector<ChainCase> chains = jerked_chains();
  const RivalOptions options{1e-11, 4000, rival()};
  const std::vector<Found> found = run(isa(), options, chains), expected = run(Isa::reference, options, chains);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SCOPED_TRACE(c);
    EXPECT_EQ(found[c].status, Status::ok);
    EXPECT_EQ(found[c].iterations, expected[c].iterations);
    EXPECT_EQ(found[c].certified, expected[c].certified);
    EXPECT_EQ(found[c].certified, rival() == Rival::banded);
    EXPECT_LE(found[c].residual, options.tolerance);
    EXPECT_LT(violation(chains[c], found[c].positions), 1.01e-11);
    EXPECT_LT(apart(found[c].positions, expected[c].positions), 1e-12);
    for (std::size_t i = 0; i < found[c].multipliers.size(); ++i)
      EXPECT_NEAR(found[c].multipliers[i], expected[c].multipliers[i], 1e-12);
  }
}

TEST_P(EachRival, GivesAChainTheSameBitsWithOtherNeighboursAndInOtherLanes) {
  std::vector<ChainCase> chains = jerked_chains();
  const RivalOptions options{1e-9, 3000, rival()};
  const std::vector<Found> found = run(isa(), options, chains);
  // Neighbours that take longer, that have loads, that never come to an end, that are free, that are done at once.
  std::vector<ChainCase> others;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    others.push_back(c % 2 ? noisy_chain(100 + c, 20, 1.0) : taut_rope(100 + c, 20, 1e4));
    others.push_back(chains[c]);
    others.push_back(compressed_chain(100 + c, 20, c % 2 ? 0.5 : 0.9));
    others.push_back(with_free_root(noisy_chain(100 + c, 20, 0.01)));
    others.push_back(others.back());
    others.back().prediction = others.back().start;
  }
  const std::vector<Found> again = run(isa(), options, others);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SCOPED_TRACE(c);
    EXPECT_EQ(again[5 * c + 1].positions, found[c].positions);
    EXPECT_EQ(again[5 * c + 1].multipliers, found[c].multipliers);
    EXPECT_EQ(again[5 * c + 1].residual, found[c].residual);
    EXPECT_EQ(again[5 * c + 1].iterations, found[c].iterations);
    EXPECT_EQ(again[5 * c + 1].status, found[c].status);
    EXPECT_EQ(again[5 * c + 4].iterations, 0);
  }
}

TEST_P(EachRival, DoesNotMindThatShorterChainsAreFilledUp) {
  std::vector<ChainCase> chains;
  for (std::size_t points = 2; points < 18; ++points) chains.push_back(jerked_chain(points, points, 0.05, 3.0));
  const RivalOptions options{1e-11, 4000, rival()};
  const std::vector<Found> found = run(isa(), options, chains, 0.0, 2);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SCOPED_TRACE(c);
    const Found alone = run(isa(), options, {chains[c]})[0];
    EXPECT_EQ(found[c].status, Status::ok);
    EXPECT_EQ(found[c].iterations, alone.iterations);
    EXPECT_EQ(found[c].positions, alone.positions);
    EXPECT_EQ(found[c].multipliers, alone.multipliers);
  }
}

TEST_P(EachRival, IsAsGoodAsSinglePrecisionIs) {
  const std::vector<ChainCase> chains = jerked_chains();
  const std::vector<Found> found = run_as<float>(isa(), {1e-5, 4000, rival()}, chains),
                           exact = run(Isa::reference, {1e-5, 4000, rival()}, chains);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SCOPED_TRACE(c);
    EXPECT_EQ(found[c].status, Status::ok) << found[c].residual;
    EXPECT_NEAR(found[c].iterations, exact[c].iterations, 1.0 + 0.05 * exact[c].iterations);
    EXPECT_LT(violation(chains[c], found[c].positions), 1.1e-5);
    EXPECT_LT(apart(found[c].positions, exact[c].positions), 1e-4);
  }
}

TEST_P(EachRival, SaysThatItHasNotConverged) {
  const Found found = run(isa(), {1e-12, 1, rival()}, {noisy_chain(1, 30, 0.1)})[0];
  EXPECT_EQ(found.status, Status::not_converged);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_GT(found.residual, 1e-3);
  EXPECT_FALSE(found.certified);
}

TEST_P(EachRival, LeavesAChainThatHasItsLengthsAlone) {
  ChainCase chain = noisy_chain(1, 30, 0.0);
  for (Vector3d& x : chain.prediction) x += Vector3d(3.0, -2.0, 1.0);
  const Found found = run(isa(), {1e-12, 10, rival()}, {chain})[0];
  EXPECT_EQ(found.status, Status::ok);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_LT(apart(found.positions, chain.prediction), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(OnEachSet, EachRival,
                         ::testing::Combine(::testing::ValuesIn(all_rivals), ::testing::ValuesIn(all_sets)),
                         [](const auto& tested) {
                           return name(std::get<0>(tested.param)) + "_" +
                                  std::string(isa_name(std::get<1>(tested.param)));
                         });

TEST(PositionBasedDynamics, EndsAtLinksOfTheirLengthsThatAreNotTheClosest) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ChainCase chain = smooth_noisy_chain(seed, 40, 0.1);
    const Found after_10 = run({0.0, 10, Rival::pbd}, chain), found = run({1e-12, 4000, Rival::pbd}, chain);
    EXPECT_GT(violation(chain, after_10.positions), 5e-3);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_GT(found.iterations, 400);
    EXPECT_LT(violation(chain, found.positions), 1e-12);
    const double off = distance(chain, found.positions);
    EXPECT_GT(off, 0.02);
    EXPECT_LT(off, 0.2);
    const Found later = run({0.0, 2 * found.iterations, Rival::pbd}, chain);
    EXPECT_NEAR(distance(chain, later.positions), off, 1e-9) << "more sweeps do not help";
  }
}

TEST(PositionBasedDynamics, ReachesItsToleranceOnLinksOfUnequalLengthsToo) {
  ChainCase chain = smooth_noisy_chain(1, 40, 0.0);
  for (std::size_t i = 0; i + 1 < 40; ++i) chain.length[i] = i % 3 == 1 ? 0.05 : 1.0;
  for (const double tolerance : {1e-2, 1e-4, 1e-8}) {
    const Found found = run({tolerance, 20000, Rival::pbd}, chain);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_LE(violation(chain, found.positions), tolerance * (1.0 + 1e-6));
    EXPECT_NEAR(violation(chain, found.positions), found.residual, 1e-14);
  }
}

TEST(FastProjection, IsQuickAndEndsAtLinksOfTheirLengthsThatAreNotTheClosest) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ChainCase chain = smooth_noisy_chain(seed, 40, 0.1);
    const Found found = run({1e-12, 40, Rival::fast}, chain);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_LE(found.iterations, 12);
    EXPECT_LT(violation(chain, found.positions), 1e-12);
    const double off = distance(chain, found.positions);
    EXPECT_GT(off, 0.02);
    EXPECT_LT(off, 0.2);
  }
}

TEST(LoadedTautRope, LeavesSweepsAndFastProjectionBehindButNotOurs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ChainCase rope = taut_rope(seed, 40, 1e4);
    const double sweeps = distance(rope, run({1e-12, 1000, Rival::pbd}, rope).positions);
    const double fast = distance(rope, run({1e-12, 10, Rival::fast}, rope).positions);
    chain::Options options;
    options.method = chain::Method::two_stage, options.tolerance = 1e-15, options.max_iterations = 3;
    const double ours = distance(rope, project(rope, options).positions);
    EXPECT_NEAR(sweeps, 1.0, 0.05);
    EXPECT_NEAR(fast, 1.0, 0.05);
    EXPECT_LT(ours, 1e-5);
    EXPECT_GT(sweeps, 1e5 * ours);
  }
}

TEST(Shake, MovesPointsAlongTheLinksOfTheStartOnly) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ChainCase chain = jerked_chain(seed, 40, 0.1, 1.0);
    const Found found = run({1e-13, 50, Rival::shake}, chain);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_LE(found.iterations, 12);
    EXPECT_LT(violation(chain, found.positions), 2e-13);
    Vector3d before = Vector3d::Zero();
    for (std::size_t i = 0; i < chain.prediction.size(); ++i) {
      const bool is_last = i + 1 == chain.prediction.size();
      const Vector3d after =
          is_last ? Vector3d(0.0, 0.0, 0.0) : Vector3d(found.multipliers[i] * (chain.start[i] - chain.start[i + 1]));
      const Vector3d expected = chain.prediction[i] - chain.inverse_mass[i] * (after - before);
      EXPECT_LT((found.positions[i] - expected).norm(), 1e-13);
      before = after;
    }
    const double off = distance(chain, found.positions);
    EXPECT_GT(off, 0.01) << "it is another chain than the closest";
    EXPECT_LT(off, 1.0);
  }
}

TEST(Shake, KeepsTheAngularMomentumOfAFreeChain) {
  ChainCase chain = with_free_root(noisy_chain(3, 10, 0.0));
  const std::vector<Vector3d> turning = random_chain(77, 10);
  for (std::size_t i = 0; i < 10; ++i) chain.prediction[i] += 0.02 * turning[i];
  const Found found = run({1e-13, 50, Rival::shake}, chain);
  ASSERT_EQ(found.status, Status::ok);
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  for (std::size_t i = 0; i < 10; ++i) {
    const Vector3d by = found.positions[i] - chain.prediction[i];
    force += by, torque += chain.start[i].cross(by);
  }
  EXPECT_LT(force.norm(), 1e-13);
  EXPECT_LT(torque.norm(), 1e-13);
}

TEST(Shake, StopsWhereItIsWhenALinkHasTurnedByARightAngle) {
  ChainCase chain = noisy_chain(1, 2, 0.0);
  chain.start = {Vector3d::Zero(), Vector3d::UnitX()}, chain.prediction = {Vector3d::Zero(), 2.0 * Vector3d::UnitY()};
  const Found found = run({1e-12, 50, Rival::shake}, chain);
  EXPECT_EQ(found.status, Status::stalled);
  EXPECT_EQ(found.positions, chain.prediction);
}

TEST(CompliantSweeps, AreTheOrdinaryOnesWithoutCompliance) {
  for (const Isa isa : all_sets) {
    if (!machine_has(isa)) continue;
    const std::vector<ChainCase> chains = {noisy_chain(1, 30, 0.1), taut_rope(2, 30, 10.0), noisy_chain(3, 12, 1.0)};
    const std::vector<Found> pbd = run(isa, {1e-6, 300, Rival::pbd}, chains),
                             xpbd = run(isa, {1e-6, 300, Rival::xpbd}, chains);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      EXPECT_EQ(xpbd[c].positions, pbd[c].positions);
      EXPECT_EQ(xpbd[c].multipliers, pbd[c].multipliers);
      EXPECT_EQ(xpbd[c].iterations, pbd[c].iterations);
    }
  }
}

TEST(CompliantSweeps, StretchOneLinkAsTheClosedFormSays) {
  // (M + 1/compliance) of a spring: |z| - l = compliance T, T = (|p| - l) / (w + compliance).
  for (const double compliance : {0.01, 0.5, 1.0, 30.0}) {
    ChainCase chain = noisy_chain(1, 2, 0.0);
    chain.inverse_mass = {0.0, 0.4};
    chain.prediction[1] = {0.0, 3.0, 4.0};
    const Found found = run({1e-14, 5, Rival::xpbd}, chain, compliance);
    const double tension = 4.0 / (0.4 + compliance);
    EXPECT_EQ(found.status, Status::ok);
    EXPECT_EQ(found.iterations, 2) << "one, and one that finds nothing left to do";
    EXPECT_NEAR(found.positions[1].norm(), 1.0 + compliance * tension, 1e-14);
    EXPECT_LT(found.positions[1].cross(Vector3d(0.0, 0.6, 0.8)).norm(), 1e-15);
  }
}

TEST(CompliantSweeps, AreDoneOnceEveryLinkHasTheLengthItsTensionGives) {
  const ChainCase chain = dropped_chain(5, 30, 0.5);
  const double compliance = 0.05;
  const Found found = run({1e-11, 5000, Rival::xpbd}, chain, compliance);
  ASSERT_EQ(found.status, Status::ok);
  // The direction of a link turns while its tension grows: the tension is not lam |z|, but near it.
  for (std::size_t i = 0; i < found.multipliers.size(); ++i) {
    const double size = (found.positions[i] - found.positions[i + 1]).norm();
    EXPECT_NEAR(size - 1.0, compliance * found.multipliers[i] * size, 0.1 * compliance);
  }
  EXPECT_GT(violation(chain, found.positions), 1e-3);
  EXPECT_LT(found.iterations, run({1e-11, 5000, Rival::pbd}, chain).iterations) << "soft links need fewer sweeps";
}

std::vector<ChainCase> battery() {
  std::vector<ChainCase> made;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const double noise : {0.01, 0.1, 0.3, 1.0, 3.0}) made.push_back(noisy_chain(seed, 40, noise));
    for (const double by : {0.1, 1.0, 10.0}) made.push_back(dropped_chain(seed, 40, by));
    made.push_back(compressed_chain(seed, 40, 0.02));
    for (const double load : {1.0, 1e2, 1e4, 1e6}) {
      made.push_back(jerked_chain(seed, 40, 0.1, load));
      made.push_back(taut_rope(seed, 40, load));
    }
    for (const double noise : {0.01, 0.1, 0.3}) made.push_back(with_free_root(noisy_chain(seed, 25, noise)));
    made.push_back(with_free_root(compressed_chain(seed, 25, 0.02)));
  }
  return made;
}

class BandedNewton : public ::testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  }
};

TEST_P(BandedNewton, FindsTheClosestChainsThatTheRecursionFinds) {
  const std::vector<ChainCase> chains = battery();
  const std::vector<Found> found = run(GetParam(), {1e-10, 60, Rival::banded}, chains);
  chain::Options options;
  options.method = chain::Method::newton, options.tolerance = 1e-10, options.max_iterations = 60;
  options.isa = GetParam();
  for (std::size_t c = 0; c < chains.size(); ++c) {
    SCOPED_TRACE(c);
    const chain::Projections expected = project(chains[c], options);
    ASSERT_LE(found[c].status, Status::round_off) << found[c].residual;  // about 1e-10 with the heaviest load
    EXPECT_LT(violation(chains[c], found[c].positions), 1e-13);
    EXPECT_LT(apart(found[c].positions, expected.positions), 1e-9);
    EXPECT_LT(apart(found[c].positions, closest(chains[c])), 1e-9);
    for (std::size_t i = 0; i < found[c].multipliers.size(); ++i)
      EXPECT_NEAR(found[c].multipliers[i], expected.multipliers[i], 1e-8 * (1.0 + std::abs(expected.multipliers[i])));
    EXPECT_EQ(found[c].certified, expected.chains[0].certified);
    EXPECT_NEAR(found[c].iterations, expected.chains[0].iterations, 2) << "the same method but for its linear algebra";
  }
}

TEST_P(BandedNewton, RefusesStationaryChainsThatAreNotTheClosest) {
  ChainCase chain = noisy_chain(1, 3, 0.0);
  chain.start = {Vector3d::Zero(), Vector3d::UnitX(), 2.0 * Vector3d::UnitX()};
  chain.prediction = {Vector3d::Zero(), -1.5 * Vector3d::UnitX(), -2.5 * Vector3d::UnitX()};
  const Found found = run(GetParam(), {1e-10, 60, Rival::banded}, {chain})[0];
  EXPECT_EQ(found.status, Status::stalled);
  EXPECT_FALSE(found.certified);
  EXPECT_LE(found.residual, 1e-10);
  EXPECT_LT(violation(chain, found.positions), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(EachSet, BandedNewton, ::testing::ValuesIn(all_sets),
                         [](const auto& set) { return std::string(isa_name(set.param)); });

// A slack rope between two held ends, and one held in its middle too.
ChainCase held_at_both_ends() {
  ChainCase chain = noisy_chain(8, 30, 0.05);
  chain.prediction.back() = chain.start.back(), chain.inverse_mass.back() = 0.0;
  return chain;
}

TEST(HeldPoints, StayWhereTheyAreWhileTheOthersGetTheirLengths) {
  ChainCase middle_too = held_at_both_ends();
  middle_too.prediction[12] = middle_too.start[12], middle_too.inverse_mass[12] = 0.0;
  for (const Rival rival : {Rival::pbd, Rival::xpbd, Rival::fast})
    for (const ChainCase& chain : {held_at_both_ends(), middle_too}) {
      SCOPED_TRACE(name(rival));
      const Found found = run({1e-11, 5000, rival}, chain);
      EXPECT_EQ(found.status, Status::ok);
      EXPECT_LT(violation(chain, found.positions), 1.01e-11);
      for (std::size_t i = 0; i < chain.prediction.size(); ++i)
        if (chain.inverse_mass[i] == 0.0) {
          EXPECT_LT((found.positions[i] - chain.prediction[i]).norm(), 1e-14);
        }
      const double off = distance(chain, found.positions);
      EXPECT_GT(off, 1e-3);
      EXPECT_LT(off, 1.0);  // of the way from the prediction to the closest
    }
}

TEST(HeldPoints, OfOneLinkThatDoesNotFitAreReportedAsNotConverged) {
  ChainCase chain = noisy_chain(8, 6, 0.05);
  chain.inverse_mass[1] = 0.0, chain.prediction[1] *= 1.25;
  for (const Rival rival : {Rival::pbd, Rival::xpbd, Rival::fast, Rival::shake}) {
    const Found found = run({1e-11, 3000, rival}, chain);
    EXPECT_NE(found.status, Status::ok);
    EXPECT_GT(found.residual, 0.1);
    for (std::size_t i = 1; i < 5; ++i) {
      const double size = (found.positions[i] - found.positions[i + 1]).norm();
      EXPECT_NEAR(size, 1.0, 1e-10) << "the others get their lengths";
    }
  }
}

TEST(HeldPoints, TooFarApartStallFastProjection) {
  // Straight and overstretched: the system of the links is singular, up to round-off.
  ChainCase chain = noisy_chain(1, 3, 0.0);
  chain.prediction = {Vector3d::Zero(), Vector3d::UnitX(), 2.5 * Vector3d::UnitX()};
  chain.inverse_mass = {0.0, 1.0, 0.0};
  const Found found = run({1e-11, 50, Rival::fast}, chain);
  EXPECT_NE(found.status, Status::ok);
  EXPECT_GT(found.residual, 1e-3);
}

}  // namespace
}  // namespace tendril::testing
