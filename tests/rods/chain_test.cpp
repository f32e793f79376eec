// Projection of chains: its parts against dense algebra, symmetries, order of convergence, statuses, lanes and single
// precision (docs/theory/chain.md).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/chains.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/block.hpp"
#include "tendril/rods/chain/held_run.hpp"

namespace tendril::testing {
namespace {

using chain::Method;
using chain::Status;
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

chain::Options tight() {
  chain::Options options;
  options.tolerance = 1e-12, options.max_iterations = 400;
  return options;
}

double apart(std::span<const Vector3d> a, std::span<const Vector3d> b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

TEST(ChainProjection, TurnsAndMovesWithItsPrediction) {
  const ChainCase chains = noisy_chain(3, 25, 0.3);
  const chain::Projections plain = project(chains, tight());
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const Vector3d by(3.0, -2.0, 5.0);
  ChainCase moved = chains;
  for (Vector3d& x : moved.prediction) x = turn * x + by;
  for (Vector3d& x : moved.start) x = turn * x + by;
  chain::Projections found = project(moved, tight());
  for (Vector3d& x : found.positions) x = turn.transpose() * (x - by);
  EXPECT_LT(apart(found.positions, plain.positions), 1e-12);
}

TEST(ChainProjection, DoesNotKnowWhichEndComesFirst) {
  for (const bool held : {true, false}) {
    ChainCase chains = noisy_chain(4, 25, 0.3);
    if (!held) chains.inverse_mass[0] = 2.0;
    ChainCase reversed = chains;
    std::ranges::reverse(reversed.prediction), std::ranges::reverse(reversed.start);
    std::ranges::reverse(reversed.inverse_mass), std::ranges::reverse(reversed.length);
    chain::Projections a = project(chains, tight()), b = project(reversed, tight());
    std::ranges::reverse(b.positions), std::ranges::reverse(b.multipliers);
    EXPECT_LT(apart(a.positions, b.positions), 1e-11);
    for (std::size_t i = 0; i < a.multipliers.size(); ++i) EXPECT_NEAR(a.multipliers[i], b.multipliers[i], 1e-10);
  }
}

TEST(ChainProjection, ScalesWithMassesAndLengths) {
  const ChainCase chains = noisy_chain(5, 25, 0.3);
  const chain::Projections plain = project(chains, tight());
  ChainCase heavy = chains, small = chains;
  for (double& w : heavy.inverse_mass) w /= 64.0;
  for (Vector3d& x : small.prediction) x /= 128.0;
  for (Vector3d& x : small.start) x /= 128.0;
  for (double& l : small.length) l /= 128.0;
  const chain::Projections of_heavy = project(heavy, tight());
  chain::Projections of_small = project(small, tight());
  for (Vector3d& x : of_small.positions) x *= 128.0;
  EXPECT_LT(apart(of_heavy.positions, plain.positions), 1e-12);
  EXPECT_LT(apart(of_small.positions, plain.positions), 1e-12);
  for (std::size_t i = 0; i < plain.multipliers.size(); ++i) {
    EXPECT_NEAR(of_heavy.multipliers[i], 64.0 * plain.multipliers[i], 1e-9);
    EXPECT_NEAR(of_small.multipliers[i], plain.multipliers[i], 1e-10);
  }
}

TEST(ChainProjection, LeavesAProjectionWhereItIs) {
  ChainCase chains = noisy_chain(6, 40, 1.0);
  chains.prediction = project(chains, tight()).positions;
  const chain::Projections again = project(chains, tight());
  EXPECT_LT(apart(again.positions, chains.prediction), 1e-11);
  for (const double lam : again.multipliers) EXPECT_NEAR(lam, 0.0, 1e-11);
}

TEST(ChainProjection, IsCertifiedForRandomChains) {
  int certified = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ChainCase chains = noisy_chain(seed, 40, std::vector{0.01, 0.1, 0.3, 1.0, 3.0, 5.0}[seed % 6]);
    const chain::Projections found = project(chains, tight());
    certified += found.chains[0].certified;
    EXPECT_LT(violation(chains, found.positions), 1e-13);
  }
  EXPECT_EQ(certified, 60);
}

struct Counts {
  double mean = 0.0;
  int most = 0;
};

template <class Make>
Counts iterations(const Make& make, double tolerance, chain::Method method, int most = 400) {
  Counts counts;
  constexpr int runs = 20;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    chain::Options options;
    options.tolerance = tolerance, options.method = method, options.max_iterations = most;
    const chain::Outcome outcome = project(make(seed), options).chains[0];
    counts.mean += outcome.iterations / double(runs), counts.most = std::max(counts.most, outcome.iterations);
    EXPECT_TRUE(outcome.status <= Status::round_off) << chain::name(outcome.status);
  }
  return counts;
}

TEST(ChainProjection, TakesFewIterationsWhateverTheScene) {
  const auto hybrid = [](const auto& make) { return iterations(make, 1e-10, Method::hybrid); };
  for (const std::size_t n : {5, 20, 50, 200})
    EXPECT_LE(hybrid([&](auto seed) { return noisy_chain(seed, n, 0.1); }).mean, 8.0) << n;
  for (const double noise : {0.01, 0.3, 3.0})
    EXPECT_LE(hybrid([&](auto seed) { return noisy_chain(seed, 40, noise); }).mean, 9.0) << noise;
  for (const double by : {0.1, 1.0, 10.0, 100.0}) {
    const Counts counts = hybrid([&](auto seed) { return dropped_chain(seed, 40, by); });
    EXPECT_LE(counts.mean, 11.0) << by;
    EXPECT_LE(counts.most, 25) << by;
  }
  for (const double share : {0.02, 0.05, 0.1})
    EXPECT_LE(hybrid([&](auto seed) { return compressed_chain(seed, 40, share); }).mean, 12.0) << share;
  for (const double mass : {1.0, 1e2, 1e4, 1e6})
    EXPECT_LE(hybrid([&](auto seed) { return jerked_chain(seed, 40, 0.1, mass); }).mean, 6.0) << mass;
}

TEST(ChainProjection, FindsALocalMinimumUnderStrongCompression) {
  for (const double share : {0.2, 0.5, 0.9})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      chain::Options options;
      options.tolerance = 1e-8, options.max_iterations = 400;
      const ChainCase chains = compressed_chain(seed, 40, share);
      const chain::Projections found = project(chains, options);
      EXPECT_TRUE(found.chains[0].status <= Status::round_off)
          << share << " " << seed << ": " << chain::name(found.chains[0].status) << " " << found.chains[0].residual;
      EXPECT_LT(violation(chains, found.positions), 1e-13);
    }
}

