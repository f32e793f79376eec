// Newton's equations of trees of points, by elimination from the leaves (docs/theory/chain.md, Eq. 16), against dense
// ones.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/chain_trees.hpp"
#include "tendril/rods/chain/link_newton.hpp"

namespace tendril::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Newton's equations of a tree whose nodes come after their parents, written out; a held root has no rows.
struct DenseNewton {
  TreeCase tree;
  std::vector<Vector3d> z;
  std::vector<double> mass, D;
  std::vector<std::uint32_t> parent;
  MatrixXd A, J;

  DenseNewton(const TreeCase& of, std::vector<double> with) : tree(of), z(of.size()), D(std::move(with)) {
    parent = tree.parents, parent[0] = 0;
    const auto n = Eigen::Index(tree.size()), skip = Eigen::Index(tree.inverse_mass[0] == 0.0 ? 3 : 0);
    MatrixXd all = MatrixXd::Zero(3 * n, 3 * n), links = MatrixXd::Zero(n - 1, 3 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      mass.push_back(tree.mass(std::size_t(i)));
      all.block<3, 3>(3 * i, 3 * i) += mass.back() * Eigen::Matrix3d::Identity();
      if (i == 0) continue;
      const auto up = Eigen::Index(parent[std::size_t(i)]);
      z[std::size_t(i)] = tree.start[std::size_t(up)] - tree.start[std::size_t(i)];
      const Eigen::Matrix3d stiffness = D[std::size_t(i)] * Eigen::Matrix3d::Identity();
      all.block<3, 3>(3 * i, 3 * i) += stiffness, all.block<3, 3>(3 * up, 3 * up) += stiffness;
      all.block<3, 3>(3 * i, 3 * up) -= stiffness, all.block<3, 3>(3 * up, 3 * i) -= stiffness;
      links.block<1, 3>(i - 1, 3 * up) = z[std::size_t(i)].transpose();
      links.block<1, 3>(i - 1, 3 * i) = -z[std::size_t(i)].transpose();
    }
    A = all.bottomRightCorner(3 * n - skip, 3 * n - skip), J = links.rightCols(3 * n - skip);
  }

  chain::Branches branches() const { return {parent, mass, tree.inverse_mass[0] == 0.0}; }

  // Of the Hessian on moves that keep the links.
  double smallest_eigenvalue() const {
    const MatrixXd full = Eigen::HouseholderQR<MatrixXd>(J.transpose()).householderQ();
    const MatrixXd keeps = full.rightCols(J.cols() - J.rows());
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(keeps.transpose() * A * keeps).eigenvalues()[0];
  }

  VectorXd solve(const VectorXd& g) const {
    const Eigen::Index free = A.rows(), links = J.rows();
    MatrixXd all = MatrixXd::Zero(free + links, free + links);
    all.topLeftCorner(free, free) = A, all.topRightCorner(free, links) = J.transpose();
    all.bottomLeftCorner(links, free) = J;
    VectorXd right = VectorXd::Zero(free + links);
    right.head(free) = g;
    return all.partialPivLu().solve(right);
  }
};

std::vector<double> random_numbers(Random& random, std::size_t nodes, double low, double high) {
  std::vector<double> made(nodes, 0.0);
  for (std::size_t i = 1; i < nodes; ++i) made[i] = random.uniform(low, high);
  return made;
}

// Numbers of links for trees of 25 nodes: none, all tensions, or as much compression as leaves the Hessian positive
// definite on the links.
std::vector<double> definite_numbers(const TreeCase& tree, std::uint64_t kind, Random& random) {
  if (kind == 0) return std::vector<double>(tree.size(), 0.0);
  if (kind == 1) return random_numbers(random, tree.size(), 0.0, 2.0);
  for (double low = -1.0;; low *= 0.95) {
    const DenseNewton dense(tree, random_numbers(random, tree.size(), low, 1.0));
    if (dense.smallest_eigenvalue() > 1e-3) return dense.D;
  }
}

