// The analytic benchmarks: the model passes them, wrong models do not, and their exact values are the reference ones.
#include "tendril/sim/validation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/test_data.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using nlohmann::json;

std::vector<CaseResult> run_cases(const std::vector<std::string>& names, const Model& model = {}) {
  return run(choose(validation_cases(model).value(), names).value());
}

bool all_pass(const std::vector<CaseResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const CaseResult& r) { return r.pass; });
}

void expect_all_pass(const std::vector<CaseResult>& results) {
  EXPECT_FALSE(results.empty());
  for (const CaseResult& r : results)
    EXPECT_TRUE(r.pass) << r.name << ", " << r.quantity << ": exact " << r.exact << ", ours " << r.ours << ", error "
                        << r.error_relative << " of " << r.tolerance << ", order " << r.order.value_or(0.0) << " for "
                        << r.expected_order.value_or(0.0);
}

json reference(const std::string& name) { return json::parse(std::ifstream(test_data("analytic_" + name + ".json"))); }

// The exact values of a case, in order, against the reference ones.
void expect_exact(const std::string& name, const std::vector<double>& expected) {
  const std::vector<CaseResult> results = run_cases({name});
  ASSERT_GE(results.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(results[i].exact, expected[i], 1e-12 * std::abs(expected[i])) << name << ", " << results[i].quantity;
}

class ValidationFamily : public testing::TestWithParam<const char*> {};
TEST_P(ValidationFamily, Passes) { expect_all_pass(run_cases({GetParam()})); }
INSTANTIATE_TEST_SUITE_P(Der, ValidationFamily, testing::Values("B1", "B3", "B4", "B5", "B6", "B7", "B8", "B11"),
                         [](const auto& family) { return family.param; });

TEST(Validation, LargeDeflectionsPassAndHaveTheReferenceValues) {
  const std::vector<CaseResult> results = run_cases({"B2"});
  expect_all_pass(results);
  const json data = reference("cantilever");
  std::map<std::string, double> exact;
  for (const CaseResult& r : results) exact[r.name + " " + r.quantity] = r.exact;
  for (const std::string kind : {"tip", "own"}) {
    const bool tip = kind == "tip";
    for (const json& row : data[tip ? "tip_load" : "self_weight"]) {
      std::ostringstream load;
      load << (tip ? "alpha = " : "gamma = ") << double(row[tip ? "alpha" : "gamma"]);
      for (const std::string scale : {"hair", "rope"}) {
        const std::string name = std::string(tip ? "B2-tip-load-" : "B2-own-weight-") + scale + " ";
        EXPECT_NEAR(exact.at(name + "drop/L, " + load.str()), row["tip_drop"], 1e-12);
        EXPECT_NEAR(exact.at(name + "tip angle, " + load.str()), row["tip_angle"], 1e-12);
        EXPECT_NEAR(exact.at(name + "root moment L/EI, " + load.str()), row["root_curvature_L"], 1e-11);
      }
    }
  }
}

TEST(Validation, ExactValuesAreTheReferenceValues) {
  const json buckling = reference("buckling"), vibration = reference("vibration"), helix = reference("helix");
  const json& euler = buckling["euler"];
  expect_exact("B3-euler", {euler["cantilever"], euler["pinned"], euler["clamped_pinned"], euler["clamped_clamped"],
                            buckling["discrete_pinned"]["8"], buckling["discrete_pinned"]["32"]});
  expect_exact("B3-greenhill", {buckling["self_weight_column"]});
  expect_exact("B3-prandtl", {buckling["prandtl_cantilever"]});
  std::vector<double> shapes;
  for (const std::size_t i : {1u, 2u, 4u})
    for (const char* key : {"end_angle", "span_over_L", "mid_deflection_over_L"})
      shapes.push_back(buckling["pinned_postbuckling"][i][key]);
  expect_exact("B3-beyond", shapes);
  expect_exact("B4-straight-rod", {buckling["twist_clamped_clamped"]});
  expect_exact("B4-ring", {buckling["michell_ring"]});
  expect_exact("B5-close-spring", {helix["spring"][0]["k_free_rotation"]});
  expect_exact("B5-open-spring", {helix["spring"][1]["k_free_rotation"]});

  const std::vector<CaseResult> bending = run_cases({"B7-bending"});
  const double unit = bending[0].exact / std::pow(double(vibration["betaL"]["clamped_free"][0]), 2);
  std::size_t row = 0;
  for (const char* ends : {"clamped_free", "free_free", "clamped_clamped", "clamped_pinned", "pinned_pinned"})
    for (std::size_t k = 0; k < 3; ++k, ++row)
      EXPECT_NEAR(bending[row].exact, unit * std::pow(double(vibration["betaL"][ends][k]), 2),
                  1e-11 * bending[row].exact);
  std::vector<double> chain;
  for (const char* key : {"hanging_chain_continuum", "hanging_chain_equal_masses"})
    for (std::size_t k = 0; k < 3; ++k) {
      const json& list = std::string(key) == "hanging_chain_continuum" ? vibration[key] : vibration[key]["8"];
      chain.push_back(double(list[k]) * std::sqrt(9.81 / 2.0));
    }
  expect_exact("B8-hanging-chain", chain);
  std::vector<double> periods;
  for (const std::size_t i : {1u, 2u, 3u})
    periods.push_back(double(vibration["pendulum"][i]["period_over_2pi_sqrt_L_g"]) * 2.0 * M_PI *
                      std::sqrt(1.0 / 9.81));
  expect_exact("B8-pendulum-bdf2", periods);

  const json catenary = reference("catenary")["cases"];
  const std::array<const char*, 3> names = {"B6-level", "B6-sloping", "B6-deep"};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& tension = catenary[i]["tension_over_rhoAg"];
    const double length = catenary[i]["length"];
    expect_exact(names[i], {0.0, double(tension["horizontal"]) / length, double(tension["left"]) / length});
  }
}