TEST(ChainProjection, SquaresItsErrorWhereTwoStagesOnlyShrinkIt) {
  const ChainCase chains = noisy_chain(7, 40, 0.3);
  const chain::Projections exact = project(chains, tight());
  const double all = mass_norm(chains, chains.prediction, exact.positions);
  const auto error = [&](chain::Method method, int k) {
    chain::Options options;
    options.tolerance = 1e-300, options.max_iterations = k, options.method = method;
    return mass_norm(chains, project(chains, options).positions, exact.positions) / all;
  };
  double best_order = 0.0;
  for (int k = 1; k < 12; ++k) {
    const double before = error(chain::Method::newton, k), after = error(chain::Method::newton, k + 1);
    if (before < 1e-2 && before > 1e-7 && after > 1e-15)
      best_order = std::max(best_order, std::log(after) / std::log(before));
  }
  EXPECT_GT(best_order, 1.7);
  for (int k = 12; k < 20; ++k) {
    const double factor = error(chain::Method::two_stage, k + 1) / error(chain::Method::two_stage, k);
    EXPECT_GT(factor, 0.1) << k;
    EXPECT_LT(factor, 0.9) << k;
  }
}

TEST(ChainProjection, EveryIterateHasItsLengths) {
  const ChainCase chains = noisy_chain(8, 40, 1.0);
  for (int k = 1; k < 8; ++k) {
    chain::Options options;
    options.tolerance = 1e-300, options.max_iterations = k;
    const chain::Projections found = project(chains, options);
    EXPECT_EQ(found.chains[0].status, Status::not_converged);
    EXPECT_EQ(found.chains[0].iterations, k);
    EXPECT_LT(violation(chains, found.positions), 1e-14);
  }
}

