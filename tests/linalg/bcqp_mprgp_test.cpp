// What is promised about every iterate of MPRGP, not only about the last; how PDAS and the chain of methods end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/bcqp.hpp"

namespace tendril::bcqp {
namespace {

using namespace support;

constexpr double infinity = std::numeric_limits<double>::infinity();

// True: every iterate was in the box, and no objective above the one before.
bool goes_down_in_the_box(const BoxProblem& problem, Options options, std::size_t* iterates = nullptr) {
  double last = infinity;
  bool good = true;
  std::size_t count = 0;
  options.observer = [&](const Sample& sample, std::span<const double> x) {
    const double slack = 1e-13 * std::abs(sample.objective);
    good &= in_box(problem, x) && sample.objective <= last + slack;
    last = sample.objective;
    ++count;
  };
  const Solved found = solved(problem, options);
  EXPECT_EQ(count, std::size_t(found.report.iterations) + 1);
  if (iterates != nullptr) *iterates += count;
  return good;
}

TEST(Mprgp, StaysInTheBoxAndNeverRises) {
  std::size_t iterates = 0;
  for (const Way& way : solving_ways()) {
    const bool monotone = way.method == Method::mprgp || way.method == Method::pgs;
    if (!monotone || way.storage == Storage::sparse || way.expansion == Expansion::projected_cg) continue;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed, 1);
      const BoxProblem problem = random_problem(random, 30, 4, 1e4, 2.0);
      EXPECT_TRUE(goes_down_in_the_box(problem, way.options(), &iterates)) << way.name() << " " << seed;
    }
  }
  EXPECT_GT(iterates, 5000u);
  EXPECT_TRUE(goes_down_in_the_box(reference_of_196().problem, Way{Method::mprgp}.options()));
  EXPECT_TRUE(goes_down_in_the_box(reference_of_12().problem, Way{Method::mprgp}.options()));
}

TEST(Mprgp, CountsItsSteps) {
  Report all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, 2);
    const Report report = solved(random_problem(random, 40, 5), Way{Method::mprgp}.options()).report;
    EXPECT_EQ(report.iterations, report.cg_steps + report.expansions + report.proportionings);
    EXPECT_EQ(report.factorisations, 1);
    all.cg_steps += report.cg_steps, all.expansions += report.expansions, all.proportionings += report.proportionings;
  }
  EXPECT_GT(all.cg_steps, 0);
  EXPECT_GT(all.expansions, 0);
  EXPECT_GT(all.proportionings, 0);
}

// A box with two sides may end the step off a face, too: here entry 1 is released at its upper bound and pushed down
// past its lower one. It has to be on that bound to the bit, or a second step would be needed.
TEST(Mprgp, CutsTheStepOffAFaceAtTheOtherBound) {
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    const double low = -random.uniform(), high = random.uniform(), stiffness = random.uniform(0.5, 2.0);
    const BoxProblem problem{
        band_of(Eigen::Vector2d(1.0, stiffness).asDiagonal(), 0), {0.0, -5.0}, {-1.0, low}, {1.0, high}};
    const Solved found = solved(problem, Way{Method::mprgp}.options(), Storage::band, {0.0, high});
    EXPECT_EQ(found.x, (std::vector<double>{0.0, low}));
    EXPECT_EQ(found.report.proportionings, 1);
    EXPECT_EQ(found.report.iterations, 1);
  }
}

// The gradient that is carried along falls below any tolerance; the true one stays at round-off, 5e-13 here.
TEST(Mprgp, DoesNotTrustTheGradientItCarriesAlong) {
  Options options = Way{Method::mprgp, Preconditioner::diagonal, {}, false}.options();
  options.tolerance = 1e-14;
  const Solved found = solved(reference_of_196().problem, options);
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_LT(found.report.residual, 6e-13);
}

TEST(Mprgp, MayProjectTheWholeStep) {
  int fewer = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, 3);
    const BoxProblem problem = random_problem(random, 60, 5);
    const Way fixed{Method::mprgp}, projected{Method::mprgp, Preconditioner::asc, Expansion::projected_cg};
    const Solved one = solved(problem, fixed.options()), other = solved(problem, projected.options());
    EXPECT_EQ(one.report.outcome, Outcome::converged);
    if (other.report.outcome != Outcome::converged) continue;
    EXPECT_LT(largest_difference(one.x, other.x), 1e-7);
    fewer += other.report.iterations < one.report.iterations;
  }
  EXPECT_GT(fewer, 0);
}

// A matrix for which PDAS cycles from the cold start: Kunisch and Hintermüller's condition (M-matrix) does not hold.
BoxProblem cycling_problem() {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed, 4);
    const BoxProblem problem = random_problem(random, 12, 6, 1e3, 1.0);
    if (solved(problem, Way{Method::pdas}.options()).report.outcome == Outcome::cycled) return problem;
  }
  ADD_FAILURE() << "no problem in a thousand lets PDAS cycle";
  return reference_of_12().problem;
}

TEST(Pdas, SaysThatItCycles) {
  const BoxProblem problem = cycling_problem();
  const Solved found = solved(problem, Way{Method::pdas}.options());
  EXPECT_TRUE(in_box(problem, found.x));
  EXPECT_LT(found.report.iterations, 30);
  EXPECT_GT(optimality_error(problem, found.x), 1e-6);
}

TEST(AutomaticMethod, GoesOnWherePdasCycles) {
  const BoxProblem problem = cycling_problem();
  const Solved found = solved(problem, {});
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_EQ(found.report.method, Method::mprgp);
  EXPECT_LT(optimality_error(problem, found.x), 1e-8);
  EXPECT_GT(found.report.iterations, solved(problem, Way{Method::pdas}.options()).report.iterations);
}

TEST(AutomaticMethod, TakesPdasWhereItSettles) {
  const Solved found = solved(reference_of_12().problem, {});
  EXPECT_EQ(found.report.method, Method::pdas);
  EXPECT_EQ(found.report.cg_steps, 0);
}

TEST(Pdas, StartsFromTheActiveSetOfAGuess) {
  const Reference reference = reference_of_196();
  const Options options = Way{Method::pdas}.options();
  std::vector<double> guess = reference.x;
  for (double& value : guess) value *= 0.9;  // bounds that are zero stay active
  EXPECT_EQ(solved(reference.problem, options, Storage::band, guess).report.iterations, 1);
  EXPECT_GT(solved(reference.problem, options).report.iterations, 1);
}

TEST(Names, AreThoseOfTheirEnumerations) {
  for (std::size_t m = 0; m < method_names().size(); ++m) EXPECT_EQ(method_named(name(Method(m))), Method(m));
  for (std::size_t p = 0; p < preconditioner_names().size(); ++p)
    EXPECT_EQ(preconditioner_named(name(Preconditioner(p))), Preconditioner(p));
  for (std::size_t e = 0; e < expansion_names().size(); ++e)
    EXPECT_EQ(expansion_named(name(Expansion(e))), Expansion(e));
  EXPECT_EQ(method_named("simplex"), std::nullopt);
  EXPECT_EQ(name(Outcome::not_finite), "not finite");
  EXPECT_EQ(name(Preconditioner::asc), "asc");
}

}  // namespace
}  // namespace tendril::bcqp
