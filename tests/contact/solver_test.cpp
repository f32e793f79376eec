// Global solvers on the reference problems, on problems with answers of their own, and on what may go wrong.
#include "tendril/contact/solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>

#include "contact/random_problems.hpp"
#include "support/test_data.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/contact/soft_push.hpp"
#include "tendril/contact/strand_pairs.hpp"
#include "tendril/io/contact_problem_file.hpp"

namespace tendril::contact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using nlohmann::json;

struct ReferenceProblem {
  std::string kind;
  Problem problem;
  VectorXd u, v;
  double error = 0.0;
};

void flatten(const json& value, std::vector<double>& out) {
  if (!value.is_array()) return out.push_back(value);
  for (const json& part : value) flatten(part, out);
}
VectorXd vector_of(const json& value) {
  std::vector<double> numbers;
  flatten(value, numbers);
  return Eigen::Map<VectorXd>(numbers.data(), Eigen::Index(numbers.size()));
}

const std::vector<ReferenceProblem>& references() {
  static const std::vector<ReferenceProblem> all = [] {
    std::vector<ReferenceProblem> out;
    const auto path = test_data("coulomb-contact_onestep.json");
    const std::vector<Problem> problems = read_contact_problems(path).value();
    const json file = json::parse(std::ifstream(path));
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const json& entry = file["problems"][k];
      out.push_back({entry["kind"], problems[k], vector_of(entry["u"]), vector_of(entry["v"]), entry["err"]});
    }
    return out;
  }();
  return all;
}

