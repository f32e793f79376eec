#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/quartic.hpp"
#include "contact/random_problems.hpp"
#include "contact/reference.hpp"
#include "tendril/contact/local/enumerative.hpp"
#include "tendril/contact/local_solver.hpp"

namespace tendril::contact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto all_methods = {LocalMethod::mfb,      LocalMethod::enumerative, LocalMethod::pac,       LocalMethod::dac,
                              LocalMethod::duriez06, LocalMethod::duriez08,    LocalMethod::four_sides};
constexpr auto exact_methods = {LocalMethod::mfb, LocalMethod::enumerative, LocalMethod::pac, LocalMethod::dac};
const Vector3d zero = Vector3d::Zero();

LocalReport solve(const LocalProblem& problem, LocalMethod method, bool fail_safe = true,
                  const Vector3d& start = zero) {
  LocalOptions options;
  options.method = method;
  options.fail_safe = fail_safe;
  return solve_local(problem, options, start);
}

double speed(const LocalProblem& problem) { return problem.b.lpNorm<Eigen::Infinity>(); }
double impulse_unit(const LocalProblem& problem) { return impulse_scale(problem.w) * speed(problem); }

// The law itself, case by case: not by the function that the solvers bring to zero.
void expect_law(const LocalProblem& problem, const Vector3d& r, double tolerance) {
  const Vector3d u = problem.w * r + problem.b;
  const double pressure = impulse_unit(problem), fast = tolerance * speed(problem), friction = r.tail<2>().norm();
  if (r == zero) {
    EXPECT_GE(u[0], -fast);
    return;
  }
  EXPECT_NEAR(u[0], 0.0, fast);
  EXPECT_LE(friction, problem.mu * r[0] + tolerance * pressure);
  if (friction < problem.mu * r[0] - tolerance * pressure) {
    EXPECT_LT(u.tail<2>().norm(), fast);
    return;
  }
  const double across = u[1] * r[2] - u[2] * r[1];
  EXPECT_LE(u.tail<2>().dot(r.tail<2>()), fast * friction);
  EXPECT_LE(std::abs(across), fast * friction);
}

double nearest_distance(const std::vector<Vector3d>& points, const Vector3d& to) {
  double distance = infinity;
  for (const Vector3d& point : points) distance = std::min(distance, (point - to).norm());
  return distance;
}

void expect_solution(const reference::LocalCase& known, LocalMethod method) {
  const LocalReport found = solve(known.problem, method);
  EXPECT_NE(found.outcome, LocalOutcome::unsolved) << name(method) << " " << known.name;
  EXPECT_LT((found.r - known.r).norm(), 1e-8 * (1.0 + known.r.norm())) << name(method) << " " << known.name;
  EXPECT_LT((known.problem.w * found.r + known.problem.b - known.u).norm(), 1e-8) << name(method) << " " << known.name;
}

TEST(LocalSolvers, HaveNames) {
  EXPECT_EQ(local_method_names().size(), all_methods.size());
  for (const LocalMethod method : all_methods) EXPECT_EQ(local_method_named(name(method)), method);
  EXPECT_EQ(local_method_named("4sides"), LocalMethod::four_sides);
  EXPECT_EQ(local_method_named("enum"), LocalMethod::enumerative);
  EXPECT_FALSE(local_method_named("MFB"));
  EXPECT_EQ(name(LocalOutcome::rescued), "rescued");
}

TEST(LocalSolvers, FindTheReferenceInSpace) {
  for (const reference::LocalCase& known : reference::space_cases())
    for (const LocalMethod method : all_methods) expect_solution(known, method);
}

TEST(LocalSolvers, FindTheReferenceInThePlane) {
  for (const reference::LocalCase& known : reference::plane_cases())
    for (const LocalMethod method : all_methods) expect_solution(known, method);
}

// With a kernel r need not be unique: the enumeration ends next to the smallest one, which is that of the reference.
TEST(LocalSolvers, FindTheReferenceWhereTheMatrixIsSingular) {
  for (const reference::LocalCase& known : reference::singular_cases()) {
    for (const LocalMethod method : all_methods) {
      const LocalReport found = solve(known.problem, method);
      EXPECT_NE(found.outcome, LocalOutcome::unsolved) << name(method) << " " << known.name;
      EXPECT_LT((known.problem.w * found.r + known.problem.b - known.u).norm(), 1e-9) << name(method) << known.name;
      expect_law(known.problem, found.r, 1e-9);
    }
    EXPECT_LT((solve(known.problem, LocalMethod::enumerative).r - known.r).norm(), 1e-7) << known.name;
  }
}

