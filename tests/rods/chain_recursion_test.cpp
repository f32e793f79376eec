// The sweeps that projections of chains are made of, against dense algebra and reference values (docs/theory/chain.md).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/chains.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/block.hpp"

namespace tendril::testing {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using nlohmann::json;

// A block of one chain with its memory.
struct Plain {
  std::vector<double> memory;
  chain::Block<double> block;

  Plain(const std::vector<double>& w, std::span<const double> length)
      : memory(chain::Block<double>::numbers(w.size())), block(w.size(), memory.data()) {
    std::ranges::copy(w, block.w);
    std::ranges::copy(length, block.length);
    block.set_masses();
  }
};

Vec3<double> of(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

TEST(ChainTwoStage, FollowsTheReferenceTraces) {
  const json data = chain_reference("twostage");
  for (const json& trace : data["traces"]) {
    const ChainCase chains = chain_case(trace);
    Plain plain(chains.inverse_mass, chains.length);
    chain::Block<double>& b = plain.block;
    const Vector3d origin = chains.prediction[0];
    for (std::size_t i = 0; i < b.points; ++i) b.p[i] = of(Vector3d(chains.prediction[i] - origin));
    for (std::size_t i = 0; i < b.links; ++i)
      b.z[i] = chain::Block<double>::in_length(of(Vector3d(chains.start[i] - chains.start[i + 1])), b.length[i], {});
    b.place(b.z, b.x);
    for (const json& at : trace["iterations"]) {
      b.multipliers();
      const std::vector<Vector3d> z = vectors(at["z"]);
      for (std::size_t i = 0; i < b.links; ++i) {
        EXPECT_LT((of(b.z[i]) - z[i]).norm(), 1e-10);
        EXPECT_NEAR(b.lam[i], at["lam"][i].get<double>(), 1e-10);
      }
      EXPECT_NEAR(b.sizes.sum, at["residual"].get<double>(), 1e-10);
      b.two_stage_step();
      b.try_step(1.0);
      std::swap(b.z, b.trial_z), std::swap(b.x, b.trial_x);
    }
  }
}

// [A Qᵀ; Q 0] of the free points and the links, dense.
struct DenseKkt {
  MatrixXd matrix;
  VectorXd right;
  std::vector<Index> row;  // of points; -1: held
  Index unknowns = 0;

  DenseKkt(const std::vector<double>& w, const std::vector<double>& D, const std::vector<Vector3d>& z,
           const std::vector<Vector3d>& g) {
    const std::size_t n = w.size();
    for (const double one : w) row.push_back(one > 0.0 ? std::exchange(unknowns, unknowns + 3) : -1);
    matrix = MatrixXd::Zero(unknowns + Index(n) - 1, unknowns + Index(n) - 1);
    right = VectorXd::Zero(matrix.rows());
    for (std::size_t i = 0; i < n; ++i) {
      if (row[i] < 0) continue;
      matrix.block<3, 3>(row[i], row[i]) += Eigen::Matrix3d::Identity() / w[i];
      right.segment<3>(row[i]) = g[i];
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const Index link = unknowns + Index(i);
      for (const auto& [a, sign] : {std::pair{row[i], 1.0}, std::pair{row[i + 1], -1.0}}) {
        if (a < 0) continue;
        matrix.block<3, 3>(a, a) += D[i] * Eigen::Matrix3d::Identity();
        matrix.block<3, 1>(a, link) = sign * z[i], matrix.block<1, 3>(link, a) = sign * z[i].transpose();
      }
      if (row[i] < 0 || row[i + 1] < 0) continue;
      matrix.block<3, 3>(row[i], row[i + 1]) -= D[i] * Eigen::Matrix3d::Identity();
      matrix.block<3, 3>(row[i + 1], row[i]) -= D[i] * Eigen::Matrix3d::Identity();
    }
  }
  // Of A on the null space of Q.
  double smallest_reduced_eigenvalue() const {
    const Index links = matrix.rows() - unknowns;
    const MatrixXd Q = matrix.bottomLeftCorner(links, unknowns);
    const Eigen::FullPivLU<MatrixXd> lu(Q);
    const MatrixXd kernel = lu.kernel();
    if (lu.dimensionOfKernel() == 0) return 1.0;
    const MatrixXd basis =
        Eigen::HouseholderQR<MatrixXd>(kernel).householderQ() * MatrixXd::Identity(unknowns, lu.dimensionOfKernel());
    const MatrixXd reduced = basis.transpose() * matrix.topLeftCorner(unknowns, unknowns) * basis;
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(reduced).eigenvalues()[0];
  }
};

struct RandomSystem {
  std::vector<double> w, D;
  std::vector<Vector3d> z, g;

  RandomSystem(std::uint64_t seed, std::size_t points, bool root_held, bool tip_held, double lowest) {
    Random random(seed);
    for (std::size_t i = 0; i < points; ++i) {
      w.push_back(random.uniform(0.3, 3.0));
      g.emplace_back(random.normal(), random.normal(), random.normal());
      if (i == 0) continue;
      D.push_back(random.uniform(lowest, 1.0));
      z.emplace_back(random.normal(), random.normal(), random.normal());
    }
    if (root_held) w.front() = 0.0, g.front().setZero();
    if (tip_held) w.back() = 0.0, g.back().setZero();
  }
};

bool solve(const RandomSystem& system, bool tip_held, Plain& plain) {
  chain::Block<double>& b = plain.block;
  b.tip_held = tip_held;
  for (std::size_t i = 0; i < b.points; ++i) b.g[i] = of(system.g[i]);
  for (std::size_t i = 0; i < b.links; ++i) b.z[i] = of(system.z[i]), b.lam[i] = system.D[i];
  const bool is_definite = b.eliminate({});
  b.newton_step({});
  return is_definite;
}

TEST(ChainRecursion, IsADenseSolveWhateverIsHeld) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const bool root = seed % 2 != 0, tip = seed % 4 > 1;
    const RandomSystem system(seed, 3 + seed, root, tip, 0.0);
    const std::vector<double> lengths(system.z.size(), 1.0);
    Plain plain(system.w, lengths);
    EXPECT_TRUE(solve(system, tip, plain));
    const DenseKkt dense(system.w, system.D, system.z, system.g);
    const VectorXd solution = dense.matrix.fullPivLu().solve(dense.right);
    for (std::size_t i = 0; i < system.w.size(); ++i) {
      const Vector3d expected = dense.row[i] < 0 ? Vector3d(0, 0, 0) : Vector3d(solution.segment<3>(dense.row[i]));
      EXPECT_LT((of(plain.block.dx[i]) - expected).norm(), 1e-11 * (1.0 + expected.norm())) << seed << " " << i;
    }
  }
}