TEST(ChainTree, RecursionSolvesNewtonsEquations) {
  int indefinite = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    TreeCase tree = uneven_tree(seed, 25, 0.0);
    const Eigen::Index held = seed % 2 == 0 ? 1 : 0;
    if (held == 0) tree.inverse_mass[0] = 0.7;
    Random random(seed, 7);
    const DenseNewton dense(tree, definite_numbers(tree, seed % 3, random));
    indefinite += Eigen::SelfAdjointEigenSolver<MatrixXd>(dense.A).eigenvalues()[0] < 0.0;
    chain::LinkNewton newton;
    ASSERT_TRUE(newton.eliminate(dense.branches(), dense.z, dense.D)) << "tree " << seed;

    std::vector<Vector3d> g(25), dx(25);
    std::vector<double> mu(25);
    for (Vector3d& force : g) force = normal_vector(random);
    if (held == 1) g[0].setZero();
    newton.solve(dense.branches(), dense.z, dense.D, g, dx, mu);

    const Eigen::Index free = dense.A.rows();
    VectorXd right(free), got(free + 24);
    for (Eigen::Index i = held; i < 25; ++i) {
      right.segment<3>(3 * (i - held)) = g[std::size_t(i)];
      got.segment<3>(3 * (i - held)) = dx[std::size_t(i)];
    }
    for (Eigen::Index i = 1; i < 25; ++i) got[free + i - 1] = mu[std::size_t(i)];
    const VectorXd expected = dense.solve(right);
    EXPECT_LT((got - expected).norm(), 1e-11 * expected.norm()) << "tree " << seed;
  }
  EXPECT_GT(indefinite, 3);
}

TEST(ChainTree, KnowsWhetherTheReducedHessianIsPositiveDefinite) {
  int definite = 0, in_all = 0;
  chain::LinkNewton newton;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    Random random(seed, 3);
    const std::size_t nodes = 2 + random.below(14);
    TreeCase tree = seed % 4 < 2 ? random_tree(seed, nodes, 0.0) : uneven_tree(seed, nodes, 0.0);
    if (seed % 2 == 1) tree.inverse_mass[0] = 1.0;
    const DenseNewton dense(tree, random_numbers(random, nodes, -1.0, 1.0));
    const double smallest = dense.smallest_eigenvalue();
    ASSERT_GT(std::abs(smallest), 1e-9);
    EXPECT_EQ(newton.eliminate(dense.branches(), dense.z, dense.D), smallest > 0.0) << seed << ": " << smallest;
    definite += smallest > 0.0, ++in_all;
  }
  EXPECT_GT(definite, 100);
  EXPECT_GT(in_all - definite, 100);
}

// The node in the middle is unstable along the link to the root, and that link alone keeps it in place. A test that
// asks every node by itself would call this a saddle.
TEST(ChainTree, KnowsThatALinkKeepsItsNodeStable) {
  TreeCase tree;
  tree.start = {Vector3d::Zero(), {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 1.0}};
  tree.prediction = tree.start;
  tree.parents = {no_parent, 0, 1, 1};
  tree.inverse_mass = {0.0, 1.0, 0.01, 0.01};
  tree.length.assign(4, 1.0);
  chain::LinkNewton newton;
  for (const auto& [own, expected] : {std::pair{-1.5, true}, {-3.0, true}, {-60.0, true}, {-120.0, false}}) {
    const DenseNewton dense(tree, {0.0, own, 0.5, 0.5});
    EXPECT_EQ(dense.smallest_eigenvalue() > 0.0, expected) << own;
    EXPECT_EQ(newton.eliminate(dense.branches(), dense.z, dense.D), expected) << own;
  }
}

TEST(ChainTree, IsCertifiedExactlyIfTheHessianIsPositiveDefinite) {
  int certified = 0, solved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TreeCase tree = seed % 2 == 0 ? random_tree(seed, 20, 0.2) : uneven_tree(seed, 20, 0.2);
    if (seed % 4 > 1) tree.inverse_mass[0] = 1.0;
    for (Vector3d& x : tree.prediction) x *= 1.0 - 0.004 * double(seed % 100);  // compressed
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    if (found.outcome.status > chain::Status::round_off) continue;
    const double smallest =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(DenseNewton(tree, found.multipliers).A).eigenvalues()[0];
    EXPECT_EQ(found.outcome.certified, smallest > 0.0) << seed << ": " << smallest;
    certified += found.outcome.certified, ++solved;
  }
  EXPECT_GT(solved, 190);
  EXPECT_GT(certified, 30);
  EXPECT_GT(solved - certified, 30);
}

}  // namespace
}  // namespace tendril::testing
