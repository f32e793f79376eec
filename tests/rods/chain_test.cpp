// Projection of chains: symmetries, order of convergence, iterations, statuses (docs/theory/chain.md).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/chains.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/held_run.hpp"

namespace tendril::testing {
namespace {

using chain::Method;
using chain::Status;

TEST(ChainProjection, TurnsAndMovesWithItsPrediction) {
  const ChainCase chains = noisy_chain(3, 25, 0.3);
  const chain::Projections plain = project(chains, tight());
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const Vector3d by(3.0, -2.0, 5.0);
  ChainCase moved = chains;
  for (Vector3d& x : moved.prediction) x = turn * x + by;
  for (Vector3d& x : moved.start) x = turn * x + by;
  chain::Projections found = project(moved, tight());
  for (Vector3d& x : found.positions) x = turn.transpose() * (x - by);
  EXPECT_LT(apart(found.positions, plain.positions), 1e-12);
}

TEST(ChainProjection, DoesNotKnowWhichEndComesFirst) {
  for (const bool held : {true, false}) {
    ChainCase chains = noisy_chain(4, 25, 0.3);
    if (!held) chains.inverse_mass[0] = 2.0;
    ChainCase reversed = chains;
    std::ranges::reverse(reversed.prediction), std::ranges::reverse(reversed.start);
    std::ranges::reverse(reversed.inverse_mass), std::ranges::reverse(reversed.length);
    chain::Projections a = project(chains, tight()), b = project(reversed, tight());
    std::ranges::reverse(b.positions), std::ranges::reverse(b.multipliers);
    EXPECT_LT(apart(a.positions, b.positions), 1e-11);
    for (std::size_t i = 0; i < a.multipliers.size(); ++i) EXPECT_NEAR(a.multipliers[i], b.multipliers[i], 1e-10);
  }
}

TEST(ChainProjection, ScalesWithMassesAndLengths) {
  const ChainCase chains = noisy_chain(5, 25, 0.3);
  const chain::Projections plain = project(chains, tight());
  ChainCase heavy = chains, small = chains;
  for (double& w : heavy.inverse_mass) w /= 64.0;
  for (Vector3d& x : small.prediction) x /= 128.0;
  for (Vector3d& x : small.start) x /= 128.0;
  for (double& l : small.length) l /= 128.0;
  const chain::Projections of_heavy = project(heavy, tight());
  chain::Projections of_small = project(small, tight());
  for (Vector3d& x : of_small.positions) x *= 128.0;
  EXPECT_LT(apart(of_heavy.positions, plain.positions), 1e-12);
  EXPECT_LT(apart(of_small.positions, plain.positions), 1e-12);
  for (std::size_t i = 0; i < plain.multipliers.size(); ++i) {
    EXPECT_NEAR(of_heavy.multipliers[i], 64.0 * plain.multipliers[i], 1e-9);
    EXPECT_NEAR(of_small.multipliers[i], plain.multipliers[i], 1e-10);
  }
}

TEST(ChainProjection, LeavesAProjectionWhereItIs) {
  ChainCase chains = noisy_chain(6, 40, 1.0);
  chains.prediction = project(chains, tight()).positions;
  const chain::Projections again = project(chains, tight());
  EXPECT_LT(apart(again.positions, chains.prediction), 1e-11);
  for (const double lam : again.multipliers) EXPECT_NEAR(lam, 0.0, 1e-11);
}

TEST(ChainProjection, IsCertifiedForRandomChains) {
  int certified = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ChainCase chains = noisy_chain(seed, 40, std::vector{0.01, 0.1, 0.3, 1.0, 3.0, 5.0}[seed % 6]);
    const chain::Projections found = project(chains, tight());
    certified += found.chains[0].certified;
    EXPECT_LT(violation(chains, found.positions), 1e-13);
  }
  EXPECT_EQ(certified, 60);
}

struct Counts {
  double mean = 0.0;
  int most = 0;
};

template <class Make>
Counts iterations(const Make& make, double tolerance, chain::Method method, int most = 400) {
  Counts counts;
  constexpr int runs = 20;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    chain::Options options;
    options.tolerance = tolerance, options.method = method, options.max_iterations = most;
    const chain::Outcome outcome = project(make(seed), options).chains[0];
    counts.mean += outcome.iterations / double(runs), counts.most = std::max(counts.most, outcome.iterations);
    EXPECT_TRUE(outcome.status <= Status::round_off) << chain::name(outcome.status);
  }
  return counts;
}