// Every error must be found by the benchmarks that are about it, and by no others.
TEST(WrongModel, DoubledBendingModulusFails) {
  const Model wrong{"der", [](der::Description& d) {
                      for (double& modulus : d.bend_modulus) modulus *= 2.0;
                    }};
  for (const char* name : {"B1-tip-load", "B1-own-weight", "B1-roll-up", "B3-euler", "B3-greenhill", "B4-ring",
                           "B4-straight-rod", "B7-bending"})
    EXPECT_FALSE(all_pass(run_cases({name}, wrong))) << name;
  for (const char* name : {"B1-twist", "B1-stretch", "B6-level", "B8", "B11"})
    EXPECT_TRUE(all_pass(run_cases({name}, wrong))) << name;
}

TEST(WrongModel, PolarMomentTakenForTheSecondMomentFails) {  // J = I
  const Model wrong{"der", [](der::Description& d) {
                      for (double& modulus : d.twist_modulus) modulus *= 0.5;
                    }};
  for (const char* name : {"B1-twist", "B3-prandtl", "B4-ring", "B5-close-spring", "B7-torsion-and-stretch"})
    EXPECT_FALSE(all_pass(run_cases({name}, wrong))) << name;
  for (const char* name : {"B1-tip-load", "B3-euler", "B7-bending"})
    EXPECT_TRUE(all_pass(run_cases({name}, wrong))) << name;
}

TEST(WrongModel, FullLengthJointAtTheClampIsFirstOrderAndFails) {
  const Model wrong{"der", [](der::Description& d) {
                      for (der::Clamps& clamps : d.clamps)
                        if (clamps.root == der::Clamp::point) clamps.root = der::Clamp::edge;
                    }};
  const std::vector<CaseResult> results = run_cases({"B1-tip-load"}, wrong);
  EXPECT_FALSE(all_pass(results));
  EXPECT_NEAR(results[0].order.value(), 1.0, 0.1);
}

TEST(WrongModel, FullMassAtTheTipIsFirstOrderAndFails) {
  const Model wrong{"der", [](der::Description& d) {
                      const std::size_t n = d.curves.points.size();
                      const double edge = (d.curves.points[1] - d.curves.points[0]).norm();
                      d.mass.assign(n, d.density[0] * M_PI * d.semi_axis1[0] * d.semi_axis2[0] * edge);
                    }};
  for (const char* name : {"B7-bending", "B1-stretch", "B8-hanging-chain"})
    EXPECT_FALSE(all_pass(run_cases({name}, wrong))) << name;
  EXPECT_NEAR(run_cases({"B8-hanging-chain"}, wrong)[0].order.value(), 1.0, 0.1);
}

TEST(WrongModel, NonsenseFailsInsteadOfPassingByNaN) {
  const Model wrong{"der", [](der::Description& d) {
                      for (double& modulus : d.stretch_modulus) modulus *= 1e-8;
                    }};
  EXPECT_FALSE(all_pass(run_cases({"B1", "B3-euler", "B7-in-time-euler"}, wrong)));
}