TEST(Enumeration, IsExactInSpaceAndInThePlane) {
  for (const auto& cases : {reference::space_cases(), reference::plane_cases()})
    for (const reference::LocalCase& known : cases) {
      const LocalReport found = solve(known.problem, LocalMethod::enumerative, false);
      EXPECT_EQ(found.outcome, LocalOutcome::converged);
      EXPECT_LT((found.r - known.r).norm(), 1e-12 * (1.0 + known.r.norm())) << known.name;
    }
}

TEST(Quartic, HasTheCoefficientsAndRootsOfTheReference) {
  std::vector<reference::LocalCase> cases = reference::space_cases();
  cases.push_back(reference::spurious_root_case());
  cases.push_back(reference::three_solutions_case());
  int slides = 0;
  for (const reference::LocalCase& known : cases) {
    if (known.quartic.empty()) continue;
    ++slides;
    const auto found = local::sliding_quartic(known.problem);
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(found[k], known.quartic[k], 1e-10 * (1.0 + std::abs(found[k])));
    const RealRoots all = local::quartic_sliding_roots(known.problem, true);
    const RealRoots admissible = local::quartic_sliding_roots(known.problem);
    ASSERT_EQ(std::size_t(all.count), known.positive_roots.size());
    ASSERT_EQ(std::size_t(admissible.count), known.admissible_roots.size());
    for (std::size_t k = 0; k < known.positive_roots.size(); ++k)
      EXPECT_NEAR(all.values[k] / known.positive_roots[k], 1.0, 1e-9);
    for (std::size_t k = 0; k < known.admissible_roots.size(); ++k)
      EXPECT_NEAR(admissible.values[k] / known.admissible_roots[k], 1.0, 1e-9);
  }
  EXPECT_GT(slides, 10);
}

// The smallest positive root of the quartic has r_N < 0.
TEST(Enumeration, IsNotMisledByASpuriousRoot) {
  const reference::LocalCase known = reference::spurious_root_case();
  const local::SlidingRoots roots = local::sliding_roots(local::sliding_curve(known.problem));
  ASSERT_EQ(roots.count, 1);
  EXPECT_NEAR(roots.alpha[0] / known.admissible_roots[0], 1.0, 1e-12);
  EXPECT_LT((solve(known.problem, LocalMethod::enumerative).r - known.r).norm(), 1e-12);
}

TEST(Enumeration, TakesTheNearestOfThreeSolutions) {
  const reference::LocalCase known = reference::three_solutions_case();
  ASSERT_EQ(known.all_r.size(), 3u);
  for (const Vector3d& r : known.all_r) {
    const LocalReport found = solve(known.problem, LocalMethod::enumerative, false, 1.01 * r);
    EXPECT_EQ(found.outcome, LocalOutcome::converged);
    EXPECT_LT((found.r - r).norm(), 1e-9 * r.norm());
  }
  for (const LocalMethod method : exact_methods)
    EXPECT_LT(nearest_distance(known.all_r, solve(known.problem, method).r), 1e-8) << name(method);
}

TEST(Enumeration, FindsTheSlidingSolutionsOfTheQuartic) {
  Random random(1);
  int several = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const LocalProblem problem =
        random_problem(random, std::pow(10.0, random.uniform(0.0, 3.0)), random.uniform(0.05, 3.0));
    const local::SlidingRoots found = local::sliding_roots(local::sliding_curve(problem));
    const RealRoots expected = local::quartic_sliding_roots(problem);
    ASSERT_EQ(found.count, expected.count);
    for (std::size_t k = 0; k < std::size_t(found.count); ++k)
      EXPECT_NEAR(found.alpha[k], expected.values[k], 1e-6 * expected.values[k]);
    several += found.count > 1;
  }
  EXPECT_GT(several, 5);
}