VectorXd flat(const Impulses& rows) {
  VectorXd out(Eigen::Index(3 * rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out.segment<3>(Eigen::Index(3 * i)) = rows[i];
  return out;
}

double free_speed(const Problem& problem) {
  return ExplicitDelassus(problem).free_velocity().lpNorm<Eigen::Infinity>();
}

Options options_of(Solver solver, double tolerance, int sweeps = 20000) {
  Options options;
  options.solver = solver, options.tolerance = tolerance, options.max_sweeps = sweeps;
  return options;
}

TEST(ReferenceProblems, AreNineOfThreeKinds) {
  ASSERT_EQ(references().size(), 9u);
  for (const ReferenceProblem& reference : references()) EXPECT_LT(reference.error, 1e-12);
}

class Solvers : public testing::TestWithParam<Solver> {};
// Those that begin with the impulses that they are given, end with exact zeros and take pushes.
class WarmSolvers : public Solvers {};

const auto warm_solvers = testing::Values(Solver::automatic, Solver::gauss_seidel, Solver::apgd, Solver::newton,
                                          Solver::newton_mfb, Solver::newton_ac, Solver::newton_jm, Solver::admm);
const auto word_of = [](const auto& tested) {
  std::string word(name(tested.param));
  std::ranges::replace(word, '-', '_');
  return word;
};
INSTANTIATE_TEST_SUITE_P(All, Solvers, warm_solvers, word_of);
INSTANTIATE_TEST_SUITE_P(Path, Solvers, testing::Values(Solver::path), word_of);
INSTANTIATE_TEST_SUITE_P(All, WarmSolvers, warm_solvers, word_of);

// Bundles of hair are over-determined: there impulses converge last, and sweeps take their time.
TEST_P(Solvers, AgreeWithTheReference) {
  for (const ReferenceProblem& reference : references()) {
    const double tolerance = reference.kind == "hair" ? 1e-4 : 1e-7;
    const Solution found = solve(reference.problem, options_of(GetParam(), tolerance));
    ASSERT_EQ(found.report.outcome, Outcome::converged) << reference.kind << " " << reference.problem.size();
    EXPECT_LE(found.report.error, tolerance);
    const double bound = 100.0 * found.report.error * free_speed(reference.problem) + 1e-12;
    EXPECT_LT((flat(found.u) - reference.u).lpNorm<Eigen::Infinity>(), bound) << reference.kind;
    if (reference.kind != "hair") {
      EXPECT_LT((found.v - reference.v).lpNorm<Eigen::Infinity>(), 10.0 * bound) << reference.kind;
    }
  }
}

TEST_P(Solvers, TakeTheProblemAsWToo) {
  for (const ReferenceProblem& reference : references()) {
    if (reference.kind == "hair") continue;
    const ExplicitDelassus w(reference.problem);
    const Solution found = solve(w, options_of(GetParam(), 1e-7));
    ASSERT_EQ(found.report.outcome, Outcome::converged) << reference.kind << " " << found.report.error;
    EXPECT_LT((flat(found.u) - reference.u).lpNorm<Eigen::Infinity>(),
              100.0 * found.report.error * free_speed(reference.problem) + 1e-12);
    EXPECT_EQ(found.v.size(), 0);
  }
}

// Friction takes energy, never gives it.
TEST_P(Solvers, Dissipate) {
  for (const ReferenceProblem& reference : references()) {
    const Solution found = solve(reference.problem, options_of(GetParam(), 1e-4));
    double largest = 0.0;
    for (std::size_t i = 0; i < found.r.size(); ++i) largest = std::max(largest, found.r[i].norm() * found.u[i].norm());
    for (std::size_t i = 0; i < found.r.size(); ++i) EXPECT_LE(found.r[i].dot(found.u[i]), 1e-3 * largest);
  }
}

// A point mass on a plane that leans by an angle, pulled by gravity for a step.
Problem on_an_incline(double angle, double mu, double speed = 0.0) {
  constexpr double mass = 0.1, dt = 1e-3, g = 9.81;
  Problem problem;
  Eigen::Vector3d push(-mass * g * dt * std::cos(angle), mass * g * dt * std::sin(angle), 0.0);
  push[1] += mass * speed;
  problem.add_block(mass * MatrixXd::Identity(3, 3), push);
  problem.contacts.push_back({problem.add_side(0, MatrixXd::Identity(3, 3)), {}, {0.0, 0.0, 0.0}, mu, Law::coulomb});
  return problem;
}

TEST_P(WarmSolvers, ABlockOnAnInclineSticksUpToTheAngleOfFriction) {
  const double mu = 0.4, angle = std::atan(mu);
  const Solution sticks = solve(on_an_incline(angle * (1.0 - 1e-3), mu), options_of(GetParam(), 1e-12));
  EXPECT_LT(sticks.u[0].norm(), 1e-14);
  const double steep = angle * 1.2;
  const Solution slides = solve(on_an_incline(steep, mu), options_of(GetParam(), 1e-12));
  EXPECT_NEAR(slides.u[0][1], 9.81e-3 * (std::sin(steep) - mu * std::cos(steep)), 1e-12);
  EXPECT_NEAR(slides.u[0][0], 0.0, 1e-12);
  const Solution smooth = solve(on_an_incline(steep, 0.0), options_of(GetParam(), 1e-12));
  EXPECT_NEAR(smooth.u[0][1], 9.81e-3 * std::sin(steep), 1e-12);
}

// Bundles of hair to 1e-6, as near to the reference as the error says.
class TightSolvers : public Solvers {};
INSTANTIATE_TEST_SUITE_P(All, TightSolvers, testing::Values(Solver::automatic, Solver::newton, Solver::path), word_of);

TEST_P(TightSolvers, AgreeWithTheReferenceForHair) {
  for (const ReferenceProblem& reference : references()) {
    if (reference.kind != "hair") continue;
    const Solution found = solve(reference.problem, options_of(GetParam(), 1e-6));
    ASSERT_EQ(found.report.outcome, Outcome::converged) << reference.problem.size() << " " << found.report.error;
    const double bound = 100.0 * found.report.error * free_speed(reference.problem);
    EXPECT_LT((flat(found.u) - reference.u).lpNorm<Eigen::Infinity>(), bound) << reference.problem.size();
  }
}

// Particles that touch each other alone keep their momentum.
TEST_P(Solvers, ActionIsReaction) {
  Random random(11);
  Problem problem;
  const std::size_t particles = 12;
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
  for (std::size_t p = 0; p < particles; ++p) {
    const Eigen::Vector3d own = random_vector(random);
    problem.add_block(random.uniform(0.1, 2.0) * MatrixXd::Identity(3, 3), VectorXd(own));
    momentum += own;
  }
  for (std::size_t c = 0; c < 15; ++c) {
    const auto a = std::int32_t(c % particles);
    const auto b = std::int32_t((c + 1 + random.below(particles - 1)) % particles);
    const Eigen::Matrix3d frame = random_frame(random);
    problem.contacts.push_back(
        {problem.add_side(a, frame), problem.add_side(b, -frame), Eigen::Vector3d::Zero(), 0.4, Law::coulomb});
  }
  const Solution found = solve(problem, options_of(GetParam(), 1e-3));
  double largest = 0.0;
  Eigen::Vector3d after = Eigen::Vector3d::Zero();
  for (std::size_t p = 0; p < particles; ++p)
    after += problem.matrix(problem.blocks[p]) * found.v.segment<3>(Eigen::Index(3 * p));
  for (const Eigen::Vector3d& r : found.r) largest = std::max(largest, r.norm());
  ASSERT_GT(largest, 0.1);
  EXPECT_LT((after - momentum).norm(), 1e-13 * (1.0 + largest) * double(particles));
}

// So much friction that pressure hardly counts. Sweeps find the end, also as a rung of `auto`, where contacts are few;
// the others neither overflow nor say that they have found it.
TEST_P(Solvers, TakeEnormousFriction) {
  const bool sweeps = GetParam() == Solver::automatic || GetParam() == Solver::gauss_seidel;
  for (const std::size_t which : {0, 1, 3, 2}) {
    Problem problem = references()[which].problem;
    for (Contact& contact : problem.contacts) contact.mu = 1e6;
    const Solution found = solve(problem, options_of(GetParam(), 1e-6));
    ASSERT_TRUE(flat(found.r).allFinite() && flat(found.u).allFinite());
    if (sweeps && which != 2) {
      EXPECT_EQ(found.report.outcome, Outcome::converged) << which;
    }
    if (found.report.outcome != Outcome::converged) continue;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      EXPECT_GE(found.u[i][0], -1e-5 * free_speed(problem)) << i;
      EXPECT_LE(found.r[i].tail<2>().norm(), 1e6 * found.r[i][0] * (1.0 + 1e-9)) << i;
      EXPECT_LE(found.r[i].dot(found.u[i]), 1e-5 * free_speed(problem) * found.r[i].norm()) << i;
    }
  }
}

// The same contacts with other tangents.
Problem turned_tangents(const Problem& problem) {
  Random random(5);
  Problem turned = problem;
  for (Contact& contact : turned.contacts) {
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix();
    contact.drift = turn * contact.drift;
    for (const Side& side : {contact.a, contact.b})
      for (std::uint32_t k = side.first; k < side.first + side.count; ++k)
        turned.entries[k].coefficient = turn * turned.entries[k].coefficient;
  }
  return turned;
}

// Tangents may point anywhere: velocities do not depend on them.
TEST_P(Solvers, DoNotDependOnTheTangents) {
  for (const ReferenceProblem& reference : references()) {
    if (reference.kind == "hair") continue;
    const Options options = options_of(GetParam(), 1e-8);
    const Solution a = solve(reference.problem, options), b = solve(turned_tangents(reference.problem), options);
    EXPECT_LT((a.v - b.v).lpNorm<Eigen::Infinity>(), 1e-5 * free_speed(reference.problem));
  }
}

// With a pyramid in place of the cone they do.
TEST(GaussSeidel, DependsOnTheTangentsWithAPyramid) {
  const Problem& problem = references()[2].problem;
  const auto change = [&](LocalOptions local) {
    Options options = options_of(Solver::gauss_seidel, 1e-8, 2000);
    options.local = local;
    return (solve(problem, options).v - solve(turned_tangents(problem), options).v).lpNorm<Eigen::Infinity>();
  };
  EXPECT_LT(change({LocalMethod::mfb}), 1e-5 * free_speed(problem));
  EXPECT_GT(change({LocalMethod::four_sides, false}), 1e-2 * free_speed(problem));
}

// Units do not matter: masses times s, velocities times c.
TEST_P(Solvers, DoNotDependOnUnits) {
  const ReferenceProblem& reference = references()[2];
  Problem scaled = reference.problem;
  const double s = 1e-5, c = 37.0;
  for (double& value : scaled.matrices) value *= s;
  for (double& value : scaled.f) value *= s * c;
  for (Contact& contact : scaled.contacts) contact.drift *= c;
  const Solution a = solve(reference.problem, options_of(GetParam(), 1e-6)),
                 b = solve(scaled, options_of(GetParam(), 1e-6));
  EXPECT_EQ(a.report.sweeps, b.report.sweeps);
  EXPECT_NEAR(a.report.error, b.report.error, 1e-6 * a.report.error + 1e-8);
}

// Joints: two bodies tied together move as one.
TEST_P(Solvers, JointsHold) {
  Problem problem;
  problem.add_block(0.1 * MatrixXd::Identity(3, 3), Eigen::Vector3d(0.1, 0.0, 0.0));
  problem.add_block(0.3 * MatrixXd::Identity(3, 3), Eigen::Vector3d(0.0, -0.2, 0.0));
  const Side a = problem.add_side(0, MatrixXd::Identity(3, 3)), b = problem.add_side(1, -MatrixXd::Identity(3, 3));
  problem.contacts.push_back({a, b, {0.0, 0.0, 0.0}, 0.0, Law::bilateral});
  const Solution found = solve(problem, options_of(GetParam(), 1e-12));
  EXPECT_LT((found.v.head<3>() - Eigen::Vector3d(0.25, -0.5, 0.0)).norm(), 1e-10);
  EXPECT_LT((found.v.head<3>() - found.v.tail<3>()).norm(), 1e-10);
}

TEST_P(Solvers, ZeroContactsTwinsAndTheImmovable) {
  Problem none;
  none.add_block(MatrixXd::Identity(3, 3), Eigen::Vector3d(1.0, 2.0, 3.0));
  const Solution still = solve(none, options_of(GetParam(), 1e-6));
  EXPECT_EQ(still.report.outcome, Outcome::converged);
  EXPECT_EQ(still.v, Eigen::Vector3d(1.0, 2.0, 3.0));

  Problem twins = on_an_incline(0.6, 0.3);
  const Solution one = solve(twins, options_of(GetParam(), 1e-10));
  twins.contacts.push_back(twins.contacts[0]);
  const Solution both = solve(twins, options_of(GetParam(), 1e-10));
  EXPECT_LT((both.v - one.v).norm(), 1e-9);

  Problem stuck = on_an_incline(0.6, 0.3);
  stuck.contacts.push_back({{}, {}, {-1.0, 0.0, 0.0}, 0.3, Law::coulomb});  // nothing on either side can move
  const Solution found = solve(stuck, options_of(GetParam(), 1e-10));
  EXPECT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_EQ(found.report.immovable, 1u);
  EXPECT_EQ(found.r[1], Eigen::Vector3d::Zero());
}

// With the inverses of its blocks in place of their matrices.
Problem by_inverses(const Problem& problem) {
  Problem out = problem;
  out.clear();
  for (const Block& block : problem.blocks) {
    const Eigen::LLT<MatrixXd> factor(problem.matrix(block));
    const MatrixXd identity = MatrixXd::Identity(Eigen::Index(block.size), Eigen::Index(block.size));
    out.add_compliance(factor.solve(identity), factor.solve(problem.right(block)));
  }
  out.contacts = problem.contacts, out.entries = problem.entries;
  return out;
}

TEST_P(Solvers, TakeBlocksByTheirInverses) {
  for (const ReferenceProblem& reference : references()) {
    if (reference.kind == "hair") continue;
    const Problem inverted = by_inverses(reference.problem);
    ASSERT_TRUE(check(inverted));
    const Solution found = solve(inverted, options_of(GetParam(), 1e-7));
    ASSERT_EQ(found.report.outcome, Outcome::converged);
    EXPECT_LT((flat(found.u) - reference.u).lpNorm<Eigen::Infinity>(),
              100.0 * found.report.error * free_speed(reference.problem) + 1e-12);
    EXPECT_EQ(found.v.size(), reference.v.size());
  }
}

// A body that cannot turn in one direction has a compliance without full rank.
TEST_P(Solvers, TakeSingularCompliances) {
  Problem problem;
  problem.add_compliance(Eigen::Vector3d(10.0, 10.0, 0.0).asDiagonal().toDenseMatrix(),
                         Eigen::Vector3d(-1.0, 2.0, 0.0));
  problem.contacts.push_back({problem.add_side(0, MatrixXd::Identity(3, 3)), {}, {0.0, 0.0, 0.0}, 0.5, Law::coulomb});
  const Solution found = solve(problem, options_of(GetParam(), 1e-8));
  ASSERT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_LT((found.v - Eigen::Vector3d(0.0, 1.5, 0.0)).norm(), 1e-6);
}

// The contacts of a problem that is one island, in the order in which Gauss-Seidel takes them.
Problem in_sweep_order(const Problem& problem) {
  std::vector<std::uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0u);
  const BlockInverses inverses(problem);
  const NodeSpace space(problem, inverses, all);
  Problem out = problem;
  out.contacts.clear();
  for (const std::uint32_t i : strand_pairs(space).order)
    out.contacts.push_back(problem.contacts[space.contacts[i].name]);
  return out;
}

