// The battery that every method passes: the same minima, on random problems of many sizes, from any start.
#include "support/bcqp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tendril::bcqp {
namespace {

using namespace support;

class Battery : public testing::TestWithParam<Method> {
 protected:
  std::vector<Way> ways() const { return ways_of(GetParam()); }

  // True: converged, and found a minimum. PDAS may cycle, and the projected step has no proof: then they must say so.
  bool expect_minimum(const Way& way, const BoxProblem& problem, const Solved& found, const std::string& where,
                      double tolerance = 2e-8) const {
    const bool may_fail = way.method == Method::pdas || way.expansion == Expansion::projected_cg;
    EXPECT_TRUE(in_box(problem, found.x)) << where;
    if (may_fail && found.report.outcome != Outcome::converged) return false;
    EXPECT_EQ(found.report.outcome, Outcome::converged) << where << ", " << name(found.report.outcome);
    EXPECT_LT(optimality_error(problem, found.x), tolerance) << where;
    return true;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Battery,
                         testing::Values(Method::automatic, Method::mprgp, Method::pdas, Method::ipm, Method::pgs),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(Battery, FindsTheReferenceSolution) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    const Reference reference = reference_of_12();
    const Solved found = run(way, reference.problem);
    ASSERT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_LT(largest_difference(found.x, reference.x), 1e-8);
    const std::vector<double> active = numbers("der-sagfree_asc.json", "bcqp/active");
    for (std::size_t i = 0; i < active.size(); ++i) {
      EXPECT_EQ(found.x[i] == reference.problem.lower[i], active[i] < 0.0) << i;
      EXPECT_EQ(found.x[i] == reference.problem.upper[i], active[i] > 0.0) << i;
    }
    EXPECT_EQ(found.report.active, std::size_t(std::ranges::count_if(active, [](double a) { return a != 0.0; })));
  }
}

TEST_P(Battery, FindsWhatTryingAllFacesFinds) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    int converged = 0, tried = 0;
    for (std::size_t n = 1; n <= 6; ++n)
      for (std::uint64_t seed = 0; seed < 5; ++seed, ++tried) {
        Random random(seed, n);
        const BoxProblem problem = random_problem(random, n, std::min<std::size_t>(n - 1, 3));
        const Solved found = run(way, problem);
        if (!expect_minimum(way, problem, found, "n = " + std::to_string(n))) continue;
        ++converged;
        EXPECT_LT(largest_difference(found.x, brute_force(problem)), 1e-6) << n << " " << seed;
      }
    EXPECT_GT(converged, tried * 2 / 3);
  }
}

TEST_P(Battery, FindsMinimaOfAllSizesAndWidths) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    int converged = 0, tried = 0;
    for (const std::size_t n : {1, 2, 3, 7, 8, 20, 41, 100})
      for (const std::size_t width : {0, 1, 2, 5, 12}) {
        Random random(width, n);
        const BoxProblem problem = random_problem(random, n, width);
        const std::string where = std::to_string(n) + " x " + std::to_string(width);
        converged += expect_minimum(way, problem, run(way, problem), where);
        ++tried;
      }
    EXPECT_GT(converged, tried * 2 / 3);
  }
}

TEST_P(Battery, FindsTheSameMinimumFromAnyStart) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(5);
    const BoxProblem problem = random_problem(random, 25, 4);
    const Solved cold = run(way, problem);
    if (!expect_minimum(way, problem, cold, "cold")) continue;
    for (int start = 0; start < 5; ++start) {
      std::vector<double> x(problem.size());
      for (double& value : x) value = 10.0 * random.normal();
      const Solved warm = run(way, problem, x);
      if (!expect_minimum(way, problem, warm, "warm")) continue;
      EXPECT_LT(largest_difference(warm.x, cold.x), 1e-6);
    }
  }
}

TEST_P(Battery, NeedsNextToNothingFromTheSolution) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(6);
    const BoxProblem problem = random_problem(random, 30, 5);
    const Solved cold = run(way, problem);
    if (cold.report.outcome != Outcome::converged) continue;
    const Solved warm = run(way, problem, cold.x);
    expect_minimum(way, problem, warm, "warm");
    EXPECT_LE(warm.report.iterations, 1);
  }
}

TEST_P(Battery, SolvesWithoutBounds) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(7);
    BoxProblem problem = random_problem(random, 30, 4);
    std::ranges::fill(problem.lower, -std::numeric_limits<double>::infinity());
    std::ranges::fill(problem.upper, std::numeric_limits<double>::infinity());
    const Solved found = run(way, problem);
    ASSERT_EQ(found.report.outcome, Outcome::converged);
    const Eigen::VectorXd x = dense(problem.a).ldlt().solve(Eigen::VectorXd::Map(problem.b.data(), 30));
    EXPECT_LT(largest_difference(found.x, {x.data(), x.data() + 30}), 1e-7);
    EXPECT_EQ(found.report.active, 0u);
  }
}

TEST_P(Battery, TakesFixedEntriesAsTheyAre) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(8);
    BoxProblem problem = random_problem(random, 10, 3);
    for (double& value : problem.lower) value = random.normal();
    problem.upper = problem.lower;
    const Solved found = run(way, problem);
    EXPECT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_EQ(found.x, problem.lower);
    EXPECT_EQ(found.report.projected_gradient, 0.0);
    EXPECT_EQ(found.report.active, 10u);
  }
}

