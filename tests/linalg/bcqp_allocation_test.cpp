// A workspace grows once: solves of the same size do not allocate afterwards.
#include <gtest/gtest.h>

#include "rods/allocation_counter.hpp"
#include "support/bcqp.hpp"

namespace tendril::bcqp {
namespace {

using namespace support;

TEST(BoxQpWorkspace, DoesNotAllocateAgain) {
#ifdef TENDRIL_COUNTS_ALLOCATIONS
  const BoxProblem problem = reference_of_196().problem;
  BoxProblem other = problem;  // another matrix of the same shape, and other active bounds
  for (double& value : other.b) value *= 0.3;
  for (std::size_t j = 0; j < other.a.size; ++j) other.a.at(j, j) *= 1.01;
  for (const Way& way : all_ways()) {
    if (way.storage == Storage::sparse || way.preconditioner == Preconditioner::amg) continue;
    Options options = way.options();
    options.max_iterations = 40;
    Workspace work;
    std::vector<double> x(problem.size());
    const auto solve_it = [&](const BoxProblem& p) { return solve(p.a, p.b, p.lower, p.upper, options, work, x); };
    const Report first = solve_it(problem);
    const long before = tendril::support::allocations;
    const Report again = solve_it(problem), third = solve_it(other);
    EXPECT_EQ(tendril::support::allocations - before, 0) << way.name();
    EXPECT_EQ(first.iterations, again.iterations);
    EXPECT_GT(third.iterations, 0);
  }
#else
  GTEST_SKIP() << "a sanitizer stands where allocations are counted";
#endif
}

}  // namespace
}  // namespace tendril::bcqp
