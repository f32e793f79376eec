// Contacts on nodes: every solver and instruction set on the same problems, islands, threads, jams, and what the
// different forms of one problem must agree in.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/random_strands.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/contact_rows.hpp"
#include "tendril/contact/islands.hpp"
#include "tendril/contact/node_gradients.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/node_sweeps.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Options options_of(Solver solver, double tolerance, int sweeps = 0) {
  Options options;
  options.solver = solver, options.tolerance = tolerance, options.max_sweeps = sweeps;
  return options;
}

double difference(const Impulses& a, const Impulses& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

struct OneIsland {
  Problem problem;
  BlockInverses inverses{problem};
  std::vector<std::uint32_t> all;
  NodeSpace space;

  explicit OneIsland(Problem given)
      : problem(std::move(given)), all(everything(problem)), space(problem, inverses, all) {}
  static std::vector<std::uint32_t> everything(const Problem& problem) {
    std::vector<std::uint32_t> names(problem.size());
    std::iota(names.begin(), names.end(), 0u);
    return names;
  }
};

TEST(NodeSpace, SeesFramesAndWeights) {
  const OneIsland island(random_strands({}));
  for (const NodeContact& contact : island.space.contacts) EXPECT_FALSE(contact.has_terms());
  Problem bent = island.problem;
  bent.entries[bent.contacts[3].a.first].coefficient *= 1.1;  // no longer the same frame on all three
  const OneIsland other(bent);
  EXPECT_EQ(std::ranges::count_if(other.space.contacts, &NodeContact::has_terms), 1);
}

// u of nodes, with and without terms, against W r + b.
TEST(NodeSpace, IsTheDelassusOperator) {
  Problem problem = random_strands({.self = true});
  for (std::size_t i = 0; i < problem.size(); i += 3) problem.entries[problem.contacts[i].a.first].coefficient *= 1.1;
  const OneIsland island(problem);
  Random random(3);
  Impulses r(problem.size()), u, expected, by_name(problem.size());
  for (Vector3d& impulse : r) impulse = random_vector(random);
  for (std::size_t i = 0; i < r.size(); ++i) by_name[island.space.contacts[i].name] = r[i];
  island.space.apply(r, u);
  const ExplicitDelassus w(problem);
  w.apply(by_name, expected);
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_LT((u[i] - expected[island.space.contacts[i].name]).norm(), 1e-12);
    const NodeContact& contact = island.space.contacts[i];
    EXPECT_LT((island.space.diagonal(contact) - w.diagonal(contact.name)).norm(), 1e-12);
  }
}