// Both forms of the problem give the same iterates.
// A strand that is touched only where it is held is part of the island, and in nobody's way; a side without entries,
// too.
TEST_P(Solvers, TakeWhatNothingMoves) {
  Problem problem;
  problem.add_block(Eigen::Matrix3d::Identity(), Vector3d(-1.0, 0.1, 0.0));
  problem.add_compliance(Eigen::Matrix3d::Zero(), Vector3d::Zero());
  const double mu = 0.3;
  problem.contacts.push_back({problem.add_side(0, Eigen::Matrix3d::Identity()),
                              problem.add_side(1, -Eigen::Matrix3d::Identity()), Vector3d::Zero(), mu, Law::coulomb});
  problem.contacts.push_back({problem.add_side(0, Eigen::Matrix3d::Zero()), {}, Vector3d::Zero(), mu, Law::coulomb});
  Options options;
  options.solver = GetParam(), options.tolerance = 1e-6;
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.report.outcome, Outcome::converged);
  EXPECT_NEAR(solution.u[0][0], 0.0, 1e-6);
}

// Numbers that overflow are no solution, with friction or without.
TEST_P(Solvers, NameWhatOverflows) {
  for (const double mu : {0.0, 0.3}) {
    Problem problem;
    problem.add_block(1e-100 * Eigen::Matrix3d::Identity(), Vector3d(-1e300, 1e300, 0.0));
    problem.contacts.push_back(
        {problem.add_side(0, Eigen::Matrix3d::Identity()), {}, Vector3d::Zero(), mu, Law::coulomb});
    Options options;
    options.solver = GetParam();
    EXPECT_NE(solve(problem, options).report.outcome, Outcome::converged);
  }
}

