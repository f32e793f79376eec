// Projections of chains in lanes: each as if it were alone, as the plain code has it, in single precision, on any
// number of threads (docs/theory/chain.md, In lanes).
#include <gtest/gtest.h>

#include "support/chains.hpp"
#include "tendril/base/parallel.hpp"

namespace tendril::testing {
namespace {

using chain::Method;
using chain::Status;

// Stands on a line, where residuals vanish and nothing is near.
ChainCase on_a_saddle() {
  ChainCase made = noisy_chain(1, 3, 0.0);
  made.prediction = {{0, 0, 0}, {-2, 0, 0}, {3, 0, 0}}, made.start = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  return made;
}

// Of very different lengths and kinds, in one batch.
ChainCase batch() {
  ChainCase all = noisy_chain(1, 7, 0.1);
  for (std::uint64_t seed = 2; seed < 40; ++seed) {
    all.add(seed % 3 == 0   ? noisy_chain(seed, 2 + seed, 0.5)
            : seed % 3 == 1 ? dropped_chain(seed, 40 - seed, 1.0)
                            : jerked_chain(seed, 20, 0.2, seed % 2 == 0 ? 1e3 : 1e5));
    // These damp their steps, search and lengthen them while their neighbours do not; and that one is kicked.
    if (seed == 20) all.add(on_a_saddle());
    if (seed % 4 == 0) all.add(compressed_chain(seed, 5 + seed, seed % 8 == 0 ? 0.5 : 0.9));
  }
  return all;
}

void expect_the_bits_of_one_by_itself(const chain::Options& options) {
  const ChainCase all = batch();
  const chain::Projections together = project(all, options);
  for (std::size_t c = 0; c + 1 < all.offsets.size(); ++c) {
    ChainCase one;
    const auto part = [&](const auto& from, std::size_t first, std::size_t count) {
      return std::vector(from.begin() + std::ptrdiff_t(first), from.begin() + std::ptrdiff_t(first + count));
    };
    const std::size_t first = all.offsets[c], n = all.offsets[c + 1] - first;
    one.prediction = part(all.prediction, first, n), one.start = part(all.start, first, n);
    one.inverse_mass = part(all.inverse_mass, first, n), one.length = part(all.length, first - c, n - 1);
    one.offsets.push_back(std::uint32_t(n));
    const chain::Projections alone = project(one, options);
    EXPECT_EQ(alone.positions, part(together.positions, first, n)) << c;
    EXPECT_EQ(alone.multipliers, part(together.multipliers, first - c, n - 1)) << c;
    EXPECT_EQ(alone.chains[0].residual, together.chains[c].residual) << c;
    EXPECT_EQ(alone.chains[0].status, together.chains[c].status) << c;
    EXPECT_EQ(alone.chains[0].certified, together.chains[c].certified) << c;
    EXPECT_EQ(alone.chains[0].iterations, together.chains[c].iterations) << c;
  }
}

class ChainLanes : public ::testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  }
};

TEST_P(ChainLanes, GiveWhatOneChainByItselfGivesBitByBit) {
  chain::Options doubles, singles;
  doubles.isa = singles.isa = GetParam();
  singles.single_precision = true, singles.tolerance = 1e-5;
  expect_the_bits_of_one_by_itself(doubles);
  expect_the_bits_of_one_by_itself(singles);
}

TEST_P(ChainLanes, AgreeWithThePlainCode) {
  const ChainCase all = batch();
  chain::Options plain = tight(), lanes = tight();
  plain.isa = Isa::reference, lanes.isa = GetParam();
  const chain::Projections a = project(all, plain), b = project(all, lanes);
  EXPECT_LT(violation(all, b.positions), 1e-14);  // whatever estimates roots begin with
  int compared = 0;
  for (std::size_t c = 0; c + 1 < all.offsets.size(); ++c) {
    if (!a.chains[c].certified) continue;  // of several minima each may find its own
    ++compared;
    const std::size_t first = all.offsets[c], n = all.offsets[c + 1] - first;
    EXPECT_LT(apart(std::span(a.positions).subspan(first, n), std::span(b.positions).subspan(first, n)), 1e-10) << c;
  }
  EXPECT_GE(compared, 38);
}

TEST_P(ChainLanes, SinglePrecisionIsCloseEnoughForHair) {
  for (const double mass : {1.0, 1e2, 1e4}) {
    ChainCase all = jerked_chain(1, 20, 0.1, mass);
    for (std::uint64_t seed = 2; seed < 20; ++seed) all.add(jerked_chain(seed, 20, 0.1, mass));
    chain::Options options;
    options.isa = GetParam(), options.tolerance = 1e-5, options.single_precision = true;
    const chain::Projections single = project(all, options), exact = project(all, tight());
    EXPECT_LT(apart(single.positions, exact.positions), 2e-3) << mass;
    EXPECT_LT(violation(all, single.positions), 5e-6);
    for (const chain::Outcome& outcome : single.chains)
      EXPECT_TRUE(outcome.status <= Status::round_off) << chain::name(outcome.status) << " " << outcome.residual;
  }
}

// Damped steps do not square a residual: that they are slow is no round-off.
TEST_P(ChainLanes, SinglePrecisionComesToItsToleranceUnderCompression) {
  ChainCase all = compressed_chain(1, 40, 0.1);
  for (std::uint64_t seed = 2; seed <= 60; ++seed) all.add(compressed_chain(seed, 40, 0.1));
  for (const Method method : {Method::hybrid, Method::newton, Method::kkt}) {
    chain::Options options;
    options.isa = GetParam(), options.tolerance = 1e-5, options.single_precision = true, options.method = method;
    const chain::Projections single = project(all, options);
    int there = 0;
    for (std::size_t c = 0; c < single.chains.size(); ++c) {
      const chain::Outcome& outcome = single.chains[c];
      there += outcome.status == Status::ok;
      EXPECT_LE(outcome.status, method == Method::kkt ? Status::stalled : Status::round_off) << c;
      if (!outcome.certified) continue;
      // A certificate tells of a stationary chain, and that none is closer.
      const ChainCase one = compressed_chain(c + 1, 40, 0.1);
      const chain::Projections exact = project(one, tight());
      const auto from = std::span(single.positions).subspan(40 * c, 40);
      const double best = mass_norm(one, exact.positions, one.prediction);
      EXPECT_LT(mass_norm(one, from, one.prediction), (1.0 + 1e-4) * best) << c;
    }
    EXPECT_GE(there, 55) << int(method);
  }
}

INSTANTIATE_TEST_SUITE_P(EachSet, ChainLanes, ::testing::Values(Isa::reference, Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& set) { return std::string(isa_name(set.param)); });

TEST(ChainProjection, HasTheSameBitsForAnyNumberOfThreads) {
  const ChainCase all = batch();
  const int before = thread_count();
  set_thread_count(1);
  const chain::Projections one = project(all, {});
  set_thread_count(3);
  const chain::Projections three = project(all, {});
  set_thread_count(before);
  EXPECT_EQ(one.positions, three.positions);
  EXPECT_EQ(one.multipliers, three.multipliers);
}

}  // namespace
}  // namespace tendril::testing