class InstructionSets : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(All, InstructionSets, testing::Values(Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(InstructionSets, StepLikeTheReference) {
  if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  Problem problem = random_strands({.contacts = 101});
  problem.entries[problem.contacts[5].a.first].coefficient *= 1.1;
  problem.contacts[7].law = Law::bilateral, problem.contacts[8].mu = 0.0;
  const OneIsland island(problem);
  const Options options = options_of(Solver::gauss_seidel, 1e-6);
  const Impulses none(problem.size(), Vector3d::Zero());
  NodeGradients lanes(island.space, GetParam()), plain(island.space, Isa::reference);
  NodeSweeps fast(island.space, options, 1.0, GetParam()), slow(island.space, options, 1.0, Isa::reference);
  lanes.start(none), plain.start(none), fast.start(none), slow.start(none);
  lanes.adapt_steps(1.0), plain.adapt_steps(1.0);
  fast.error(), slow.error();
  for (int k = 0; k < 20; ++k) {
    const StepSums a = lanes.step(0.3, 0.05), b = plain.step(0.3, 0.05);
    EXPECT_NEAR(a.turn, b.turn, 1e-10 * (1.0 + std::abs(b.turn)));
    EXPECT_NEAR(a.length, b.length, 1e-10 * (1.0 + b.length));
    EXPECT_NEAR(lanes.respond(0.3), plain.respond(0.3), 1e-9);
    EXPECT_EQ(fast.sweep(), slow.sweep());
  }
  EXPECT_LT(difference(lanes.impulses(), plain.impulses()), 1e-10);
  EXPECT_LT(difference(fast.impulses(), slow.impulses()), 1e-8);
  EXPECT_NEAR(lanes.error(), plain.error(), 1e-10);
  EXPECT_NEAR(fast.error(), slow.error(), 1e-8);
  NodeResponse response(island.space);
  EXPECT_NEAR(lanes.error(), response.error(lanes.impulses()), 1e-12);
  EXPECT_NEAR(fast.error(), response.error(fast.impulses()), 1e-12);
}

class StrandSolvers : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(All, StrandSolvers,
                         testing::Values(Solver::automatic, Solver::gauss_seidel, Solver::apgd, Solver::newton),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(StrandSolvers, HaveTheSameBitsForAnyNumberOfThreads) {
  // Random pairs fill the factors of Newton's matrix, so its problem is smaller; gradients wake threads from 2000 on.
  const bool factorises = GetParam() == Solver::newton || GetParam() == Solver::automatic;
  const Problem problem = factorises ? random_strands({.strands = 60, .contacts = 400})
                                     : random_strands({.strands = 300, .contacts = 2500});
  const int before = thread_count();
  std::vector<Solution> found;
  for (const int threads : {1, 2, 3, 7}) {
    set_thread_count(threads);
    found.push_back(solve(problem, options_of(GetParam(), 1e-6, 12)));
  }
  set_thread_count(before);
  for (const Solution& other : found) {
    EXPECT_EQ(other.r, found[0].r);
    EXPECT_EQ(other.v, found[0].v);
  }
}

// Two problems side by side are solved as each by itself, but for what errors are relative to.
TEST_P(StrandSolvers, IslandsDoNotFeelEachOther) {
  const Problem one = random_strands({.seed = 2}), other = random_strands({.seed = 3});
  Problem both = one;
  for (const Block& block : other.blocks) both.add_block(other.matrix(block), other.right(block));
  for (const Contact& contact : other.contacts) {
    Contact copy = contact;
    for (Side* side : {&copy.a, &copy.b}) {
      if (side->block == Side::none) continue;
      const auto first = std::uint32_t(both.entries.size());
      for (const Entry& entry : other.entries_of(*side)) both.entries.push_back(entry);
      side->block += std::int32_t(one.blocks.size()), side->first = first;
    }
    both.contacts.push_back(copy);
  }
  ASSERT_TRUE(check(both));
  EXPECT_EQ(islands_of(both).size(), islands_of(one).size() + islands_of(other).size());
  const Solution together = solve(both, options_of(GetParam(), 1e-10, 20000)),
                 alone = solve(one, options_of(GetParam(), 1e-10, 20000));
  ASSERT_EQ(together.report.outcome, Outcome::converged);
  EXPECT_LT((together.v.head(alone.v.size()) - alone.v).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST_P(StrandSolvers, AgreeWithEachOther) {
  for (const double mu : {0.0, 0.3, 1.0}) {
    const Problem problem = random_strands({.contacts = 60, .mu = mu, .seed = 5, .self = true});
    const Solution found = solve(problem, options_of(GetParam(), 1e-9, 20000)),
                   reference = solve(problem, options_of(Solver::gauss_seidel, 1e-10, 20000));
    ASSERT_EQ(found.report.outcome, Outcome::converged) << mu;
    EXPECT_LT((found.v - reference.v).lpNorm<Eigen::Infinity>(), 1e-6) << mu;
  }
}

TEST_P(StrandSolvers, IgnoreAStartThatIsNotANumber) {
  const Problem problem = random_strands({});
  Impulses start(problem.size(), Vector3d::Constant(NAN));
  EXPECT_EQ(solve(problem, options_of(GetParam(), 1e-6, 20000), start).report.outcome, Outcome::converged);
}

// A body between two walls that close: no impulse keeps them apart.
TEST_P(StrandSolvers, NameWhatIsJammed) {
  Problem problem = random_strands({.contacts = 40});
  const auto block = std::int32_t(problem.blocks.size());
  problem.add_block(0.1 * MatrixXd::Identity(3, 3), Vector3d::Zero());
  MatrixXd flipped = MatrixXd::Identity(3, 3);
  flipped(0, 0) = flipped(1, 1) = -1.0;
  for (const MatrixXd& wall : {MatrixXd(MatrixXd::Identity(3, 3)), flipped})
    problem.contacts.push_back({problem.add_side(block, wall), {}, {-1.0, 0.0, 0.0}, 0.5, Law::coulomb});
  const Solution found = solve(problem, options_of(GetParam(), 1e-6, 5000));
  EXPECT_NE(found.report.outcome, Outcome::converged);
  EXPECT_GE(found.report.jammed, 1u);
  EXPECT_LE(found.report.jammed, 2u);
  for (const Vector3d& r : found.r) EXPECT_TRUE(r.allFinite());
}

// Assembled block by block, W is what the product of sparse matrices is, also where strands touch themselves.
TEST(StoredForm, IsTheProductOfSparseMatrices) {
  const Problem problem = random_strands({.strands = 6, .contacts = 80, .self = true});
  const Eigen::SparseMatrix<double> h = rows_of(problem);
  MatrixXd inverse = MatrixXd::Zero(h.cols(), h.cols());
  VectorXd right(h.cols());
  for (const Block& block : problem.blocks) {
    const auto first = Eigen::Index(block.first), n = Eigen::Index(block.size);
    inverse.block(first, first, n, n) = problem.matrix(block).inverse();
    right.segment(first, n) = problem.right(block);
  }
  const MatrixXd w = h * inverse * h.transpose();
  VectorXd b = h * (inverse * right);
  for (std::size_t i = 0; i < problem.size(); ++i) b.segment<3>(Eigen::Index(3 * i)) += problem.contacts[i].drift;
  const ExplicitDelassus stored(problem);
  EXPECT_LT((MatrixXd(stored.matrix()) - w).lpNorm<Eigen::Infinity>(), 1e-12 * w.lpNorm<Eigen::Infinity>());
  EXPECT_LT((stored.free_velocity() - b).lpNorm<Eigen::Infinity>(), 1e-12 * b.lpNorm<Eigen::Infinity>());
  EXPECT_TRUE(stored.diagonal(7).isApprox(w.block<3, 3>(21, 21), 1e-12));
}

// Without friction contact is a linear complementarity problem.
TEST(ActiveSet, SolvesContactWithoutFrictionAndJoints) {
  Problem problem = random_strands({.contacts = 40, .mu = 0.0});
  problem.contacts[3].law = Law::bilateral;
  const Solution exact = solve(problem, options_of(Solver::active_set, 1e-10));
  ASSERT_EQ(exact.report.outcome, Outcome::converged) << exact.report.error;
  EXPECT_LT(exact.u[3].norm(), 1e-8);
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (i != 3) {
      EXPECT_EQ(exact.r[i].tail<2>().norm(), 0.0);
      EXPECT_GE(exact.u[i][0], -1e-8);
      EXPECT_LT(std::abs(exact.r[i][0] * exact.u[i][0]), 1e-8);
    }
  const Solution swept = solve(problem, options_of(Solver::gauss_seidel, 1e-10, 20000));
  EXPECT_LT((exact.v - swept.v).lpNorm<Eigen::Infinity>(), 1e-7);
}

TEST(ActiveSet, RefusesFriction) {
  const Solution refused = solve(random_strands({}), options_of(Solver::active_set, 1e-6));
  EXPECT_EQ(refused.report.outcome, Outcome::unsuitable);
  EXPECT_EQ(name(refused.report.outcome), "unsuitable");
}

TEST(Automatic, CountsItsRungs) {
  const Solution found =
      solve(random_strands({.strands = 10, .contacts = 200, .mu = 0.6}), options_of(Solver::automatic, 1e-11));
  EXPECT_EQ(std::accumulate(found.report.sweeps_by.begin(), found.report.sweeps_by.end(), 0), found.report.sweeps);
  EXPECT_GT(found.report.sweeps_by[std::size_t(Solver::apgd)], 0);
  EXPECT_EQ(found.report.states[0] + found.report.states[1] + found.report.states[2], 200u);
}

// From gradients alone Newton's method goes round and round on this one; from less friction it does not.
TEST(Automatic, BeginsAnewWithLessFrictionWhereNewtonCircles) {
  const Problem problem = random_strands({.strands = 5, .contacts = 70, .mu = 1.0, .seed = 30});
  const Solution found = solve(problem, options_of(Solver::automatic, 1e-6)),
                 from_gradients =
                     solve(problem, options_of(Solver::newton, 1e-6), solve(problem, options_of(Solver::apgd, 1e-6)).r);
  EXPECT_EQ(from_gradients.report.outcome, Outcome::stalled);
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_LE(found.report.error, 1e-6);
}

// No new start leads Newton's method to the end of this one (1.2e-6 at its best); going on in circles does.
TEST(Automatic, SolvesWithFullEffortWhatLimitedEffortLeaves) {
  const Problem problem = random_strands({.strands = 5, .contacts = 60, .mu = 2.0, .seed = 36});
  Options options = options_of(Solver::automatic, 1e-6);
  const Solution left = solve(problem, options);
  options.effort = Effort::full;
  const Solution found = solve(problem, options);
  EXPECT_NE(left.report.outcome, Outcome::converged);
  EXPECT_GT(left.report.error, 1e-6);
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_LE(found.report.error, 1e-6);
}

// Newton's method goes round and round on it from wherever it begins; the curve turns back a few times on its way.
TEST(PathFollowing, SolvesWhatNewtonsMethodCirclesOn) {
  const Problem problem = random_strands({.strands = 5, .contacts = 60, .mu = 2.0, .seed = 36});
  Options options = options_of(Solver::path, 1e-6);
  const Solution found = solve(problem, options);
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_LE(found.report.error, 1e-6);
  EXPECT_LT(found.report.sweeps_by[std::size_t(Solver::path)], 5000);
  EXPECT_EQ(solve(problem, options).r, found.r);
}

TEST(PathFollowing, RefusesPushes) {
  Problem problem = random_strands({.strands = 3, .contacts = 4});
  problem.contacts[1].push = 0.1, problem.contacts[1].push_strength = 1.0;
  EXPECT_EQ(solve(problem, options_of(Solver::path, 1e-6)).report.outcome, Outcome::unsuitable);
}

// What asks for no more than steps in time do has nothing to try on: the same bits.
TEST(Automatic, FullEffortChangesNothingWhereLimitedEffortIsEnough) {
  const Problem problem = random_strands({.strands = 12, .contacts = 200, .mu = 0.6, .seed = 3});
  for (const double tolerance : {1e-3, 1e-6}) {
    Options options = options_of(Solver::automatic, tolerance);
    const Solution limited = solve(problem, options);
    options.effort = Effort::full;
    EXPECT_EQ(solve(problem, options).r, limited.r);
    EXPECT_EQ(limited.report.outcome, Outcome::converged);
  }
}

TEST(Automatic, ReachesTightTolerances) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const double mu = std::array{0.3, 0.6, 1.0}[seed % 3];
    const Problem problem = random_strands({.strands = 12, .contacts = int(60 * seed), .mu = mu, .seed = seed});
    EXPECT_EQ(solve(problem, options_of(Solver::automatic, 1e-6)).report.outcome, Outcome::converged) << seed;
  }
}

}  // namespace
}  // namespace tendril::contact