// Impulses to begin with may lie anywhere.
TEST_P(WarmSolvers, TakeAnyStart) {
  Problem problem;
  problem.add_block(Eigen::Matrix3d::Identity(), Vector3d(1.0, 0.0, 0.0));  // takes off
  const double mu = 0.3;
  problem.contacts.push_back(
      {problem.add_side(0, Eigen::Matrix3d::Identity()), {}, Vector3d::Zero(), mu, Law::coulomb});
  Options options;
  options.solver = GetParam(), options.tolerance = 1e-9;
  const Solution solution = solve(problem, options, {Vector3d(0.0, 1e-10, 0.0)});
  EXPECT_EQ(solution.report.outcome, Outcome::converged);
  EXPECT_EQ(solution.r[0], Vector3d(Vector3d::Zero()));
}

// A ball of one kilogram that lies in the floor, with a load on it. A push gives way to ten times what the load would
// take (Eq. 43): never, where it is alone.
Problem ball_in_floor(double push, double load) {
  Problem problem;
  problem.add_block(MatrixXd::Identity(3, 3), VectorXd(Eigen::Vector3d(-load, 0.0, 0.0)));
  problem.contacts.push_back(
      {problem.add_side(0, MatrixXd::Identity(3, 3)), {}, Eigen::Vector3d::Zero(), 0.3, Law::coulomb, push, 1.0});
  return problem;
}