TEST(ChainRecursion, KnowsWhetherTheReducedHessianIsDefinite) {
  int definite = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const bool root = seed % 2 != 0, tip = seed % 4 > 1;
    const RandomSystem system(1000 + seed, 3 + seed % 6, root, tip, -1.0);
    const std::vector<double> lengths(system.z.size(), 1.0);
    Plain plain(system.w, lengths);
    const bool found = solve(system, tip, plain);
    const double smallest = DenseKkt(system.w, system.D, system.z, system.g).smallest_reduced_eigenvalue();
    EXPECT_EQ(found, smallest > 0.0) << seed << ": " << smallest;
    definite += found;
  }
  EXPECT_GT(definite, 100);  // both sorts are there
  EXPECT_LT(definite, 380);
}

TEST(ChainRecursion, SolvesTheReferenceSystemsWithFreeTips) {
  int solved = 0;
  const json data = chain_reference("kkt");
  for (const json& from : data["systems"]) {
    const auto w = from["w"].get<std::vector<double>>();
    const auto rc = from["rc"].get<std::vector<double>>();
    if (std::ranges::count(w, 0.0) > (w.front() == 0.0) + (w.back() == 0.0)) continue;
    // Feasible iterates have no gaps: what they add is linear, so that a dense solve without them is the judge.
    RandomSystem system(0, w.size(), false, false, 0.0);
    system.w = w, system.D = from["D"].get<std::vector<double>>();
    system.z = vectors(from["z"]), system.g = vectors(from["rx"]);
    const std::vector<double> lengths(system.z.size(), 1.0);
    Plain plain(w, lengths);
    solve(system, w.back() == 0.0, plain);
    const DenseKkt dense(w, system.D, system.z, system.g);
    VectorXd right = dense.right;
    const VectorXd without = dense.matrix.fullPivLu().solve(right);
    for (std::size_t i = 0; i < rc.size(); ++i) right[dense.unknowns + Index(i)] = rc[i];
    const VectorXd with = dense.matrix.fullPivLu().solve(right);
    const std::vector<Vector3d> dx = vectors(from["dx"]);
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (dense.row[i] < 0) continue;
      EXPECT_LT((Vector3d(with.segment<3>(dense.row[i])) - dx[i]).norm(), 1e-11 * (1.0 + dx[i].norm()));
      EXPECT_LT((of(plain.block.dx[i]) - Vector3d(without.segment<3>(dense.row[i]))).norm(), 1e-11);
    }
    ++solved;
  }
  EXPECT_GE(solved, 3);
}

}  // namespace
}  // namespace tendril::testing
