// Strands that hang on each other (docs/theory/chain.md, "Trees of strands"): the elimination against dense algebra,
// the projection against its conditions of optimality and against trees without joints, and which strands make a tree.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/chains.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/kkt_tree.hpp"
#include "tendril/rods/chain/project.hpp"
#include "tendril/rods/chain/tree.hpp"
#include "tendril/rods/chain/trees.hpp"

namespace tendril::testing {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Vector3d normal3(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

// Strands of a tree one after the other: each goes on from its last node, a new one begins at any earlier node.
std::vector<std::uint32_t> random_parents(Random& random, std::size_t nodes) {
  std::vector<std::uint32_t> parents(nodes, 0);
  for (std::size_t i = 1; i < nodes; ++i) {
    const bool branches = random.uniform(0.0, 1.0) < 0.25;
    parents[i] = branches ? std::uint32_t(random.uniform(0.0, double(i))) : std::uint32_t(i - 1);
  }
  return parents;
}

// Everything that Newton's system of a tree can hold.
struct RandomSystem {
  std::vector<std::uint32_t> parents;
  std::vector<double> mass, D, softness, stiffness, share;
  std::vector<char> is_free, active;
  std::vector<Vector3d> z;
  chain::BendingMatrix bending;

  RandomSystem(Random& random, std::size_t n, double least_D, bool is_soft) : parents(random_parents(random, n)) {
    mass.resize(n), D.resize(n - 1), stiffness.resize(n), share.resize(n - 1), z.resize(n - 1);
    is_free.assign(n, 1), active.assign(n - 1, 1);
    for (double& m : mass) m = random.uniform(0.5, 2.0);
    for (double& d : D) d = random.uniform(least_D, 1.0);
    for (double& a : share) a = random.uniform(0.5, 2.0);
    for (Vector3d& link : z) link = normal3(random);
    for (std::size_t i = 0; i < n; ++i) {
      const bool has_joint = i + 1 < n && parents[i + 1] == i;
      stiffness[i] = has_joint ? random.uniform(0.0, 2.0) : 0.0;
    }
    if (random.uniform(0.0, 1.0) < 0.7) is_free[0] = 0;
    if (is_free[0] == 0 && random.uniform(0.0, 1.0) < 0.5) is_free[1] = 0;
    if (is_soft) {
      softness.resize(n - 1);
      for (double& a : softness) a = random.uniform(0.0, 0.3);
      active[n / 2] = 0;
    }
    bending.assemble({stiffness, share, {}, parents}, n);
  }

  chain::KktTerms terms() const { return {mass, is_free, bending, D, softness, active, parents}; }
  std::size_t nodes() const { return mass.size(); }
  bool has_link(std::size_t k) const { return active[k] != 0 && is_free[k + 1] != 0; }

  // A of all nodes, as numbers.
  MatrixXd hessian() const {
    const auto n = Index(nodes());
    MatrixXd sum = VectorXd::Map(mass.data(), n).asDiagonal();
    const auto add = [&](double k, const VectorXd& row) { sum += k * row * row.transpose(); };
    for (Index i = 0; i < n; ++i) {
      VectorXd bend = VectorXd::Zero(n);
      if (i > 0) {
        VectorXd difference = VectorXd::Zero(n);
        difference[parents[std::size_t(i)]] += 1.0, difference[i] -= 1.0;
        add(D[std::size_t(i) - 1], difference), bend += share[std::size_t(i) - 1] * difference;
      }
      if (i + 1 < n && parents[std::size_t(i) + 1] == std::uint32_t(i))
        bend[i] -= share[std::size_t(i)], bend[i + 1] += share[std::size_t(i)];
      add(stiffness[std::size_t(i)], bend);
    }
    return sum;
  }
  // Of three numbers per free node.
  MatrixXd dense_hessian(const std::vector<Index>& free) const {
    const MatrixXd A = hessian();
    MatrixXd all = MatrixXd::Zero(Index(3 * free.size()), Index(3 * free.size()));
    for (std::size_t a = 0; a < free.size(); ++a)
      for (std::size_t b = 0; b < free.size(); ++b)
        all.block<3, 3>(Index(3 * a), Index(3 * b)) = A(free[a], free[b]) * Eigen::Matrix3d::Identity();
    return all;
  }
  std::vector<Index> free_nodes() const {
    std::vector<Index> free;
    for (std::size_t i = 0; i < nodes(); ++i)
      if (is_free[i] != 0) free.push_back(Index(i));
    return free;
  }
  // Rows of links that have an equation.
  MatrixXd links(const std::vector<Index>& free) const {
    std::vector<Index> place(nodes(), -1);
    for (std::size_t a = 0; a < free.size(); ++a) place[std::size_t(free[a])] = Index(a);
    MatrixXd rows(0, Index(3 * free.size()));
    for (std::size_t k = 0; k + 1 < nodes(); ++k) {
      if (!has_link(k)) continue;
      rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
      rows.bottomRows<1>().setZero();
      if (const Index at = place[parents[k + 1]]; at >= 0) rows.block<1, 3>(rows.rows() - 1, 3 * at) = z[k].transpose();
      rows.block<1, 3>(rows.rows() - 1, 3 * place[k + 1]) = -z[k].transpose();
    }
    return rows;
  }
};

TEST(KktTree, SolvesTheSystemThatIsWritten) {
  Random random(11, 0);
  for (int trial = 0; trial < 100; ++trial) {
    const RandomSystem system(random, 4 + std::size_t(trial) % 20, 0.0, trial % 3 == 0);
    chain::KktTree tree;
    ASSERT_TRUE(tree.factorise(system.terms(), system.z));
    EXPECT_TRUE(tree.is_definite());
    EXPECT_TRUE(tree.is_convex(system.terms()));
    std::vector<Vector3d> force(system.nodes());
    for (Vector3d& f : force) f = normal3(random);
    std::vector<Vector3d> moves = force;
    std::vector<double> gaps(system.nodes() - 1, 0.25);
    tree.solve(moves, gaps);
    const MatrixXd A = system.hessian();
    for (std::size_t i = 0; i < system.nodes(); ++i) {
      if (system.is_free[i] == 0) {
        EXPECT_EQ(moves[i], Vector3d::Zero());
        continue;
      }
      Vector3d left = -force[i];
      for (std::size_t j = 0; j < system.nodes(); ++j) left += A(Index(i), Index(j)) * moves[j];
      for (std::size_t k = 0; k + 1 < system.nodes(); ++k) {
        if (system.parents[k + 1] == i) left += gaps[k] * system.z[k];
        if (k + 1 == i) left -= gaps[k] * system.z[k];
      }
      EXPECT_LT(left.norm(), 1e-11);
    }
    for (std::size_t k = 0; k + 1 < system.nodes(); ++k) {
      if (!system.has_link(k)) {
        EXPECT_EQ(gaps[k], 0.0);
        continue;
      }
      const double soft = system.softness.empty() ? 0.0 : system.softness[k];
      EXPECT_NEAR(system.z[k].dot(moves[system.parents[k + 1]] - moves[k + 1]) - soft * gaps[k], 0.25, 1e-11);
    }
  }
}

TEST(KktTree, KnowsWhetherTheReducedHessianIsDefinite) {
  Random random(12, 0);
  int definite = 0, trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    const RandomSystem system(random, 4 + std::size_t(trial) % 9, -4.0, false);
    chain::KktTree tree;
    if (!tree.factorise(system.terms(), system.z)) continue;
    const std::vector<Index> free = system.free_nodes();
    const MatrixXd kernel = system.links(free).fullPivLu().kernel(), H = system.dense_hessian(free);
    const double least =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(kernel.transpose() * H * kernel).eigenvalues().minCoeff();
    EXPECT_EQ(tree.is_definite(), least > 0.0) << "trial " << trial << ", least eigenvalue " << least;
    EXPECT_EQ(tree.is_convex(system.terms()),
              Eigen::SelfAdjointEigenSolver<MatrixXd>(H).eigenvalues().minCoeff() > 0.0);
    definite += least > 0.0;
  }
  EXPECT_GT(definite, trials / 10);
  EXPECT_LT(definite, trials * 9 / 10);
}

// A tree to be projected, at rest where it starts.
struct TreeCase {
  std::vector<std::uint32_t> parents, offsets;
  std::vector<Vector3d> prediction, start, rest;
  std::vector<double> inverse_mass, length, stiffness, share;