TEST_P(WarmSolvers, PushAgainstLoads) {
  for (const double load : {0.0, 0.5, 2.0, 100.0}) {
    const double push = 0.1;
    const Solution found = solve(ball_in_floor(push, load), options_of(GetParam(), 1e-9));
    ASSERT_EQ(found.report.outcome, Outcome::converged) << load;
    const double round_off = 1e-6 * (1.0 + load);
    EXPECT_GE(found.v[0], 0.5 * push - round_off);  // what counts
    EXPECT_LE(found.v[0], push + round_off);
    EXPECT_NEAR(found.r[0][0], load + found.v[0], round_off);
    EXPECT_NEAR(found.pushes[0], found.v[0], round_off);
    EXPECT_NEAR(found.u[0][0], 0.0, round_off);
  }
}

// Between two walls that are closer to each other than it is thick no motion does what both pushes ask for. With hard
// ones there is no solution.
TEST_P(WarmSolvers, FindTheBalanceOfPushesThatContradictEachOther) {
  Problem problem;
  problem.add_block(MatrixXd::Identity(3, 3), VectorXd::Zero(3));
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  problem.contacts.push_back({problem.add_side(0, MatrixXd::Identity(3, 3)), {}, none, 0.3, Law::coulomb, 0.1, 1.0});
  problem.contacts.push_back({problem.add_side(0, -MatrixXd::Identity(3, 3)), {}, none, 0.3, Law::coulomb, 0.04, 1.0});
  const Solution found = solve(problem, options_of(GetParam(), 1e-6));
  ASSERT_EQ(found.report.outcome, Outcome::converged);
  EXPECT_GE(found.v[0], -push_slack * 0.1);
  EXPECT_LE(found.v[0], push_slack * 0.04);
  EXPECT_GE(found.r[0][0], 1.0);  // their strength
  EXPECT_NEAR(found.pushes[0], found.v[0], 1e-6);
  EXPECT_NEAR(found.pushes[1], -found.v[0], 1e-6);
}

