#include "tendril/linalg/block_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class BlockLuOf : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(All, BlockLuOf, testing::Values(Isa::reference, Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

// Blocks of unlike sizes, a random graph, a matrix that is neither symmetric nor small: against a dense solution.
TEST_P(BlockLuOf, SolvesAsADenseMatrixDoes) {
  if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  Random random(11);
  const std::vector<std::uint32_t> sizes = {3, 15, 8, 1, 16, 33, 6, 12, 9, 24};
  std::vector<BlockLu::Pair> pairs;
  for (int k = 0; k < 14; ++k) pairs.emplace_back(std::uint32_t(random.below(10)), std::uint32_t(random.below(10)));
  BlockLu lu(sizes, pairs, GetParam());
  MatrixXd dense = MatrixXd::Zero(Index(lu.unknowns()), Index(lu.unknowns()));
  lu.clear();
  const auto fill = [&](std::uint32_t i, std::uint32_t j) {
    const BlockLu::Place place = lu.place(i, j);
    for (std::size_t r = 0; r < sizes[i]; ++r)
      for (std::size_t c = 0; c < sizes[j]; ++c) {
        const double value = random.normal() + (i == j && r == c ? 40.0 : 0.0);
        lu.entry(place, r, c) += value;
        dense(Index(lu.offset(i) + r), Index(lu.offset(j) + c)) += value;
      }
  };
  for (std::uint32_t i = 0; i < sizes.size(); ++i) fill(i, i);
  for (const auto& [i, j] : pairs)
    if (i != j) fill(i, j), fill(j, i);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t k = lu.offset(i) + sizes[i]; k < lu.offset(i + 1); ++k) dense(Index(k), Index(k)) = 1.0;
  VectorXd right(Index(lu.unknowns()));
  for (double& entry : right) entry = random.normal();
  ASSERT_TRUE(lu.factorise());
  VectorXd x = right;
  lu.solve(x.data());
  EXPECT_LT((x - dense.partialPivLu().solve(right)).norm(), 1e-10 * x.norm());
}

TEST(BlockLu, ExchangesRowsWithinABlockAndRefusesSingularOnes) {
  const std::vector<std::uint32_t> sizes = {2};
  BlockLu lu(sizes, {});
  lu.clear();
  lu.entry(lu.place(0, 0), 0, 1) = 2.0, lu.entry(lu.place(0, 0), 1, 0) = 4.0;
  ASSERT_TRUE(lu.factorise());
  std::vector<double> x(lu.unknowns(), 0.0);
  x[0] = 6.0, x[1] = 8.0;
  lu.solve(x.data());
  EXPECT_DOUBLE_EQ(x[0], 2.0);
  EXPECT_DOUBLE_EQ(x[1], 3.0);
  lu.clear();
  EXPECT_FALSE(lu.factorise());
}

TEST(BlockLu, KnowsTheSignOfTheDeterminant) {
  Random random(5);
  const std::vector<std::uint32_t> sizes = {3, 9, 5};
  for (int trial = 0; trial < 20; ++trial) {
    BlockLu lu(sizes, std::vector<BlockLu::Pair>{{0, 1}, {1, 2}, {0, 2}});
    MatrixXd dense = MatrixXd::Identity(Index(lu.unknowns()), Index(lu.unknowns()));
    lu.clear();
    for (std::uint32_t i = 0; i < 3; ++i)
      for (std::uint32_t j = 0; j < 3; ++j)
        for (std::size_t r = 0; r < sizes[i]; ++r)
          for (std::size_t c = 0; c < sizes[j]; ++c)
            lu.entry(lu.place(i, j), r, c) = dense(Index(lu.offset(i) + r), Index(lu.offset(j) + c)) = random.normal();
    ASSERT_TRUE(lu.factorise());
    EXPECT_EQ(lu.determinant_sign(), dense.determinant() > 0.0 ? 1 : -1) << trial;
  }
}

// Inverses of both, one block times an inverse, and one product of what is beside the first: n^3 each.
TEST(BlockLu, CountsItsMultiplications) {
  const std::vector<std::uint32_t> sizes = {8, 8};
  EXPECT_EQ(BlockLu(sizes, {}).operations(), 2.0 * 8 * 8 * 8);
  EXPECT_EQ(BlockLu(sizes, std::vector<BlockLu::Pair>{{0, 1}}).operations(), 4.0 * 8 * 8 * 8);
}

}  // namespace
}  // namespace tendril