  TreeCase(Random& random, std::size_t n, double noise) : parents(random_parents(random, n)) {
    offsets = {0, std::uint32_t(n)};
    inverse_mass.push_back(0.0), start.push_back(Vector3d::Zero());
    for (std::size_t i = 1; i < n; ++i) {
      length.push_back(random.uniform(0.5, 1.5)), inverse_mass.push_back(random.uniform(0.5, 2.0));
      start.push_back(start[parents[i]] + length.back() * normal3(random).normalized());
    }
    for (const Vector3d& x : start) prediction.push_back(x + noise * normal3(random));
    prediction[0] = start[0];
  }
  void add_joints(Random& random) {
    const std::size_t n = start.size();
    for (std::size_t i = 0; i < n; ++i) {
      const bool has_joint = i + 1 < n && parents[i + 1] == i;
      stiffness.push_back(has_joint ? random.uniform(0.1, 3.0) : 0.0);
      rest.push_back(0.3 * normal3(random));
      if (i > 0) share.push_back(1.0 / length[i - 1]);
    }
  }
  chain::Chains view() const {
    chain::Chains all{prediction, inverse_mass, length, offsets, start};
    all.parents = parents;
    if (!stiffness.empty()) all.joints = {stiffness, share, rest, parents};
    return all;
  }
  chain::Projections project(const chain::Chains& chains) const {
    chain::Options options;
    options.tolerance = 1e-11;
    chain::Projections found;
    chain::Projector().project(chains, options, found);
    return found;
  }
  double violation(std::span<const Vector3d> x) const {
    double worst = 0.0;
    for (std::size_t i = 1; i < x.size(); ++i)
      worst = std::max(worst, std::abs((x[parents[i]] - x[i]).norm() / length[i - 1] - 1.0));
    return worst;
  }
};

TEST(StrandTrees, WithoutJointsAreWhatTreesOfLinksAre) {
  Random random(13, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const TreeCase tree(random, 5 + std::size_t(trial), 0.2);
    const chain::Projections found = tree.project(tree.view());
    ASSERT_EQ(found.chains[0].status, chain::Status::ok);
    std::vector<double> length = tree.length;
    length.insert(length.begin(), 1.0);
    std::vector<std::uint32_t> parents = tree.parents;
    parents[0] = chain::no_parent;
    chain::Options options;
    options.tolerance = 1e-11;
    const chain::TreeProjection other =
        chain::project_tree({tree.prediction, tree.inverse_mass, length, parents, tree.start}, options);
    if (!found.chains[0].certified || !other.outcome.certified) continue;  // each may have found a place of its own
    for (std::size_t i = 0; i < parents.size(); ++i)
      EXPECT_LT((found.positions[i] - other.positions[i]).norm(), 1e-9) << "trial " << trial;
  }
}

TEST(StrandTrees, WithJointsAreWhereNothingPushes) {
  Random random(14, 0);
  for (int trial = 0; trial < 60; ++trial) {
    TreeCase tree(random, 6 + std::size_t(trial) / 2, 0.2);
    tree.add_joints(random);
    const chain::Projections found = tree.project(tree.view());
    EXPECT_LE(found.chains[0].status, chain::Status::round_off)
        << "trial " << trial << " after " << found.chains[0].iterations << ", residual " << found.chains[0].residual;
    EXPECT_LT(tree.violation(found.positions), 1e-12);
    std::vector<Vector3d> x = found.positions;
    const auto lagrangian = [&] {
      double sum = 0.0;
      for (std::size_t i = 1; i < x.size(); ++i) {
        const Vector3d link = x[tree.parents[i]] - x[i];
        sum += 0.5 * (x[i] - tree.prediction[i]).squaredNorm() / tree.inverse_mass[i];
        sum += 0.5 * found.multipliers[i - 1] * (link.squaredNorm() - tree.length[i - 1] * tree.length[i - 1]);
        if (i + 1 == x.size() || tree.parents[i + 1] != i) continue;
        const Vector3d bend = tree.share[i - 1] * link - tree.share[i] * (x[i] - x[i + 1]) - tree.rest[i];
        sum += 0.5 * tree.stiffness[i] * bend.squaredNorm();
      }
      if (tree.parents[1] == 0)  // the joint at the root is to the direction of its rest
        sum += 0.5 * tree.stiffness[0] * (-tree.share[0] * (x[0] - x[1]) - tree.rest[0]).squaredNorm();
      return sum;
    };
    for (std::size_t i = 1; i < x.size(); ++i)
      for (double& number : x[i]) {
        constexpr double h = 1e-5;
        const double kept = number;
        number = kept + h;
        const double above = lagrangian();
        number = kept - h;
        const double below = lagrangian();
        number = kept;
        EXPECT_NEAR((above - below) / (2.0 * h), 0.0, 1e-7) << "trial " << trial << ", node " << i;
      }
  }
}

// The path to a chain that does not branch is the other one.
TEST(StrandTrees, OfOneStrandIsAChain) {
  Random random(15, 0);
  TreeCase tree(random, 12, 0.1);
  for (std::uint32_t i = 1; i < tree.parents.size(); ++i) tree.parents[i] = i - 1;
  tree.start.assign(1, Vector3d::Zero());
  for (std::size_t i = 1; i < tree.parents.size(); ++i)
    tree.start.push_back(tree.start[i - 1] + tree.length[i - 1] * normal3(random).normalized());
  tree.prediction = tree.start;
  for (std::size_t i = 1; i < tree.parents.size(); ++i) tree.prediction[i] += 0.1 * normal3(random);
  tree.add_joints(random);
  chain::Chains plain = tree.view();
  plain.parents = {}, plain.joints.parents = {};
  const chain::Projections branched = tree.project(tree.view()), straight = tree.project(plain);
  for (std::size_t i = 0; i < tree.parents.size(); ++i)
    EXPECT_LT((branched.positions[i] - straight.positions[i]).norm(), 1e-10);
}

TEST(StrandTrees, RefusesWhatCannotBeWalkedOver) {
  Random random(16, 0);
  TreeCase tree(random, 8, 0.1);
  const auto status = [&] { return tree.project(tree.view()).chains[0].status; };
  EXPECT_EQ(status(), chain::Status::ok);
  tree.parents[3] = 5;
  EXPECT_EQ(status(), chain::Status::bad_input);
  tree.parents[3] = 2, tree.parents[5] = 4, tree.inverse_mass[5] = 0.0;  // held, but not its parent
  EXPECT_EQ(status(), chain::Status::bad_input);
}

TEST(Trees, AreMadeOfTies) {
  const std::vector<std::uint32_t> offsets = {0, 4, 7, 10, 12};
  const std::vector<chain::Tie> ties = {{3, 2, 1}, {2, 0, 3}};
  const Result<chain::Trees> made = chain::Trees::create(offsets, ties);
  ASSERT_TRUE(made);
  const chain::Trees& trees = made.value();
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees.tree_of(1), chain::Trees::none);
  const auto equal = [](auto span, std::vector<std::uint32_t> expected) { return std::ranges::equal(span, expected); };
  EXPECT_TRUE(equal(trees.strands(0), {0, 2, 3}));
  EXPECT_TRUE(equal(trees.vertices(0), {0, 1, 2, 3, 8, 9, 11}));
  EXPECT_TRUE(equal(trees.parents(0), {0, 0, 1, 2, 3, 4, 4}));
  EXPECT_TRUE(equal(trees.links(0), {0, 1, 2, 5, 6, 7}));  // strand 2 has its links from 5 on, strand 3 its one at 7
  ASSERT_EQ(trees.twins(0).size(), 2u);
  EXPECT_EQ(trees.twins(0)[0].vertex, 7u);
  EXPECT_EQ(trees.twins(0)[0].node, 3u);
  EXPECT_EQ(trees.twins(0)[1].vertex, 10u);
  EXPECT_EQ(trees.twins(0)[1].node, 4u);
}

TEST(Trees, SayWhatIsWrong) {
  const std::vector<std::uint32_t> offsets = {0, 4, 7, 10};
  const auto message = [&](std::vector<chain::Tie> ties) {
    const Result<chain::Trees> made = chain::Trees::create(offsets, ties);
    return made ? std::string() : made.error().message();
  };
  EXPECT_EQ(message({{1, 0, 2}}), "");
  EXPECT_NE(message({{1, 2, 1}, {2, 1, 1}}).find("hangs on itself"), std::string::npos);
  EXPECT_NE(message({{1, 0, 1}, {1, 2, 1}}).find("hangs on two others"), std::string::npos);
  EXPECT_NE(message({{1, 0, 4}}).find("vertex 4 of strand 0, which has 4"), std::string::npos);
  EXPECT_NE(message({{5, 0, 0}}).find("names strand 5; there are 3"), std::string::npos);
}

}  // namespace
}  // namespace tendril::testing