TEST(GaussSeidel, IsTheSameWithAndWithoutW) {
  for (const ReferenceProblem& reference : references()) {
    const Problem ordered = in_sweep_order(reference.problem), again = in_sweep_order(ordered);
    Options options = options_of(Solver::gauss_seidel, 1e-14, 20);
    options.freezing = false;
    const Solution free = solve(ordered, options), stored = solve(ExplicitDelassus(again), options);
    double difference = 0.0;
    for (std::size_t i = 0; i < ordered.size(); ++i)
      for (std::size_t j = 0; j < again.size(); ++j)
        if (again.contacts[j].a.first == ordered.contacts[i].a.first &&
            again.contacts[j].b.first == ordered.contacts[i].b.first)
          difference = std::max(difference, (free.u[i] - stored.u[j]).norm());
    EXPECT_LT(difference, 1e-9 * free_speed(reference.problem)) << reference.kind;
  }
}

// Every local solver serves in it; the two that are not exact stop above the tolerance, by themselves.
TEST(GaussSeidel, TakesEveryLocalSolver) {
  const Problem& problem = references()[2].problem;
  for (const std::string_view method : local_method_names()) {
    Options options = options_of(Solver::gauss_seidel, 1e-6);
    options.local = LocalOptions{*local_method_named(method)};
    const Solution safe = solve(problem, options);
    EXPECT_EQ(safe.report.outcome, Outcome::converged) << method;
  }
}

