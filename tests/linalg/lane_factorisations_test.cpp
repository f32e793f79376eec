// A different matrix in every lane: each lane is factorised, counted and solved as if it were alone.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/linalg/block_columns.hpp"

namespace tendril {
namespace {

constexpr int blocks = 9, unknowns = 4 * blocks;
using B = BlockColumns;

template <class S>
class LaneFactor : public testing::Test {};
using Types = testing::Types<double, Lanes<2>, Lanes<4>, Lanes<8>>;
TYPED_TEST_SUITE(LaneFactor, Types);

template <class S>
double& lane_of(S& value, int i) {
  return reinterpret_cast<double*>(&value)[i];
}

enum class Kind { definite, indefinite, singular };

// J Jᵀ plus a little, with the pattern of a strand. Indefinite: some diagonals change their sign. Singular: unknowns 17
// and 18 are one and the same.
Eigen::MatrixXd strand_matrix(Random& random, Kind kind) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(unknowns, unknowns);
  for (int k = 0; k + 2 < blocks; ++k)
    for (int n = 0; n < 4; ++n) {
      Eigen::VectorXd row = Eigen::VectorXd::Zero(unknowns);
      for (int i = 0; i < 11; ++i) row[4 * k + i] = random.uniform(-1.0, 1.0);
      if (kind == Kind::singular) row[17] = row[18];
      a += row * row.transpose();
    }
  for (int i = 0; i < unknowns; ++i) {
    if (kind == Kind::singular && (i == 17 || i == 18)) continue;
    a(i, i) += kind == Kind::indefinite && i % 5 == 2 ? -random.uniform(0.0, 30.0) : 0.1;
  }
  return a;
}

template <class S>
struct System {
  std::vector<Eigen::MatrixXd> matrix;
  std::vector<Eigen::VectorXd> rhs;
  Band<S> band{unknowns, 10};
  std::vector<S> x = std::vector<S>(unknowns, S{}), slots = std::vector<S>(std::size_t(blocks * B::values), S{});

  System(std::uint64_t seed, Kind kind, Kind last) {
    Random random(seed);
    for (int lane = 0; lane < lane_count<S>; ++lane) {
      matrix.push_back(strand_matrix(random, lane + 1 < lane_count<S> ? kind : last));
      rhs.push_back(Eigen::VectorXd::NullaryExpr(unknowns, [&] { return random.uniform(-1.0, 1.0); }));
      for (int c = 0; c < unknowns; ++c) {
        for (int r = c; r < std::min(unknowns, c + 11); ++r)
          lane_of(band.at(std::size_t(r), std::size_t(c)), lane) = matrix.back()(r, c);
        lane_of(x[std::size_t(c)], lane) = rhs.back()[c];
      }
      for (int k = 0; k < blocks; ++k)
        for (int c = 0; c < 4; ++c) {
          for (int r = c; r < 11 && 4 * k + r < unknowns; ++r)
            lane_of(slots[std::size_t(k * B::values + B::at(r, c))], lane) = matrix.back()(4 * k + r, 4 * k + c);
          lane_of(slots[std::size_t(k * B::values + B::rhs(c))], lane) = rhs.back()[4 * k + c];
        }
    }
  }

  double residual(std::vector<S> solution, int lane) const {
    Eigen::VectorXd y(unknowns);
    for (int i = 0; i < unknowns; ++i) y[i] = lane_of(solution[std::size_t(i)], lane);
    const auto l = std::size_t(lane);
    return (matrix[l] * y - rhs[l]).norm() / (matrix[l].norm() * y.norm() + rhs[l].norm());
  }
};

template <class S>
std::vector<S> solve_by_blocks(std::vector<S>& slots, S& clamped) {
  Front<S> front;
  for (int k = 0; k < blocks; ++k) clamped += eliminate(&slots[std::size_t(k * B::values)], front);
  std::vector<S> x(unknowns, S{});
  S below[8] = {};
  for (int k = blocks - 1; k >= 0; --k) {
    S q[4];
    for (int c = 0; c < 4; ++c) q[c] = slots[std::size_t(k * B::values + B::rhs(c))];
    substitute_backward(&slots[std::size_t(k * B::values)], below, q);
    for (int c = 0; c < 4; ++c) x[std::size_t(4 * k + c)] = q[c], below[c + 4] = below[c], below[c] = q[c];
  }
  return x;
}

TYPED_TEST(LaneFactor, BandSolvesEachLaneToRoundOff) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    System<TypeParam> s(seed, Kind::definite, Kind::definite);
    TypeParam clamped = factorise(s.band, Pivots::clamp_to_positive);
    solve(s.band, std::span<TypeParam>(s.x));
    for (int lane = 0; lane < lane_count<TypeParam>; ++lane) {
      EXPECT_EQ(lane_of(clamped, lane), 0.0);
      EXPECT_LT(s.residual(s.x, lane), 1e-15);
    }
  }
}

