// Problems that come as W: islands, jams, and what is done with more contacts than fit into a dense matrix.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/random_strands.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/dense_delassus.hpp"
#include "tendril/contact/islands.hpp"
#include "tendril/contact/newton.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {
namespace {

using Eigen::MatrixXd;

Options options_of(Solver solver, double tolerance, int sweeps = 0) {
  Options options;
  options.solver = solver, options.tolerance = tolerance, options.max_sweeps = sweeps;
  return options;
}

// A body between two walls that close: no impulse keeps it apart from both.
void add_jam(Problem& problem) {
  const auto block = std::int32_t(problem.blocks.size());
  problem.add_block(0.1 * MatrixXd::Identity(3, 3), Vector3d::Zero());
  MatrixXd flipped = MatrixXd::Identity(3, 3);
  flipped(0, 0) = flipped(1, 1) = -1.0;
  for (const MatrixXd& wall : {MatrixXd(MatrixXd::Identity(3, 3)), flipped})
    problem.contacts.push_back({problem.add_side(block, wall), {}, {-1.0, 0.0, 0.0}, 0.5, Law::coulomb});
}

Problem large_island() { return random_strands({.strands = 100, .contacts = 700, .reach = 2}); }

class StoredSolvers : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(All, StoredSolvers,
                         testing::Values(Solver::automatic, Solver::gauss_seidel, Solver::apgd, Solver::newton),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST(StoredIslands, AreThoseOfTheBlocks) {
  Problem problem = random_strands({.strands = 300, .contacts = 200, .nodes = 5});
  problem.contacts.push_back({{}, {}, {-1.0, 0.0, 0.0}, 0.5, Law::coulomb});  // nothing moves it
  const Islands by_blocks = islands_of(problem), by_w = islands_of(ExplicitDelassus(problem));
  ASSERT_EQ(by_w.size(), by_blocks.size());
  EXPECT_EQ(by_w.immovable, by_blocks.immovable);
  for (const Islands* islands : {&by_blocks, &by_w})
    EXPECT_EQ(islands->contacts.size() + islands->immovable.size(), problem.size());
  std::vector<std::size_t> island(problem.size(), 0);
  for (std::size_t k = 0; k < by_blocks.size(); ++k)
    for (const std::uint32_t i : by_blocks[k]) island[i] = k;
  for (std::size_t k = 0; k < by_w.size(); ++k)
    for (const std::uint32_t i : by_w[k]) EXPECT_EQ(island[i], island[by_w[k][0]]);
}

// Parts of W move as the whole does.
TEST(StoredIslands, KeepTheirEntries) {
  const Problem problem = random_strands({.strands = 300, .contacts = 200, .nodes = 5});
  const ExplicitDelassus whole(problem);
  Random random(5);
  Impulses r(problem.size()), u, own, part_u;
  for (Vector3d& impulse : r) impulse = random_vector(random);
  whole.apply(r, u);
  const Islands islands = islands_of(whole);
  ASSERT_GT(islands.size(), 20u);
  for (std::size_t k = 0; k < islands.size(); ++k) {
    own.clear();
    for (const std::uint32_t i : islands[k]) own.push_back(r[i]);
    const ExplicitDelassus part = whole.part(islands[k]);
    part.apply(own, part_u);
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXPECT_EQ(part_u[i], u[islands[k][i]]);
      EXPECT_EQ(part.diagonal(i), whole.diagonal(islands[k][i]));
    }
  }
}

TEST_P(StoredSolvers, AJamIsNamedAndReachesNoOtherIsland) {
  const Problem bundle = random_strands({.contacts = 40});
  Problem problem = bundle;
  add_jam(problem);
  const Options options = options_of(GetParam(), 1e-8, 5000);
  const Solution found = solve(ExplicitDelassus(problem), options), alone = solve(bundle, options);
  ASSERT_EQ(alone.report.outcome, Outcome::converged);
  EXPECT_NE(found.report.outcome, Outcome::converged);
  EXPECT_GE(found.report.jammed, 1u);
  EXPECT_LE(found.report.jammed, 2u);
  EXPECT_GT(found.report.islands, 1u);
  for (std::size_t i = 0; i < bundle.size(); ++i) EXPECT_LT((found.u[i] - alone.u[i]).norm(), 1e-5);
}

// In an island that is too large for a dense matrix.
TEST_P(StoredSolvers, NameAJamAmongMany) {
  Problem problem = large_island();
  const auto strand = std::int32_t(0), body = std::int32_t(problem.blocks.size());
  add_jam(problem);
  MatrixXd rows = MatrixXd::Zero(3, Eigen::Index(problem.blocks[0].size));
  rows.leftCols<3>().setIdentity();
  problem.contacts.push_back({problem.add_side(strand, rows), problem.add_side(body, -MatrixXd::Identity(3, 3)),
                              Vector3d::Zero(), 0.3, Law::coulomb});
  const ExplicitDelassus w(problem);
  ASSERT_EQ(islands_of(w).size(), 1u);
  const Solution found = solve(w, options_of(GetParam(), 1e-6, GetParam() == Solver::newton ? 30 : 300));
  EXPECT_NE(found.report.outcome, Outcome::converged);
  EXPECT_GE(found.report.jammed, 1u);
  EXPECT_LE(found.report.jammed, 4u);
}

// Newton's method from where gradients have got to: what it takes from rest is for `auto` to avoid.
TEST_P(StoredSolvers, SolveMoreContactsThanFitIntoADenseMatrix) {
  const Problem problem = large_island();
  ASSERT_GT(problem.size(), most_dense_contacts);
  const bool is_newton = GetParam() == Solver::newton;
  const double tolerance = is_newton || GetParam() == Solver::automatic ? 1e-6 : 1e-3;
  const ExplicitDelassus w(problem);
  ASSERT_EQ(islands_of(w).size(), 1u);
  const Impulses start = is_newton ? solve(w, options_of(Solver::apgd, 1e-3)).r : Impulses{};
  const Solution found = solve(w, options_of(GetParam(), tolerance, 3000), start),
                 by_blocks = solve(problem, options_of(Solver::automatic, 1e-8));
  ASSERT_EQ(found.report.outcome, Outcome::converged) << found.report.error;
  EXPECT_LE(found.report.error, tolerance);
  EXPECT_EQ(is_newton, found.report.sweeps_by[std::size_t(Solver::newton)] > 0);
  for (std::size_t i = 0; i < problem.size(); ++i) EXPECT_LT((found.u[i] - by_blocks.u[i]).norm(), 1e3 * tolerance);
}

// Much friction, on which gradients stall.
TEST(StoredAutomatic, GoesOnWithNewtonsMethod) {
  const Problem problem = random_strands({.strands = 100, .contacts = 700, .mu = 1.0, .reach = 2});
  Options options = options_of(Solver::automatic, 1e-9);
  options.effort = Effort::full;
  const Solution found = solve(ExplicitDelassus(problem), options);
  EXPECT_EQ(found.report.outcome, Outcome::converged) << found.report.error;
  EXPECT_GT(found.report.sweeps_by[std::size_t(Solver::newton)], 0);
  EXPECT_LE(found.report.error, 1e-9);
}

TEST_P(StoredSolvers, HaveTheSameBitsForAnyNumberOfThreads) {
  Problem problem = large_island();
  const ExplicitDelassus w(problem);
  const int before = thread_count();
  std::vector<Impulses> found;
  for (const int threads : {1, 2, 7}) {
    set_thread_count(threads);
    found.push_back(solve(w, options_of(GetParam(), 1e-6, 6)).r);
  }
  set_thread_count(before);
  for (const Impulses& r : found) EXPECT_EQ(r, found[0]);
}

TEST_P(StoredSolvers, JointsHold) {
  Problem problem = large_island();
  problem.contacts[17].law = problem.contacts[300].law = Law::bilateral;
  const Solution found = solve(ExplicitDelassus(problem), options_of(GetParam(), 1e-4, 1000));
  ASSERT_EQ(found.report.outcome, Outcome::converged) << found.report.error;
  for (const std::size_t joint : {17u, 300u}) EXPECT_LT(found.u[joint].norm(), 1e-3);
}

// What a solver refuses it has measured all the same: the impulses that it hands back are those of the start.
TEST(StoredRefusals, HaveTheErrorOfTheirImpulses) {
  const Problem problem = large_island();
  const ExplicitDelassus w(problem);
  const Solution solved = solve(w, options_of(Solver::automatic, 1e-6));
  for (const Solver solver :
       {Solver::newton_mfb, Solver::newton_ac, Solver::newton_jm, Solver::path, Solver::admm, Solver::active_set}) {
    const Solution none = solve(w, options_of(solver, 1e-6)), warm = solve(w, options_of(solver, 1e-6), solved.r);
    EXPECT_EQ(none.report.outcome, Outcome::unsuitable) << name(solver);
    EXPECT_EQ(none.report.solver, solver);
    EXPECT_GT(none.report.error, 1e-2) << name(solver);
    EXPECT_TRUE(std::isfinite(none.report.error)) << name(solver);
    EXPECT_EQ(warm.report.outcome, Outcome::unsuitable);
    EXPECT_NEAR(warm.report.error, solved.report.error, 1e-9) << name(solver);  // on the cone to round-off
  }
}

TEST(Reports, OfWhatWasNotMeasuredDoNotReadAsPerfect) {
  Problem indefinite = random_strands({.contacts = 3});
  indefinite.matrix(indefinite.blocks[0])(0, 0) = -1.0;
  for (const Solver solver : {Solver::automatic, Solver::gauss_seidel, Solver::newton}) {
    const Report report = solve(indefinite, options_of(solver, 1e-3)).report;
    EXPECT_EQ(report.outcome, Outcome::not_definite);
    EXPECT_EQ(report.error, std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(Report{}.error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(solve(Problem{}, {}).report.error, 0.0);
  EXPECT_EQ(solve(ExplicitDelassus(Problem{}), {}).report.error, 0.0);
  Workspace memory;
  EXPECT_EQ(solve(NodeProblem{}, {}, {}, memory).report.outcome, Outcome::converged);
}

}  // namespace
}  // namespace tendril::contact
