// Banded and block-column LDLᵀ against each other and against dense algebra, in doubles and in lanes.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>

#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/linalg/block_columns.hpp"

namespace tendril {
namespace {

constexpr int blocks = 7, unknowns = 4 * blocks;

// A random symmetric matrix with the pattern of a strand: (x_k, theta_k) reaches down to x_{k+2}.
Eigen::MatrixXd strand_matrix(unsigned seed, double diagonal) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(unknowns, unknowns);
  for (int k = 0; k < blocks; ++k)
    for (int c = 0; c < 4; ++c)
      for (int r = c; r < 11 && 4 * k + r < unknowns; ++r)
        a(4 * k + r, 4 * k + c) = a(4 * k + c, 4 * k + r) = uniform(random);
  a.diagonal().array() += diagonal;
  return a;
}

Eigen::VectorXd random_vector(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Eigen::VectorXd::NullaryExpr(unknowns, [&] { return uniform(random); });
}

Band<double> band_of(const Eigen::MatrixXd& a) {
  Band<double> band(unknowns, 10);
  for (std::size_t j = 0; j < unknowns; ++j)
    for (std::size_t r = j; r < std::min<std::size_t>(unknowns, j + 11); ++r)
      band.at(r, j) = a(Eigen::Index(r), Eigen::Index(j));
  return band;
}

TEST(BandedFactorisation, SolvesAPositiveSystem) {
  const Eigen::MatrixXd a = strand_matrix(1, 12.0);
  Eigen::VectorXd x = random_vector(2);
  const Eigen::VectorXd rhs = x;
  Band<double> band = band_of(a);
  EXPECT_EQ(factorise(band, Pivots::clamp_to_positive), 0.0);
  solve(band, std::span<double>(x.data(), unknowns));
  EXPECT_LT((a * x - rhs).norm(), 1e-13 * rhs.norm());
}

TEST(BandedFactorisation, CountsNegativeEigenvalues) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Eigen::MatrixXd a = strand_matrix(seed, 1.0);
    const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues();
    Band<double> band = band_of(a);
    EXPECT_EQ(factorise(band, Pivots::as_they_come), double((eigenvalues.array() < 0.0).count())) << seed;
  }
}

TEST(BandedFactorisation, CountsThePivotsThatItRaises) {
  Eigen::MatrixXd a = strand_matrix(1, 12.0);
  a.row(8).setZero(), a.col(8).setZero();
  a(8, 8) = -1.0;
  Band<double> band = band_of(a);
  EXPECT_EQ(factorise(band, Pivots::clamp_to_positive), 1.0);
}

template <class S>
std::vector<S> slots_of(const Eigen::MatrixXd& a, const Eigen::VectorXd& rhs) {
  using B = BlockColumns;
  std::vector<S> slots(std::size_t(blocks * B::values), S{});
  for (int k = 0; k < blocks; ++k)
    for (int c = 0; c < 4; ++c) {
      for (int r = c; r < 11 && 4 * k + r < unknowns; ++r)
        slots[std::size_t(k * B::values + B::at(r, c))] += a(4 * k + r, 4 * k + c);
      slots[std::size_t(k * B::values + B::rhs(c))] += rhs[4 * k + c];
    }
  return slots;
}

template <class S>
std::vector<S> back_substituted(const std::vector<S>& slots) {
  using B = BlockColumns;
  std::vector<S> x(unknowns, S{});
  S below[8] = {};
  for (int k = blocks - 1; k >= 0; --k) {
    const S* slot = &slots[std::size_t(k * B::values)];
    S q[4];
    for (int c = 0; c < 4; ++c) q[c] = slot[B::rhs(c)];
    substitute_backward(slot, below, q);
    for (int c = 0; c < 4; ++c) x[std::size_t(4 * k + c)] = q[c], below[c + 4] = below[c], below[c] = q[c];
  }
  return x;
}

TEST(BlockColumns, SolveAsTheBandDoes) {
  const Eigen::MatrixXd a = strand_matrix(3, 12.0);
  Eigen::VectorXd expected = random_vector(4);
  std::vector<double> slots = slots_of<double>(a, expected);
  Front<double> front;
  for (int k = 0; k < blocks; ++k) EXPECT_EQ(eliminate(&slots[std::size_t(k * BlockColumns::values)], front), 0.0);
  const std::vector<double> x = back_substituted(slots);
  Band<double> band = band_of(a);
  factorise(band, Pivots::clamp_to_positive);
  solve(band, std::span<double>(expected.data(), unknowns));
  for (int i = 0; i < unknowns; ++i) EXPECT_NEAR(x[std::size_t(i)], expected[i], 1e-14);
}

TEST(BlockColumns, SolveFurtherRightHandSidesWithTheKeptFactor) {
  const Eigen::MatrixXd a = strand_matrix(5, 12.0);
  std::vector<double> slots = slots_of<double>(a, random_vector(6));
  Front<double> front;
  for (int k = 0; k < blocks; ++k) eliminate(&slots[std::size_t(k * BlockColumns::values)], front);
  const Eigen::VectorXd rhs = random_vector(7);
  double carried[7] = {};
  for (int k = 0; k < blocks; ++k) {
    double z[4];
    for (int c = 0; c < 4; ++c) z[c] = rhs[4 * k + c];
    substitute_forward(&slots[std::size_t(k * BlockColumns::values)], z, carried);
    for (int c = 0; c < 4; ++c) slots[std::size_t(k * BlockColumns::values + BlockColumns::rhs(c))] = z[c];
  }
  const std::vector<double> x = back_substituted(slots);
  const Eigen::VectorXd residual = a * Eigen::Map<const Eigen::VectorXd>(x.data(), unknowns) - rhs;
  EXPECT_LT(residual.norm(), 1e-13 * rhs.norm());
}

TEST(BlockColumns, GiveEveryLaneTheBitsOfThePlainSolve) {
  using S = Lanes<4>;
  const Eigen::MatrixXd a = strand_matrix(8, 12.0);
  const Eigen::VectorXd rhs = random_vector(9);
  std::vector<S> slots = slots_of<S>(a, rhs);
  std::vector<double> plain = slots_of<double>(a, rhs);
  Front<S> front;
  Front<double> plain_front;
  for (int k = 0; k < blocks; ++k) {
    eliminate(&slots[std::size_t(k * BlockColumns::values)], front);
    eliminate(&plain[std::size_t(k * BlockColumns::values)], plain_front);
  }
  const std::vector<S> x = back_substituted(slots);
  const std::vector<double> expected = back_substituted(plain);
  for (std::size_t i = 0; i < unknowns; ++i)
    for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(x[i][lane], expected[i]);
}

}  // namespace
}  // namespace tendril
