// What no method may stumble over: empty and single problems, numbers that are not numbers, matrices that are singular
// or indefinite, scales at the ends of the range of doubles. Always an outcome of the list and a point of the box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/bcqp.hpp"

namespace tendril::bcqp {
namespace {

using namespace support;

constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::nan("");

class HardProblems : public testing::TestWithParam<Method> {
 protected:
  std::vector<Way> ways() const { return ways_of(GetParam()); }
  bool ends_in_box() const { return GetParam() != Method::penalty; }

  // Finite, in the box, and if it says converged, it is a minimum on its face that no bound can improve.
  void expect_sane(const BoxProblem& problem, const Solved& found, const std::string& where) const {
    EXPECT_TRUE(std::ranges::all_of(found.x, [](double v) { return std::isfinite(v); })) << where;
    if (!ends_in_box()) return;
    EXPECT_TRUE(in_box(problem, found.x)) << where;
    const bool minimum = optimality_error(problem, found.x) < 1e-7;
    EXPECT_TRUE(minimum || found.report.outcome != Outcome::converged) << where;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, HardProblems,
                         testing::Values(Method::automatic, Method::mprgp, Method::pdas, Method::ipm, Method::pgs,
                                         Method::penalty),
                         [](const auto& test) { return std::string(name(test.param)); });

BoxProblem in_wide_box(const Eigen::MatrixXd& a, const std::vector<double>& b, double half_width) {
  const std::size_t n = b.size();
  return {band_of(a, n - 1), b, std::vector<double>(n, -half_width), std::vector<double>(n, half_width)};
}

TEST_P(HardProblems, WithoutUnknownsAreSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    const Solved found = run(way, {Band<double>(0, 0), {}, {}, {}});
    EXPECT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_EQ(found.report.iterations, 0);
  }
}

TEST_P(HardProblems, WithOneUnknownAreSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    if (!ends_in_box()) continue;
    const Eigen::MatrixXd a = Eigen::MatrixXd::Constant(1, 1, 4.0);
    EXPECT_NEAR(run(way, in_wide_box(a, {2.0}, infinity)).x[0], 0.5, 1e-9);
    EXPECT_EQ(run(way, in_wide_box(a, {2.0}, 0.25)).x[0], 0.25);
    EXPECT_EQ(run(way, in_wide_box(a, {-2.0}, 0.25)).x[0], -0.25);
    EXPECT_EQ(run(way, in_wide_box(a, {-2.0}, 0.0)).x[0], 0.0);
  }
}

TEST_P(HardProblems, WithoutForceStayAtZero) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(1);
    BoxProblem problem = random_problem(random, 15, 3);
    std::ranges::fill(problem.b, 0.0);
    for (double& bound : problem.lower) bound = std::min(bound, 0.0);
    for (double& bound : problem.upper) bound = std::max(bound, 0.0);
    const Solved cold = run(way, problem);
    EXPECT_EQ(cold.report.outcome, Outcome::converged);
    EXPECT_EQ(cold.x, std::vector<double>(15, 0.0));
    expect_sane(problem, run(way, problem, problem.b), "from zero");
    std::vector<double> start(15, 0.5);
    expect_sane(problem, run(way, problem, start), "from elsewhere");
  }
}

TEST_P(HardProblems, WithABoxOfAFewUlpsAreSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    if (!ends_in_box()) continue;
    Random random(2);
    BoxProblem problem = random_problem(random, 12, 3);
    for (std::size_t i = 0; i < problem.size(); i += 2) {
      problem.lower[i] = 1.0;
      problem.upper[i] = std::nextafter(std::nextafter(1.0, 2.0), 2.0);
    }
    const Solved found = run(way, problem);
    expect_sane(problem, found, "");
    const bool robust = way.method != Method::pdas && way.method != Method::ipm;  // those may give up
    if (way.expansion == Expansion::projected_cg) continue;
    EXPECT_TRUE(found.report.outcome == Outcome::converged || !robust) << name(found.report.outcome);
  }
}

// Scaling A by p, b by q and the box by q / p scales the solution by q / p.
TEST_P(HardProblems, AtTheEndsOfTheRangeOfDoublesAreSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(3);
    const BoxProblem plain = random_problem(random, 20, 3);
    const Solved expected = run(way, plain);
    for (const auto& [p, q] :
         {std::pair(1e200, 1e150), {1e-200, 1e-150}, {1e-150, 1e100}, {1e250, 1e-20}, {1.0, 1e300}}) {
      BoxProblem scaled = plain;
      for (double& value : scaled.a.values) value *= p;
      for (double& value : scaled.b) value *= q;
      for (auto* bounds : {&scaled.lower, &scaled.upper})
        for (double& value : *bounds) value *= q / p;
      Options options = way.options();
      options.box_weight *= p;
      const Solved found = solved(scaled, options, way.storage);
      EXPECT_EQ(found.report.outcome, expected.report.outcome) << p << " " << q;
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_NEAR(found.x[i] / (q / p), expected.x[i], 1e-6 * (1.0 + std::abs(expected.x[i]))) << p << " " << q;
    }
  }
}