TEST(ChainProjection, TakesFewIterationsWhateverTheScene) {
  const auto hybrid = [](const auto& make) { return iterations(make, 1e-10, Method::hybrid); };
  for (const std::size_t n : {5, 20, 50, 200})
    EXPECT_LE(hybrid([&](auto seed) { return noisy_chain(seed, n, 0.1); }).mean, 8.0) << n;
  for (const double noise : {0.01, 0.3, 3.0})
    EXPECT_LE(hybrid([&](auto seed) { return noisy_chain(seed, 40, noise); }).mean, 9.0) << noise;
  for (const double by : {0.1, 1.0, 10.0, 100.0}) {
    const Counts counts = hybrid([&](auto seed) { return dropped_chain(seed, 40, by); });
    EXPECT_LE(counts.mean, 11.0) << by;
    EXPECT_LE(counts.most, 25) << by;
  }
  for (const double share : {0.02, 0.05, 0.1})
    EXPECT_LE(hybrid([&](auto seed) { return compressed_chain(seed, 40, share); }).mean, 12.0) << share;
  for (const double mass : {1.0, 1e2, 1e4, 1e6})
    EXPECT_LE(hybrid([&](auto seed) { return jerked_chain(seed, 40, 0.1, mass); }).mean, 6.0) << mass;
}

// Each step finds its own damping: one that began with that of the last took twice as many.
TEST(ChainProjection, TakesFewIterationsWithHeavyPointsUnderCompression) {
  const auto make = [](std::uint64_t seed) { return chain::with_heavy_points(seed, compressed_chain(seed, 30, 0.5)); };
  EXPECT_LT(iterations(make, 1e-9, Method::newton).mean, 18.0);
}

TEST(ChainProjection, FindsALocalMinimumUnderStrongCompression) {
  for (const double share : {0.2, 0.5, 0.9})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      chain::Options options;
      options.tolerance = 1e-8, options.max_iterations = 400;
      const ChainCase chains = compressed_chain(seed, 40, share);
      const chain::Projections found = project(chains, options);
      EXPECT_TRUE(found.chains[0].status <= Status::round_off)
          << share << " " << seed << ": " << chain::name(found.chains[0].status) << " " << found.chains[0].residual;
      EXPECT_LT(violation(chains, found.positions), 1e-13);
    }
}

TEST(ChainProjection, SquaresItsErrorWhereTwoStagesOnlyShrinkIt) {
  const ChainCase chains = noisy_chain(7, 40, 0.3);
  const chain::Projections exact = project(chains, tight());
  const double all = mass_norm(chains, chains.prediction, exact.positions);
  const auto error = [&](chain::Method method, int k) {
    chain::Options options;
    options.tolerance = 1e-300, options.max_iterations = k, options.method = method;
    return mass_norm(chains, project(chains, options).positions, exact.positions) / all;
  };
  double best_order = 0.0;
  for (int k = 1; k < 12; ++k) {
    const double before = error(chain::Method::newton, k), after = error(chain::Method::newton, k + 1);
    if (before < 1e-2 && before > 1e-7 && after > 1e-15)
      best_order = std::max(best_order, std::log(after) / std::log(before));
  }
  EXPECT_GT(best_order, 1.7);
  for (int k = 12; k < 20; ++k) {
    const double factor = error(chain::Method::two_stage, k + 1) / error(chain::Method::two_stage, k);
    EXPECT_GT(factor, 0.1) << k;
    EXPECT_LT(factor, 0.9) << k;
  }
}

TEST(ChainProjection, EveryIterateHasItsLengths) {
  const ChainCase chains = noisy_chain(8, 40, 1.0);
  for (int k = 1; k < 8; ++k) {
    chain::Options options;
    options.tolerance = 1e-300, options.max_iterations = k;
    const chain::Projections found = project(chains, options);
    EXPECT_EQ(found.chains[0].status, Status::not_converged);
    EXPECT_EQ(found.chains[0].iterations, k);
    EXPECT_LT(violation(chains, found.positions), 1e-14);
  }
}

TEST(ChainProjection, HasAStatusForWhatCannotBe) {
  const auto rope = [](double d, std::vector<double> lengths) {
    ChainCase made;
    made.length = std::move(lengths);
    const std::size_t n = made.length.size() + 1;
    for (std::size_t i = 0; i < n; ++i) made.prediction.emplace_back(d * double(i) / double(n - 1), 0.0, 0.0);
    made.inverse_mass.assign(n, 1.0);
    made.inverse_mass.front() = made.inverse_mass.back() = 0.0;
    made.offsets = {0, std::uint32_t(n)};
    return made;
  };
  const auto status = [](const ChainCase& chains) { return project(chains, {}).chains[0].status; };
  EXPECT_EQ(status(rope(3.5, {1, 1, 1})), Status::overstretched);
  EXPECT_EQ(status(rope(3.0, {1, 1, 1})), Status::taut);
  EXPECT_EQ(status(rope(0.5, {4, 1, 1})), Status::too_long_link);
  EXPECT_EQ(status(rope(1.0 + 1e-11, {2, 1})), Status::taut);  // folded, and no room for anything else
  EXPECT_TRUE(std::isnan(project(rope(3.5, {1, 1, 1}), {}).chains[0].residual));
  EXPECT_EQ(status(rope(1.1, {1})), Status::rigid_mismatch);
  EXPECT_EQ(status(rope(1.0, {1})), Status::ok);
  const ChainCase stretched = rope(3.3, {1, 0.5, 1.5});
  const chain::Projections found = project(stretched, {});
  EXPECT_EQ(found.chains[0].status, Status::overstretched);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR((found.positions[i] - found.positions[i + 1]).norm(), 1.1 * stretched.length[i], 1e-13);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    ChainCase broken = noisy_chain(1, 6, 0.1);
    broken.prediction[3][1] = bad;
    EXPECT_EQ(status(broken), Status::bad_input);
  }
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    ChainCase broken = noisy_chain(1, 6, 0.1);
    broken.length[2] = bad;
    EXPECT_EQ(status(broken), Status::bad_input);
  }
  ChainCase broken = noisy_chain(1, 6, 0.1);
  broken.inverse_mass[2] = -1.0;
  EXPECT_EQ(status(broken), Status::bad_input);
}

