// Projections of chains against reference values (docs/theory/chain.md).
#include <gtest/gtest.h>

#include <cmath>

#include "support/chains.hpp"
#include "tendril/rods/chain/block.hpp"

namespace tendril::testing {
namespace {

using nlohmann::json;

double objective(const ChainCase& chains, std::span<const Vector3d> x) {
  const double norm = mass_norm(chains, x, chains.prediction);
  return 0.5 * norm * norm;
}

class ChainReference : public ::testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  }
};

TEST_P(ChainReference, EveryCaseHasItsPositionsMultipliersAndStatus) {
  const json data = chain_reference("cases");
  ASSERT_EQ(data["cases"].size(), 31u);
  for (const json& from : data["cases"]) {
    SCOPED_TRACE(from["name"].get<std::string>());
    const ChainCase chains = chain_case(from);
    chain::Options options;
    options.tolerance = 1e-12, options.max_iterations = 400, options.isa = GetParam();
    const chain::Projections found = project(chains, options);
    const chain::Outcome& outcome = found.chains[0];
    const json& expected = from["expected"];
    if (from["status"] != "ok") {
      EXPECT_EQ(chain::name(outcome.status), from["status"].get<std::string>());
      const std::vector<Vector3d> x = vectors(expected["x"]);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((found.positions[i] - x[i]).norm(), 1e-12);
      continue;
    }
    EXPECT_TRUE(outcome.status == chain::Status::ok || outcome.status == chain::Status::round_off)
        << chain::name(outcome.status) << ", residual " << outcome.residual;
    EXPECT_LT(violation(chains, found.positions), 1e-12);
    const double best = expected["objective"];
    EXPECT_NEAR(objective(chains, found.positions), best, 1e-10 * best);
    if (!from["unique"].get<bool>()) continue;
    const std::vector<Vector3d> x = vectors(expected["x"]);
    EXPECT_LT(mass_norm(chains, found.positions, x),
              from["tol_x_rel"].get<double>() * mass_norm(chains, chains.prediction, x));
    EXPECT_EQ(outcome.certified, expected["certified_global"].get<bool>());
    for (std::size_t i = 0; i < found.multipliers.size(); ++i) {
      const double lam = expected["lam"][i];
      EXPECT_NEAR(found.multipliers[i], lam, 1e-6 * (1.0 + std::abs(lam)));
    }
  }
}

// Between held points the band of the method kkt leads where the recursion does.
TEST(ChainReferenceBetweenHeldPoints, IsMetByTheBand) {
  const json data = chain_reference("cases");
  int met = 0;
  for (const json& from : data["cases"]) {
    const ChainCase chains = chain_case(from);
    if (from["status"] != "ok" || chains.inverse_mass.front() != 0.0 || chains.inverse_mass.back() != 0.0) continue;
    SCOPED_TRACE(from["name"].get<std::string>());
    chain::Options options;
    options.tolerance = 1e-12, options.max_iterations = 400, options.method = chain::Method::kkt;
    const chain::Projections found = project(chains, options);
    EXPECT_LE(found.chains[0].status, chain::Status::round_off);
    EXPECT_LT(violation(chains, found.positions), 1e-12);
    const double best = from["expected"]["objective"];
    EXPECT_NEAR(objective(chains, found.positions), best, 1e-10 * best);
    ++met;
  }
  EXPECT_EQ(met, 6);
}

INSTANTIATE_TEST_SUITE_P(EachSet, ChainReference, ::testing::Values(Isa::reference, Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& set) { return std::string(isa_name(set.param)); });

}  // namespace
}  // namespace tendril::testing