TYPED_TEST(LaneFactor, BlockColumnsSolveEachLaneToRoundOff) {
  for (std::uint64_t seed = 11; seed <= 20; ++seed) {
    System<TypeParam> s(seed, Kind::definite, Kind::definite);
    TypeParam clamped{};
    const std::vector<TypeParam> x = solve_by_blocks(s.slots, clamped);
    for (int lane = 0; lane < lane_count<TypeParam>; ++lane) {
      EXPECT_EQ(lane_of(clamped, lane), 0.0);
      EXPECT_LT(s.residual(x, lane), 1e-15);
    }
  }
}

// A pivot that vanishes is raised and counted in its own lane, alike by both factorisations.
TYPED_TEST(LaneFactor, CountsClampedPivotsPerLane) {
  System<TypeParam> s(21, Kind::definite, Kind::singular);
  const int bad = lane_count<TypeParam> - 1;
  TypeParam clamped = factorise(s.band, Pivots::clamp_to_positive), block_clamped{};
  std::vector<TypeParam> x = solve_by_blocks(s.slots, block_clamped);
  for (int lane = 0; lane < lane_count<TypeParam>; ++lane) {
    EXPECT_EQ(lane_of(clamped, lane), lane == bad ? 1.0 : 0.0);
    EXPECT_EQ(lane_of(block_clamped, lane), lane == bad ? 1.0 : 0.0);
    for (std::size_t i = 0; i < unknowns; ++i) EXPECT_TRUE(std::isfinite(lane_of(x[i], lane)));
    if (lane != bad) {
      EXPECT_LT(s.residual(x, lane), 1e-15);
    }
  }
}

TYPED_TEST(LaneFactor, InertiaIsTheSignsOfTheEigenvalues) {
  int largest = 0;
  for (std::uint64_t seed = 31; seed <= 50; ++seed) {
    System<TypeParam> s(seed, Kind::indefinite, Kind::indefinite);
    TypeParam negative = factorise(s.band, Pivots::as_they_come);
    for (int lane = 0; lane < lane_count<TypeParam>; ++lane) {
      const Eigen::VectorXd eigenvalues =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s.matrix[std::size_t(lane)]).eigenvalues();
      const int expected = int((eigenvalues.array() < 0.0).count());
      EXPECT_EQ(int(lane_of(negative, lane)), expected) << "seed " << seed << ", lane " << lane;
      largest = std::max(largest, expected);
    }
  }
  EXPECT_GT(largest, 3);
}

// A NaN in one lane stays there.
TYPED_TEST(LaneFactor, NotANumberStaysInItsLane) {
  constexpr int w = lane_count<TypeParam>;
  System<TypeParam> s(51, Kind::definite, Kind::definite);
  lane_of(s.slots[std::size_t(B::values + 3)], 0) = std::numeric_limits<double>::quiet_NaN();
  TypeParam clamped{};
  std::vector<TypeParam> x = solve_by_blocks(s.slots, clamped);
  EXPECT_TRUE(std::isnan(lane_of(x[0], 0)));
  for (int lane = 1; lane < w; ++lane) EXPECT_LT(s.residual(x, lane), 1e-15);
}

TEST(Band, OfOneUnknownAndOfNarrowMatrices) {
  Band<double> one(1, 10);
  one.at(0, 0) = 4.0;
  double x[] = {8.0};
  EXPECT_EQ(factorise(one, Pivots::clamp_to_positive), 0.0);
  solve(one, std::span<double>(x));
  EXPECT_EQ(x[0], 2.0);
  Band<double> diagonal(3, 0);
  for (std::size_t i = 0; i < 3; ++i) diagonal.at(i, i) = double(i) - 1.5;
  EXPECT_EQ(factorise(diagonal, Pivots::as_they_come), 2.0);
}

TEST(Band, ClampedPivotIsAShareOfItsDiagonal) {
  Band<double> band(2, 1);  // [[1, 1], [1, 1]] is singular: the second pivot is exactly zero
  band.at(0, 0) = band.at(1, 0) = band.at(1, 1) = 1.0;
  EXPECT_EQ(factorise(band, Pivots::clamp_to_positive), 1.0);
  EXPECT_EQ(band.at(1, 1), 1e-14);
}

}  // namespace
}  // namespace tendril