TEST(ChainProjection, LeavesASaddleThatLooksLikeASolution) {
  ChainCase on_axis = noisy_chain(1, 3, 0.0);
  on_axis.prediction = {{0, 0, 0}, {-2, 0, 0}, {3, 0, 0}};
  on_axis.start = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const chain::Projections found = project(on_axis, {});
  EXPECT_LT(mass_norm(on_axis, found.positions, on_axis.prediction), std::sqrt(2.0 * 4.84));

  ChainCase between = on_axis;  // the far side of an arch is a maximum
  between.inverse_mass = {0, 1, 0}, between.length = {1.5, 1.5};
  between.prediction = {{0, 0, 0}, {1, 2, 0}, {2, 0, 0}};
  between.start = {{0, 0, 0}, {1, -1, 0}, {2, 0, 0}};
  const chain::Projections arch = project(between, {});
  EXPECT_EQ(arch.chains[0].status, Status::ok);
  EXPECT_GT(arch.positions[1].y(), 1.0);
}

TEST(ChainProjection, ClosesALoopWhosePointsWereAllAtOnePlace) {
  ChainCase loop = noisy_chain(1, 12, 0.0);
  for (Vector3d& x : loop.prediction) x.setZero();
  loop.start.clear();
  loop.inverse_mass.back() = 0.0;
  const chain::Projections found = project(loop, {});
  EXPECT_LT(violation(loop, found.positions), 1e-12);
  EXPECT_EQ(found.positions.back(), Vector3d(0, 0, 0));
}

// All but one place: any direction is nearly as good, and points come as near as round-off lets them.
TEST(ChainProjection, EndsAtRoundOffWherePointsAreNearlyAtOnePlace) {
  int ended = 0;
  for (const bool both_held : {false, true})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      ChainCase chains = noisy_chain(seed, 20, 0.1);
      for (Vector3d& x : chains.prediction) x *= 1e-9;
      if (both_held) chains.inverse_mass.back() = 0.0;
      chain::Options options;
      options.tolerance = 1e-10;
      const chain::Projections found = project(chains, options);
      ended += found.chains[0].status <= Status::round_off;
      EXPECT_LT(found.chains[0].residual, 1e-7) << seed;
      EXPECT_LT(violation(chains, found.positions), 1e-12);
    }
  EXPECT_GE(ended, 18);  // of 20, before their limit of iterations
}

TEST(ChainProjection, TakesPointsThatAreAllAtOnePlace) {
  ChainCase chains = noisy_chain(1, 12, 0.0);
  for (Vector3d& x : chains.prediction) x.setZero();
  chains.start.clear();
  chain::Options options;
  options.max_iterations = 400;
  const chain::Projections found = project(chains, options);
  EXPECT_LT(violation(chains, found.positions), 1e-13);
  EXPECT_TRUE(found.chains[0].status <= Status::not_converged) << chain::name(found.chains[0].status);
}

TEST(ChainArc, ClosesOnBothEnds) {
  Random random(9);
  int arcs = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<double> l;
    const std::size_t links = 2 + random.below(20);
    for (std::size_t i = 0; i < links; ++i) l.push_back(random.uniform(0.2, 2.0));
    if (k % 3 == 0) l[random.below(links)] *= 6.0;
    const Vector3d a(random.normal(), random.normal(), random.normal()), b(random.normal(), random.normal(), 0.5);
    if (chain::reach((b - a).norm(), l) != Status::ok) continue;
    std::vector<Vector3d> x(links + 1);
    chain::place_on_arc(a, b, l, Vector3d(0.3, -2.0, 0.1), x);
    EXPECT_LT((x.back() - b).norm(), 1e-11) << k;
    for (std::size_t i = 0; i < links; ++i) EXPECT_NEAR((x[i + 1] - x[i]).norm(), l[i], 1e-12);
    ++arcs;
  }
  EXPECT_GT(arcs, 100);
}

}  // namespace
}  // namespace tendril::testing