TEST(ChainProjection, HasAStatusForWhatCannotBe) {
  const auto rope = [](double d, std::vector<double> lengths) {
    ChainCase made;
    made.length = std::move(lengths);
    const std::size_t n = made.length.size() + 1;
    for (std::size_t i = 0; i < n; ++i) made.prediction.emplace_back(d * double(i) / double(n - 1), 0.0, 0.0);
    made.inverse_mass.assign(n, 1.0);
    made.inverse_mass.front() = made.inverse_mass.back() = 0.0;
    made.offsets = {0, std::uint32_t(n)};
    return made;
  };
  const auto status = [](const ChainCase& chains) { return project(chains, {}).chains[0].status; };
  EXPECT_EQ(status(rope(3.5, {1, 1, 1})), Status::overstretched);
  EXPECT_EQ(status(rope(3.0, {1, 1, 1})), Status::taut);
  EXPECT_EQ(status(rope(0.5, {4, 1, 1})), Status::too_long_link);
  EXPECT_EQ(status(rope(1.0 + 1e-11, {2, 1})), Status::taut);  // folded, and no room for anything else
  EXPECT_TRUE(std::isnan(project(rope(3.5, {1, 1, 1}), {}).chains[0].residual));
  EXPECT_EQ(status(rope(1.1, {1})), Status::rigid_mismatch);
  EXPECT_EQ(status(rope(1.0, {1})), Status::ok);
  const ChainCase stretched = rope(3.3, {1, 0.5, 1.5});
  const chain::Projections found = project(stretched, {});
  EXPECT_EQ(found.chains[0].status, Status::overstretched);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR((found.positions[i] - found.positions[i + 1]).norm(), 1.1 * stretched.length[i], 1e-13);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    ChainCase broken = noisy_chain(1, 6, 0.1);
    broken.prediction[3][1] = bad;
    EXPECT_EQ(status(broken), Status::bad_input);
  }
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    ChainCase broken = noisy_chain(1, 6, 0.1);
    broken.length[2] = bad;
    EXPECT_EQ(status(broken), Status::bad_input);
  }
  ChainCase broken = noisy_chain(1, 6, 0.1);
  broken.inverse_mass[2] = -1.0;
  EXPECT_EQ(status(broken), Status::bad_input);
}

TEST(ChainProjection, LeavesASaddleThatLooksLikeASolution) {
  ChainCase on_axis = noisy_chain(1, 3, 0.0);
  on_axis.prediction = {{0, 0, 0}, {-2, 0, 0}, {3, 0, 0}};
  on_axis.start = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const chain::Projections found = project(on_axis, {});
  EXPECT_LT(mass_norm(on_axis, found.positions, on_axis.prediction), std::sqrt(2.0 * 4.84));

  ChainCase between = on_axis;  // the far side of an arch is a maximum
  between.inverse_mass = {0, 1, 0}, between.length = {1.5, 1.5};
  between.prediction = {{0, 0, 0}, {1, 2, 0}, {2, 0, 0}};
  between.start = {{0, 0, 0}, {1, -1, 0}, {2, 0, 0}};
  const chain::Projections arch = project(between, {});
  EXPECT_EQ(arch.chains[0].status, Status::ok);
  EXPECT_GT(arch.positions[1].y(), 1.0);
}

