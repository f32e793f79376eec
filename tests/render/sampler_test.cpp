#include "tendril/render/sampler.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tendril::render {
namespace {

TEST(Permuted, IsABijectionForEverySizeAndSeed) {
  for (const std::uint32_t size : {1u, 2u, 3u, 7u, 16u, 37u, 256u, 1000u})
    for (const std::uint32_t seed : {0u, 1u, 77u, 0xffffffffu}) {
      std::set<std::uint32_t> seen;
      for (std::uint32_t i = 0; i < size; ++i) seen.insert(permuted(i, size, seed));
      EXPECT_EQ(seen.size(), size);
      EXPECT_LT(*seen.rbegin(), size);
    }
}

// 16 samples of any pair of dimensions lie in 16 different squares of a 4 x 4 grid, and in 16 rows and columns.
TEST(Sampler, SpreadsEveryPairEvenly) {
  for (std::uint32_t pixel = 0; pixel < 20; ++pixel)
    for (int dimension = 0; dimension < 8; ++dimension) {
      std::set<int> squares, rows, columns;
      for (std::uint32_t s = 0; s < 16; ++s) {
        Sampler sampler(pixel, s, 16);
        for (int d = 0; d < dimension; ++d) sampler.pair();
        const Eigen::Vector2f u = sampler.pair();
        ASSERT_TRUE((u.array() >= 0.0f).all() && (u.array() < 1.0f).all());
        squares.insert(int(4.0f * u[0]) * 4 + int(4.0f * u[1]));
        rows.insert(int(16.0f * u[0])), columns.insert(int(16.0f * u[1]));
      }
      EXPECT_EQ(squares.size(), 16u);
      EXPECT_EQ(rows.size(), 16u);
      EXPECT_EQ(columns.size(), 16u);
    }
}

// Pairs must not be the same sequence in another guise.
TEST(Sampler, PairsAreIndependent) {
  double sum = 0.0;
  constexpr std::uint32_t samples = 4096;
  for (std::uint32_t s = 0; s < samples; ++s) {
    Sampler sampler(3, s, samples);
    const float a = sampler.one(), b = sampler.one();
    sum += (double(a) - 0.5) * (double(b) - 0.5) * 12.0;
  }
  EXPECT_LT(std::abs(sum / samples), 0.05);
}

}  // namespace
}  // namespace tendril::render
