// The program of a strand's parameters, n = 196 with diagonals from 1e5 to 2e23: solution, and how many iterations each
// method needs. The counts are those of the problem as given, without Jacobi scaling; 30 % either way is round-off.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/bcqp.hpp"

namespace tendril::bcqp {
namespace {

using namespace support;

Solved by(Method method, Preconditioner preconditioner = Preconditioner::asc, bool scaled = false) {
  return solved(reference_of_196().problem, Way{method, preconditioner, {}, scaled}.options());
}

int iterations(Preconditioner preconditioner) {
  const Solved found = by(Method::mprgp, preconditioner);
  EXPECT_EQ(found.report.outcome, Outcome::converged) << name(preconditioner);
  EXPECT_EQ(found.report.active, 5u) << name(preconditioner);
  return found.report.iterations;
}

void expect_about(int count, double expected, const char* what) {
  EXPECT_GT(count, 0.7 * expected) << what;
  EXPECT_LT(count, 1.3 * expected + 1.0) << what;
}

TEST(StrandProgram, IsSolvedByEveryMethodThatCanSolveIt) {
  const Reference reference = reference_of_196();
  for (const bool scaled : {true, false})
    for (const Storage storage : {Storage::band, Storage::sparse})
      for (const Way& way : {Way{}, Way{Method::mprgp}, Way{Method::pdas}, Way{Method::ipm}}) {
        Options options = way.options();
        options.jacobi_scaling = scaled;
        const Solved found = solved(reference.problem, options, storage);
        EXPECT_EQ(found.report.outcome, Outcome::converged) << way.name();
        EXPECT_LT(largest_difference(found.x, reference.x), way.method == Method::ipm ? 1e-7 : 1e-8) << way.name();
        EXPECT_EQ(found.report.active, 5u) << way.name();
      }
}

TEST(StrandProgram, NeedsAsManyIterationsAsKnown) {
  const int asc = iterations(Preconditioner::asc), ic = iterations(Preconditioner::ic);
  expect_about(asc, 19, "asc");
  expect_about(ic, 187, "ic");
  expect_about(iterations(Preconditioner::mic), 174, "mic");
  expect_about(iterations(Preconditioner::ssor), 943, "ssor");
  expect_about(iterations(Preconditioner::diagonal), 2067, "diagonal");
  expect_about(by(Method::pdas).report.iterations, 3, "pdas");
  expect_about(by(Method::ipm).report.iterations, 7.5, "ipm");
  EXPECT_GE(ic, 3 * asc);
}

// The reference counts of these, 1859 and 1529, are of weights for which the operators are not positive definite here.
TEST(StrandProgram, NeedsFewerIterationsWithWeightsThatArePositiveDefinite) {
  expect_about(iterations(Preconditioner::jacobi), 1450, "jacobi");
  expect_about(iterations(Preconditioner::amg), 1000, "amg");
}

TEST(StrandProgram, IsTooMuchForPlainConjugateGradientsAndForSweeps) {
  EXPECT_EQ(by(Method::mprgp, Preconditioner::none).report.outcome, Outcome::iteration_limit);
  EXPECT_EQ(by(Method::pgs).report.outcome, Outcome::iteration_limit);
}

TEST(StrandProgram, NeedsOneStepWithoutActiveBounds) {
  BoxProblem problem = reference_of_196().problem;
  std::ranges::fill(problem.lower, -std::numeric_limits<double>::infinity());
  std::ranges::fill(problem.upper, std::numeric_limits<double>::infinity());
  for (const Method method : {Method::mprgp, Method::pdas}) {
    const Solved found = solved(problem, Way{method}.options());
    EXPECT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_EQ(found.report.iterations, 1) << name(method);
  }
}

TEST(StrandProgram, IsViolatedByThePenalty) {
  const Solved found = by(Method::penalty);
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_GT(found.report.violation, 0.05);
}

}  // namespace
}  // namespace tendril::bcqp