TEST(ChainProjection, ClosesALoopWhosePointsWereAllAtOnePlace) {
  ChainCase loop = noisy_chain(1, 12, 0.0);
  for (Vector3d& x : loop.prediction) x.setZero();
  loop.start.clear();
  loop.inverse_mass.back() = 0.0;
  const chain::Projections found = project(loop, {});
  EXPECT_LT(violation(loop, found.positions), 1e-12);
  EXPECT_EQ(found.positions.back(), Vector3d(0, 0, 0));
}

TEST(ChainProjection, TakesPointsThatAreAllAtOnePlace) {
  ChainCase chains = noisy_chain(1, 12, 0.0);
  for (Vector3d& x : chains.prediction) x.setZero();
  chains.start.clear();
  chain::Options options;
  options.max_iterations = 400;
  const chain::Projections found = project(chains, options);
  EXPECT_LT(violation(chains, found.positions), 1e-13);
  EXPECT_TRUE(found.chains[0].status <= Status::not_converged) << chain::name(found.chains[0].status);
}

// Of very different lengths and kinds, in one batch.
ChainCase batch() {
  ChainCase all = noisy_chain(1, 7, 0.1);
  for (std::uint64_t seed = 2; seed < 40; ++seed) {
    all.add(seed % 3 == 0   ? noisy_chain(seed, 2 + seed, 0.5)
            : seed % 3 == 1 ? dropped_chain(seed, 40 - seed, 1.0)
                            : jerked_chain(seed, 20, 0.2, seed % 2 == 0 ? 1e3 : 1e5));
    // These damp their steps, search and lengthen them while their neighbours do not.
    if (seed % 4 == 0) all.add(compressed_chain(seed, 5 + seed, seed % 8 == 0 ? 0.5 : 0.9));
  }
  return all;
}

class ChainLanes : public ::testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  }
};

TEST_P(ChainLanes, GiveWhatOneChainByItselfGivesBitByBit) {
  const ChainCase all = batch();
  chain::Options options;
  options.isa = GetParam();
  const chain::Projections together = project(all, options);
  for (std::size_t c = 0; c + 1 < all.offsets.size(); ++c) {
    ChainCase one;
    const auto part = [&](const auto& from, std::size_t first, std::size_t count) {
      return std::vector(from.begin() + std::ptrdiff_t(first), from.begin() + std::ptrdiff_t(first + count));
    };
    const std::size_t first = all.offsets[c], n = all.offsets[c + 1] - first;
    one.prediction = part(all.prediction, first, n), one.start = part(all.start, first, n);
    one.inverse_mass = part(all.inverse_mass, first, n), one.length = part(all.length, first - c, n - 1);
    one.offsets.push_back(std::uint32_t(n));
    const chain::Projections alone = project(one, options);
    EXPECT_EQ(alone.positions, part(together.positions, first, n)) << c;
    EXPECT_EQ(alone.chains[0].iterations, together.chains[c].iterations);
  }
}

TEST_P(ChainLanes, AgreeWithThePlainCode) {
  const ChainCase all = batch();
  chain::Options plain = tight(), lanes = tight();
  plain.isa = Isa::reference, lanes.isa = GetParam();
  const chain::Projections a = project(all, plain), b = project(all, lanes);
  for (std::size_t c = 0; c + 1 < all.offsets.size(); ++c) {
    if (!a.chains[c].certified) continue;  // of several minima each may find its own
    const std::size_t first = all.offsets[c], n = all.offsets[c + 1] - first;
    EXPECT_LT(apart(std::span(a.positions).subspan(first, n), std::span(b.positions).subspan(first, n)), 1e-10) << c;
  }
}