TEST(Enumeration, SolvesToRoundOffAndObeysTheLaw) {
  Random random(2);
  for (int trial = 0; trial < 5000; ++trial) {
    const double mu = trial % 9 == 0 ? 0.0 : random.uniform(0.0, 3.0);
    LocalProblem problem = random_problem(random, std::pow(10.0, random.uniform(0.0, 3.0)), mu);
    if (trial % 4 == 0) problem.b[0] *= -1.0;
    const LocalReport found = solve(problem, LocalMethod::enumerative, false);
    EXPECT_EQ(found.outcome, LocalOutcome::converged);
    EXPECT_LT(found.residual, 1e-10 * problem.b.norm());
    expect_law(problem, found.r, 1e-9);
  }
}

// On the cone to the last digits, and against the motion.
TEST(Enumeration, SlidesExactlyOnTheCone) {
  Random random(3);
  int slides = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const LocalProblem problem = random_problem(random, 10.0, 0.4);
    const LocalReport found = solve(problem, LocalMethod::enumerative, false);
    const Vector3d u = problem.w * found.r + problem.b;
    if (classify(found.r, u, problem.mu, impulse_scale(problem.w)) != ContactState::slide) continue;
    ++slides;
    const double friction = found.r.tail<2>().norm(), sliding = u.tail<2>().norm();
    EXPECT_NEAR(friction / (problem.mu * found.r[0]), 1.0, 2e-15);
    EXPECT_NEAR(u[0], 0.0, 1e-13);
    EXPECT_NEAR(u.tail<2>().dot(found.r.tail<2>()), -friction * sliding, 1e-13 * friction);
  }
  EXPECT_GT(slides, 1000);
}

TEST(ExactSolvers, AgreeWhereTheSolutionIsUnique) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const LocalProblem problem = random_problem(random, 10.0, random.uniform(0.0, 0.5));
    const Vector3d expected = solve(problem, LocalMethod::enumerative).r;
    for (const LocalMethod method : exact_methods)
      EXPECT_LT((solve(problem, method).r - expected).norm(), 1e-8 * (1.0 + expected.norm())) << name(method);
  }
}

TEST(ExactSolvers, DissipateEnergy) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const LocalProblem problem = random_problem(random, 100.0, random.uniform(0.0, 2.0));
    for (const LocalMethod method : exact_methods) {
      const Vector3d r = solve(problem, method).r;
      EXPECT_LE(r.dot(problem.w * r + problem.b), 1e-9 * (1.0 + r.norm())) << name(method);
    }
  }
}

// What they are for in comparisons: both slide in a wrong direction, and say that they have not solved it.
TEST(InexactSolvers, AreRightOnlyWithoutSliding) {
  Random random(6);
  for (const LocalMethod method : {LocalMethod::duriez06, LocalMethod::four_sides}) {
    int sliding = 0, unsolved = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      const LocalProblem problem = random_problem(random, 10.0, 0.7);
      const Vector3d r = solve(problem, LocalMethod::enumerative).r;
      const LocalReport found = solve(problem, method, false);
      if (classify(r, problem.w * r + problem.b, problem.mu, impulse_scale(problem.w)) == ContactState::slide)
        ++sliding, unsolved += found.outcome == LocalOutcome::unsolved;
      else if (method == LocalMethod::four_sides) {
        EXPECT_LT((found.r - r).norm(), 1e-9 * (1.0 + r.norm()));
      }
    }
    EXPECT_GT(sliding, 500);
    EXPECT_GT(unsolved, 0.9 * sliding) << name(method);
  }
}

TEST(InexactSolvers, SplitExactlyWhereTangentialMobilityIsIsotropic) {
  LocalProblem problem{Vector3d(2.0, 1.5, 1.5).asDiagonal(), Vector3d(-1.0, 0.8, -0.6), 0.4};
  const LocalReport found = solve(problem, LocalMethod::duriez06, false);
  EXPECT_EQ(found.outcome, LocalOutcome::converged);
  expect_law(problem, found.r, 1e-9);
}

// A square pyramid: friction of μ r_N along each axis at once.
TEST(InexactSolvers, SlideOnThePyramid) {
  const LocalProblem problem{Matrix3d::Identity(), Vector3d(-1.0, 5.0, 4.0), 0.5};
  const Vector3d r = solve(problem, LocalMethod::four_sides, false).r;
  EXPECT_LT((r - Vector3d(1.0, -0.5, -0.5)).norm(), 1e-14);
}