TEST(Judge, AsksForErrorAndOrder) {
  const auto values = [](double order, double coefficient) {
    std::vector<std::pair<int, double>> out;
    for (const int n : doubled(10)) out.emplace_back(n, 2.0 + coefficient * std::pow(1.0 / n, order));
    return out;
  };
  const Expectation expectation{"q", "m", 2.0, 1e-3, 2.0};
  const CaseResult good = judge(expectation, values(2.0, 1.0));
  EXPECT_TRUE(good.pass);
  EXPECT_NEAR(good.order.value(), 2.0, 1e-9);
  EXPECT_NEAR(good.error, 1.0 / 1600.0, 1e-12);
  EXPECT_NEAR(good.error_relative, 0.5 / 1600.0, 1e-12);
  EXPECT_EQ(good.refinements.size(), 3u);
  EXPECT_FALSE(judge(expectation, values(2.0, 10.0)).pass);  // too large
  EXPECT_FALSE(judge(expectation, values(1.0, 0.01)).pass);  // too slow
  EXPECT_FALSE(judge(expectation, values(3.0, 1.0)).pass);   // too fast: something else is going on
  EXPECT_TRUE(judge(expectation, values(1.0, 1e-12)).pass);  // round-off has no order
  EXPECT_FALSE(judge(expectation, values(2.0, NAN)).pass);
  Expectation at_least = expectation;
  at_least.or_better = true;
  EXPECT_TRUE(judge(at_least, values(3.0, 1.0)).pass);
  EXPECT_TRUE(judge({"q", "", 0.0, 1e-9}, 1, 5e-10).pass);  // absolute where the exact value is 0
  EXPECT_FALSE(judge({"q", "", 0.0, 1e-9}, 1, 5e-9).pass);
}

TEST(HeavyValidation, FrictionOfRodsPasses) { expect_all_pass(run_cases({"B9", "B10"})); }
TEST(HeavyValidation, RodsThatKeepTheirLengthsPass) { expect_all_pass(run_cases({}, {"der-inextensible"})); }
TEST(HeavyValidation, SuperHelicesPass) { expect_all_pass(run_cases({}, {"superhelix"})); }
TEST(HeavyValidation, CordePasses) { expect_all_pass(run_cases({}, {"corde"})); }
TEST(HeavyValidation, ChainsPass) { expect_all_pass(run_cases({}, {"chain"})); }

TEST(Validation, UnknownNamesAreRefused) {
  EXPECT_FALSE(validation_cases({"derr"}));
  EXPECT_NE(validation_cases({"derr"}).error().message().find("der"), std::string::npos);
  const std::vector<std::string> wrong = {"B3-eulr"}, family = {"B1"};
  const auto refused = choose(validation_cases().value(), wrong);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("did you mean 'B3-euler'"), std::string::npos);
  const std::vector<Case> chosen = choose(validation_cases().value(), family).value();
  ASSERT_FALSE(chosen.empty());
  for (const Case& c : chosen) EXPECT_TRUE(c.name.starts_with("B1-")) << c.name;  // and not B11
}

TEST(Validation, ReportHoldsEveryNumber) {
  const std::vector<CaseResult> results = run_cases({"B1-twist", "B1-tip-load"});
  const json report = json::parse(report_text({}, results));
  EXPECT_EQ(report["model"], "der");
  EXPECT_EQ(report["passed"], 4);
  EXPECT_EQ(report["failed"], 0);
  ASSERT_EQ(report["cases"].size(), 4u);
  const json& first = report["cases"][0];
  EXPECT_EQ(first["case"], "B1-tip-load");
  EXPECT_EQ(first["unit"], "m");
  EXPECT_EQ(first["expected_order"], 2.0);
  EXPECT_EQ(first["pass"], true);
  ASSERT_EQ(first["refinements"].size(), 3u);
  EXPECT_EQ(first["refinements"][2]["n"], 40);
  EXPECT_EQ(first["refinements"][2]["value"], first["ours"]);
  for (const char* key : {"quantity", "exact", "error", "error_relative", "order", "tolerance"})
    EXPECT_TRUE(first.contains(key)) << key;
  EXPECT_TRUE(report["cases"][1]["order"].is_null());
}

}  // namespace
}  // namespace tendril::validation