TEST_P(ChainLanes, SinglePrecisionIsCloseEnoughForHair) {
  for (const double mass : {1.0, 1e2, 1e4}) {
    ChainCase all = jerked_chain(1, 20, 0.1, mass);
    for (std::uint64_t seed = 2; seed < 20; ++seed) all.add(jerked_chain(seed, 20, 0.1, mass));
    chain::Options options;
    options.isa = GetParam(), options.tolerance = 1e-5, options.single_precision = true;
    const chain::Projections single = project(all, options), exact = project(all, tight());
    EXPECT_LT(apart(single.positions, exact.positions), 2e-3) << mass;
    EXPECT_LT(violation(all, single.positions), 5e-6);
    for (const chain::Outcome& outcome : single.chains)
      EXPECT_TRUE(outcome.status <= Status::round_off) << chain::name(outcome.status) << " " << outcome.residual;
  }
}

// Damped steps do not square a residual: that they are slow is no round-off.
TEST_P(ChainLanes, SinglePrecisionComesToItsToleranceUnderCompression) {
  ChainCase all = compressed_chain(1, 40, 0.1);
  for (std::uint64_t seed = 2; seed <= 60; ++seed) all.add(compressed_chain(seed, 40, 0.1));
  for (const Method method : {Method::hybrid, Method::newton, Method::kkt}) {
    chain::Options options;
    options.isa = GetParam(), options.tolerance = 1e-5, options.single_precision = true, options.method = method;
    const chain::Projections single = project(all, options);
    int there = 0;
    for (std::size_t c = 0; c < single.chains.size(); ++c) {
      const chain::Outcome& outcome = single.chains[c];
      there += outcome.status == Status::ok;
      EXPECT_LE(outcome.status, method == Method::kkt ? Status::stalled : Status::round_off) << c;
      if (!outcome.certified) continue;
      // A certificate tells of a stationary chain, and that none is closer.
      const ChainCase one = compressed_chain(c + 1, 40, 0.1);
      const chain::Projections exact = project(one, tight());
      const auto from = std::span(single.positions).subspan(40 * c, 40);
      const double best = mass_norm(one, exact.positions, one.prediction);
      EXPECT_LT(mass_norm(one, from, one.prediction), (1.0 + 1e-4) * best) << c;
    }
    EXPECT_GE(there, 55) << int(method);
  }
}

INSTANTIATE_TEST_SUITE_P(EachSet, ChainLanes, ::testing::Values(Isa::reference, Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& set) { return std::string(isa_name(set.param)); });

TEST(ChainProjection, HasTheSameBitsForAnyNumberOfThreads) {
  const ChainCase all = batch();
  const int before = thread_count();
  set_thread_count(1);
  const chain::Projections one = project(all, {});
  set_thread_count(3);
  const chain::Projections three = project(all, {});
  set_thread_count(before);
  EXPECT_EQ(one.positions, three.positions);
  EXPECT_EQ(one.multipliers, three.multipliers);
}

TEST(ChainArc, ClosesOnBothEnds) {
  Random random(9);
  int arcs = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<double> l;
    const std::size_t links = 2 + random.below(20);
    for (std::size_t i = 0; i < links; ++i) l.push_back(random.uniform(0.2, 2.0));
    if (k % 3 == 0) l[random.below(links)] *= 6.0;
    const Vector3d a(random.normal(), random.normal(), random.normal()), b(random.normal(), random.normal(), 0.5);
    if (chain::reach((b - a).norm(), l) != Status::ok) continue;
    std::vector<Vector3d> x(links + 1);
    chain::place_on_arc(a, b, l, Vector3d(0.3, -2.0, 0.1), x);
    EXPECT_LT((x.back() - b).norm(), 1e-11) << k;
    for (std::size_t i = 0; i < links; ++i) EXPECT_NEAR((x[i + 1] - x[i]).norm(), l[i], 1e-12);
    ++arcs;
  }
  EXPECT_GT(arcs, 100);
}

}  // namespace
}  // namespace tendril::testing