// Shares of calls that fail, from r = 0; more than these is a broken method, fewer an unlikely one.
TEST(FailureRates, AreThoseKnownAndTheFailSafeLeavesNone) {
  struct Known {
    LocalMethod method;
    double condition, mu, at_least, at_most;
  };
  const std::array known = {
      Known{LocalMethod::mfb, 10, 0.3, 0, 0.001},     Known{LocalMethod::mfb, 10, 1, 0, 0.01},
      Known{LocalMethod::mfb, 10, 3, 0.05, 0.25},     Known{LocalMethod::mfb, 1000, 0.3, 0, 0.01},
      Known{LocalMethod::mfb, 1000, 1, 0.005, 0.08},  Known{LocalMethod::mfb, 1000, 3, 0.08, 0.3},
      Known{LocalMethod::pac, 10, 0.3, 0, 0.002},     Known{LocalMethod::pac, 1000, 3, 0.1, 0.35},
      Known{LocalMethod::dac, 10, 0.3, 0, 0.002},     Known{LocalMethod::dac, 1000, 3, 0.04, 0.2},
      Known{LocalMethod::duriez08, 10, 0.3, 0, 0.01}, Known{LocalMethod::duriez08, 1000, 3, 0.4, 0.9},
      Known{LocalMethod::enumerative, 1000, 3, 0, 0}};
  for (const Known& row : known) {
    Random random(7);
    constexpr int calls = 1000;
    int failed = 0;
    for (int call = 0; call < calls; ++call) {
      const LocalProblem problem = random_problem(random, row.condition, row.mu);
      const bool alone = solve(problem, row.method, false).outcome == LocalOutcome::converged;
      const LocalOutcome safe = solve(problem, row.method).outcome;
      failed += !alone;
      EXPECT_EQ(safe, alone ? LocalOutcome::converged : LocalOutcome::rescued) << name(row.method);
    }
    EXPECT_GE(failed, row.at_least * calls) << name(row.method) << " " << row.condition << " " << row.mu;
    EXPECT_LE(failed, row.at_most * calls) << name(row.method) << " " << row.condition << " " << row.mu;
  }
}

TEST(LocalSolvers, NeedFewIterationsAndNoneFromTheSolution) {
  Random random(8);
  int iterations = 0;
  constexpr int calls = 1000;
  for (int call = 0; call < calls; ++call) {
    const LocalProblem problem = random_problem(random, 10.0, 0.3);
    const LocalReport found = solve(problem, LocalMethod::mfb);
    iterations += found.iterations;
    EXPECT_EQ(solve(problem, LocalMethod::mfb, true, found.r).iterations, 0);
  }
  EXPECT_LT(iterations, 7 * calls);
}

// Lengths, masses and times may have any unit.
TEST(LocalSolvers, DoNotDependOnUnits) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    const LocalProblem problem = random_problem(random, 100.0, random.uniform(0.0, 2.0));
    const double mass = std::ldexp(1.0, 40), velocity = std::ldexp(1.0, -30);
    const LocalProblem scaled{problem.w / mass, problem.b * velocity, problem.mu};
    for (const LocalMethod method : all_methods) {
      LocalOptions options{method, true, 1e-10, 50};
      const LocalReport one = solve_local(problem, options, zero);
      options.tolerance *= velocity;
      const LocalReport other = solve_local(scaled, options, zero);
      EXPECT_EQ(one.iterations, other.iterations);
      EXPECT_LT((one.r * mass * velocity - other.r).norm(), 1e-8 * mass * velocity * (1.0 + one.r.norm()));
    }
  }
}

TEST(LocalSolvers, RefuseWhatIsNotFinite) {
  const LocalProblem good{Matrix3d::Identity(), Vector3d(-1.0, 0.5, 0.0), 0.3};
  for (const double bad : {not_a_number, infinity, -infinity})
    for (const LocalMethod method : all_methods) {
      LocalProblem in_w = good, in_b = good, in_mu = good;
      in_w.w(1, 2) = bad, in_b.b[0] = bad, in_mu.mu = bad;
      for (const LocalProblem& problem : {in_w, in_b, in_mu}) {
        const LocalReport found = solve(problem, method);
        EXPECT_EQ(found.outcome, LocalOutcome::unsolved);
        EXPECT_EQ(found.r, zero);
      }
      EXPECT_EQ(solve(good, method, true, Vector3d(0.0, bad, 0.0)).outcome, LocalOutcome::unsolved);
    }
  LocalProblem negative = good;
  negative.mu = -0.1;
  EXPECT_EQ(solve(negative, LocalMethod::mfb).outcome, LocalOutcome::unsolved);
}