TEST(Gradients, HaveTheSameBitsForAnyNumberOfThreads) {
  const Problem& problem = references().back().problem;
  const int before = thread_count();
  std::vector<Impulses> found;
  for (const int threads : {1, 2, 3, 7}) {
    set_thread_count(threads);
    found.push_back(solve(problem, options_of(Solver::apgd, 1e-4)).r);
  }
  set_thread_count(before);
  for (const Impulses& r : found) EXPECT_EQ(flat(r), flat(found[0]));
}

TEST_P(WarmSolvers, WarmStartsSaveWork) {
  const Problem& problem = references().back().problem;
  const Options options = options_of(GetParam(), 1e-3);
  const Solution cold = solve(problem, options);
  Problem changed = problem;
  for (double& value : changed.f) value *= 1.001;
  const Solution warm = solve(changed, options, cold.r), again = solve(changed, options);
  EXPECT_LT(3 * warm.report.sweeps, again.report.sweeps);
}

TEST(BadProblems, AreNamed) {
  Problem indefinite = on_an_incline(0.6, 0.3);
  indefinite.matrix(indefinite.blocks[0])(1, 1) = -1.0;
  EXPECT_EQ(solve(indefinite, {}).report.outcome, Outcome::not_definite);
  for (const auto spoil : std::initializer_list<void (*)(Problem&)>{
           [](Problem& p) { p.contacts[0].mu = -1.0; }, [](Problem& p) { p.contacts[0].drift[1] = NAN; },
           [](Problem& p) { p.f[0] = INFINITY; }, [](Problem& p) { p.contacts[0].a.block = 7; },
           [](Problem& p) { p.entries[0].unknown = 9; }, [](Problem& p) { p.matrix(p.blocks[0])(0, 1) = 1.0; }}) {
    Problem problem = on_an_incline(0.6, 0.3);
    spoil(problem);
    EXPECT_FALSE(check(problem));
  }
}

// A jam: two walls that close on a body have no solution. Nothing overflows, and it is not called converged.
TEST_P(Solvers, SurviveAJam) {
  Problem problem;
  problem.add_block(0.1 * MatrixXd::Identity(3, 3), Eigen::Vector3d::Zero());
  MatrixXd flipped = MatrixXd::Identity(3, 3);
  flipped(0, 0) = flipped(1, 1) = -1.0;
  problem.contacts.push_back({problem.add_side(0, MatrixXd::Identity(3, 3)), {}, {-1.0, 0.0, 0.0}, 0.5, Law::coulomb});
  problem.contacts.push_back({problem.add_side(0, flipped), {}, {-1.0, 0.0, 0.0}, 0.5, Law::coulomb});
  const Solution found = solve(problem, options_of(GetParam(), 1e-6, 2000));
  EXPECT_NE(found.report.outcome, Outcome::converged);
  EXPECT_TRUE(flat(found.r).allFinite());
}

}  // namespace
}  // namespace tendril::contact