TEST_P(HardProblems, ThatAreNotNumbersAreRefused) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(4);
    const BoxProblem good = random_problem(random, 8, 2);
    for (const double bad : {not_a_number, infinity, -infinity}) {
      BoxProblem matrix = good, diagonal = good, force = good;
      matrix.a.at(5, 4) = bad, diagonal.a.at(3, 3) = bad, force.b[2] = bad;
      for (const BoxProblem& problem : {matrix, diagonal, force}) {
        const Solved found = run(way, problem);
        EXPECT_EQ(found.report.outcome, Outcome::not_finite);
        EXPECT_TRUE(in_box(good, found.x));
      }
      const Solved found = run(way, good, std::vector<double>(8, bad));
      EXPECT_EQ(found.report.outcome, Outcome::not_finite);
      EXPECT_TRUE(in_box(good, found.x));
    }
  }
}

TEST_P(HardProblems, WithoutAPointInTheBoxAreRefused) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(5);
    BoxProblem crossed = random_problem(random, 8, 2), unknown = crossed, beyond = crossed, below = crossed;
    crossed.lower[3] = 1.0, crossed.upper[3] = 0.5;
    unknown.upper[2] = not_a_number;
    beyond.lower[1] = beyond.upper[1] = infinity;
    below.lower[0] = below.upper[0] = -infinity;
    for (const BoxProblem& problem : {crossed, unknown, beyond, below}) {
      const Solved found = run(way, problem);
      EXPECT_EQ(found.report.outcome, Outcome::infeasible_box);
      EXPECT_EQ(found.x, std::vector<double>(8, 0.0));
    }
  }
}

TEST_P(HardProblems, WithoutPositiveDiagonalAreRefused) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    for (const double entry : {0.0, -1.0}) {
      Eigen::MatrixXd a = Eigen::MatrixXd::Identity(4, 4);
      a(2, 2) = entry;
      EXPECT_EQ(run(way, in_wide_box(a, {1.0, 1.0, 1.0, 1.0}, 1.0)).report.outcome, Outcome::not_positive_definite);
    }
  }
}

// One direction of negative curvature, and nothing that ends it.
TEST_P(HardProblems, WithoutAMinimumAreNotCalledSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(6, 6);
    a(2, 3) = a(3, 2) = 2.0;
    const BoxProblem problem = in_wide_box(a, {0.3, 1.0, -1.0, 0.5, 2.0, 0.1}, infinity);
    const Solved found = run(way, problem);
    expect_sane(problem, found, "");
    const bool sweeps = way.method == Method::pgs;  // it sees single entries only, and runs away
    EXPECT_EQ(found.report.outcome, sweeps ? Outcome::not_finite : Outcome::not_positive_definite);
  }
}

TEST_P(HardProblems, WithNegativeCurvatureInTheBoxEndSomewhereInIt) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(6);
    for (int k = 0; k < 20; ++k) {
      BoxProblem problem = random_problem(random, 10, 3);
      for (std::size_t j = 0; j < 10; ++j) problem.a.at(j, j) *= random.uniform(0.05, 1.0);
      expect_sane(problem, run(way, problem), std::to_string(k));
    }
  }
}

// The Laplacian of a path: shifting all entries costs nothing.
BoxProblem path(std::size_t n, double half_width) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(Eigen::Index(n), Eigen::Index(n));
  for (Eigen::Index i = 0; i + 1 < Eigen::Index(n); ++i) {
    a(i, i) += 1.0, a(i + 1, i + 1) += 1.0;
    a(i, i + 1) = a(i + 1, i) = -1.0;
  }
  std::vector<double> b(n, 0.0);
  b[0] = 1.0, b[n - 1] = -0.5;
  return in_wide_box(a, b, half_width);
}

TEST_P(HardProblems, ThatAreSingularHaveAMinimumInABox) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    const BoxProblem problem = path(12, 4.0);  // there is a force along the shift: only the box holds it
    const Solved found = run(way, problem);
    expect_sane(problem, found, "");
    const bool robust = way.method == Method::mprgp || way.method == Method::automatic;
    if (way.expansion == Expansion::projected_cg) continue;
    EXPECT_TRUE(found.report.outcome == Outcome::converged || !robust) << name(found.report.outcome);
  }
}

TEST_P(HardProblems, ThatAreSingularAndFreeAreNotCalledSolved) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    const Solved found = run(way, path(12, infinity));
    EXPECT_NE(found.report.outcome, Outcome::converged);
    expect_sane(path(12, infinity), found, "");
  }
}

TEST_P(HardProblems, ThatAreNearlySingularEndWell) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(7);
    for (const double spread : {1e8, 1e12, 1e15}) {
      const BoxProblem problem = random_problem(random, 30, 4, spread, 5.0);
      const Solved found = run(way, problem);
      EXPECT_TRUE(std::ranges::all_of(found.x, [](double v) { return std::isfinite(v); }));
      EXPECT_TRUE(in_box(problem, found.x) || !ends_in_box());
      EXPECT_TRUE(found.report.residual <= 1e-10 || found.report.outcome != Outcome::converged ||
                  way.method == Method::penalty || optimality_error(problem, found.x) < 1e-6);
    }
  }
}

TEST(PenaltyMethod, ComesCloserToTheBoxTheHeavierItIs) {
  Random random(8);
  const BoxProblem problem = random_problem(random, 20, 3);
  const std::vector<double> exact = solved(problem, {}).x;
  double last = infinity;
  for (const double weight : {1e2, 1e4, 1e6, 1e8}) {
    Options options;
    options.method = Method::penalty, options.box_weight = weight;
    const Solved found = solved(problem, options);
    EXPECT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_GT(found.report.violation, 0.0);
    EXPECT_LT(found.report.violation, 0.1 * last);
    last = found.report.violation;
    EXPECT_LT(largest_difference(found.x, exact), 200.0 / weight);
  }
}

}  // namespace
}  // namespace tendril::bcqp