TEST_P(Battery, ReportsWhatItFound) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(9);
    const BoxProblem problem = random_problem(random, 20, 3);
    Options options = way.options();
    int last = -1;
    double objective = 0.0, norm = 0.0, seconds = 0.0;
    std::vector<double> observed;
    options.observer = [&](const Sample& sample, std::span<const double> x) {
      EXPECT_GE(sample.iteration, last);
      EXPECT_GE(sample.seconds, seconds);
      last = sample.iteration, objective = sample.objective, norm = sample.projected_gradient, seconds = sample.seconds;
      observed.assign(x.begin(), x.end());
    };
    const Solved found = solved(problem, options, way.storage);
    if (!expect_minimum(way, problem, found, "")) continue;
    EXPECT_EQ(last, found.report.iterations);
    EXPECT_EQ(observed, found.x);
    EXPECT_NEAR(norm, found.report.projected_gradient, 1e-12);
    const Eigen::VectorXd x = Eigen::VectorXd::Map(found.x.data(), 20), b = Eigen::VectorXd::Map(problem.b.data(), 20);
    EXPECT_NEAR(found.report.objective, 0.5 * x.dot(dense(problem.a) * x) - b.dot(x), 1e-10 * std::abs(objective));
    EXPECT_NEAR(objective, found.report.objective, 1e-10 * std::abs(objective));
    EXPECT_LE(found.report.residual, options.tolerance);
  }
}

// Convergence is a promise about the projected gradient in the metric that the options name.
TEST_P(Battery, KeepsTheToleranceItWasGiven) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(10);
    const BoxProblem problem = random_problem(random, 40, 6);
    Options options = way.options();
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      options.tolerance = tolerance;
      const Solved found = solved(problem, options, way.storage);
      if (found.report.outcome != Outcome::converged) continue;
      EXPECT_LE(found.report.residual, tolerance);
      const double unscaled = std::numeric_limits<double>::infinity();  // its metric is another
      EXPECT_LE(optimality_error(problem, found.x), way.scaled ? 3.0 * tolerance : unscaled);
    }
    options.tolerance = 0.0, options.absolute_tolerance = 1e-4;
    const Solved found = solved(problem, options, way.storage);
    if (!expect_minimum(way, problem, found, "absolute", 1e-3)) continue;
    EXPECT_LE(found.report.projected_gradient, 1e-4);
  }
}

TEST_P(Battery, StopsAtTheLimitOfIterations) {
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name());
    Random random(11);
    const BoxProblem problem = random_problem(random, 60, 5, 1e4);
    Options options = way.options();
    options.max_iterations = 1, options.tolerance = 1e-15;
    const Solved found = solved(problem, options, way.storage);
    EXPECT_EQ(found.report.outcome, Outcome::iteration_limit);
    EXPECT_LE(found.report.iterations, way.method == Method::automatic ? 3 : 1);
    EXPECT_TRUE(in_box(problem, found.x));
  }
}

TEST(BoxQp, DoesNotDependOnHowTheMatrixIsStored) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed, 3);
    const BoxProblem problem = random_problem(random, 50, 6);
    for (const Way& way : solving_ways()) {
      if (way.storage == Storage::sparse) continue;
      const Solved band = solved(problem, way.options()), general = solved(problem, way.options(), Storage::sparse);
      EXPECT_EQ(band.report.outcome, general.report.outcome) << way.name();
      if (band.report.outcome != Outcome::converged) continue;
      EXPECT_LT(largest_difference(band.x, general.x), 1e-7) << way.name();
    }
  }
}

TEST(BoxQp, OfPermutedUnknownsHasThePermutedSolution) {
  Random random(12);
  const int n = 40;
  const BoxProblem problem = random_problem(random, n, 5);
  std::vector<int> place(n);
  std::iota(place.begin(), place.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(place[std::size_t(i)], place[random.below(std::uint64_t(i) + 1)]);
  const Eigen::PermutationMatrix<Eigen::Dynamic> to(Eigen::VectorXi::Map(place.data(), n));
  const Eigen::MatrixXd a = to * dense(problem.a) * to.transpose();
  const auto moved = [&](const std::vector<double>& values) {
    std::vector<double> out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[std::size_t(place[i])] = values[i];
    return out;
  };
  const BoxProblem permuted{band_of(a, n - 1), moved(problem.b), moved(problem.lower), moved(problem.upper)};
  for (const Way& way : solving_ways()) {
    if (way.storage == Storage::band) continue;
    const Solved straight = solved(problem, way.options()), shuffled = solved(permuted, way.options(), way.storage);
    if (straight.report.outcome != Outcome::converged || shuffled.report.outcome != Outcome::converged) continue;
    EXPECT_LT(largest_difference(moved(straight.x), shuffled.x), 1e-7) << way.name();
  }
}

TEST(BoxQp, IsTheSameToTheBitEveryTime) {
  Random random(13);
  const BoxProblem small = random_problem(random, 12, 2), problem = random_problem(random, 50, 6);
  for (const Way& way : all_ways()) {
    Workspace work;
    std::vector<double> x(50), y(50), z(12);
    const auto solve_it = [&](const BoxProblem& p, std::vector<double>& out) {
      return way.storage == Storage::band ? solve(p.a, p.b, p.lower, p.upper, way.options(), work, out)
                                          : solve(sparse(p.a), p.b, p.lower, p.upper, way.options(), work, out);
    };
    const Report first = solve_it(problem, x);
    const Report between = solve_it(small, z);
    const Report again = solve_it(problem, y);
    EXPECT_EQ(x, y) << way.name() << name(between.outcome);
    EXPECT_EQ(first.iterations, again.iterations) << way.name();
  }
}

}  // namespace
}  // namespace tendril::bcqp