TEST(LocalSolvers, LeaveTheImmovableAlone) {
  for (const LocalMethod method : all_methods) {
    const LocalReport approaching = solve({Matrix3d::Zero(), Vector3d(-1.0, 0.2, 0.0), 0.3}, method);
    EXPECT_EQ(approaching.outcome, LocalOutcome::unsolved);
    EXPECT_EQ(approaching.r, zero);
    EXPECT_EQ(solve({Matrix3d::Zero(), Vector3d(1.0, 0.2, 0.0), 0.3}, method).outcome, LocalOutcome::converged);
    EXPECT_EQ(solve({Matrix3d::Identity(), zero, 0.3}, method).r, zero);
  }
}

// w = h hᵀ: any impulse that stops the approach drives the contact sideways, and friction against that presses it
// further in. With μ |h_T| >= h_N there is no solution.
TEST(LocalSolvers, SayThatAJammedContactHasNoSolution) {
  const Vector3d h(1.0, 2.0, 0.0);
  for (const LocalMethod method : all_methods) {
    const LocalReport found = solve({h * h.transpose(), Vector3d(-1.0, 0.0, 0.0), 0.8}, method);
    EXPECT_EQ(found.outcome, LocalOutcome::unsolved) << name(method);
    EXPECT_TRUE(found.r.allFinite());
    EXPECT_NE(solve({h * h.transpose(), Vector3d(-1.0, 0.0, 0.0), 0.3}, method).outcome, LocalOutcome::unsolved)
        << name(method);
  }
}

TEST(LocalSolvers, TakeAnyCoefficientOfFriction) {
  Random random(10);
  for (const double mu : {1e-300, 1e-16, 1e-12, 1e-6, 1e-3, 100.0, 1e4, 1e6})
    for (int trial = 0; trial < 300; ++trial) {
      const LocalProblem problem = random_problem(random, 10.0, mu);
      for (const LocalMethod method : all_methods) {
        const LocalReport found = solve(problem, method);
        EXPECT_NE(found.outcome, LocalOutcome::unsolved) << name(method) << " " << mu;
        EXPECT_TRUE(found.r.allFinite());
      }
      expect_law(problem, solve(problem, LocalMethod::enumerative).r, 1e-8);
    }
}

TEST(LocalSolvers, TakeAnyAngleOfImpact) {
  Random random(11);
  for (int exponent = -320; exponent <= 0; exponent += 5)
    for (const LocalMethod method : all_methods) {
      LocalProblem problem = random_problem(random, 100.0, 0.5);
      problem.b[0] = -std::pow(10.0, exponent);
      const LocalReport found = solve(problem, method);
      EXPECT_NE(found.outcome, LocalOutcome::unsolved) << name(method) << " " << exponent;
      EXPECT_TRUE(found.r.allFinite());
    }
}

// Conditions to 1e12, all units, friction to 10: with the fail-safe none is left unsolved.
TEST(HeavyLocalSolvers, LeaveNoneOfManyUnsolved) {
  for (const LocalMethod method : all_methods) {
    Random random(12);
    int unsolved = 0;
    for (int trial = 0; trial < 100'000; ++trial) {
      const double condition = std::pow(10.0, random.uniform(0.0, 12.0)),
                   mobility = std::pow(10.0, random.uniform(-6.0, 6.0));
      const double velocity = std::pow(10.0, random.uniform(-6.0, 3.0));
      LocalProblem problem = random_problem(random, condition, trial % 7 == 0 ? 0.0 : random.uniform(0.0, 10.0));
      problem.w *= mobility, problem.b *= velocity;
      if (trial % 5 == 0) problem.b[0] *= -1.0;
      const Vector3d start = trial % 2 == 0 ? zero : Vector3d(random_vector(random) * velocity / mobility);
      const LocalReport found = solve_local(problem, {method, true, 1e-10 * velocity, 50}, start);
      unsolved += found.outcome == LocalOutcome::unsolved;
      ASSERT_TRUE(found.r.allFinite() && std::isfinite(found.residual));
    }
    EXPECT_EQ(unsolved, 0) << name(method);
  }
}

}  // namespace
}  // namespace tendril::contact
