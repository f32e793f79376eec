#include "tendril/base/hash.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

TEST(Hash, GivesTheValuesThatFilesOnDiskHold) {  // never change these: old checkpoints would be refused
  EXPECT_EQ(hash_text(Hash().value()), "1adf81fad5777451");
  EXPECT_EQ(hash_text(Hash().text("tendril").value()), "5a3082afa9c2c751");
  EXPECT_EQ(hash_text(Hash().numbers(std::vector{1.0, -2.5, 1e-300}).value()), "801aee8381dca026");
}

TEST(Hash, DoesNotDependOnHowTheStreamIsCut) {
  const std::string data = "A strand is a curve with a frame, a radius and a memory of its shape.";
  const std::uint64_t whole = Hash().text(data).value();
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    Hash hash;
    for (std::string_view rest = data; !rest.empty();) {
      const std::size_t count = std::min<std::size_t>(rest.size(), random.below(20));
      hash.text(rest.substr(0, count));
      rest.remove_prefix(count);
    }
    EXPECT_EQ(hash.value(), whole);
  }
}

TEST(Hash, MayBeReadOnTheWay) {
  Hash hash;
  hash.text("abc");
  EXPECT_EQ(hash.value(), Hash().text("abc").value());
  EXPECT_EQ(hash.text("defghijk").value(), Hash().text("abcdefghijk").value());
}

TEST(Hash, TellsApartLengthsOfZeros) {
  std::set<std::uint64_t> values;
  for (std::size_t length = 0; length <= 64; ++length) values.insert(Hash().text(std::string(length, '\0')).value());
  EXPECT_EQ(values.size(), 65u);
}

TEST(Hash, ReadsBitsOfNumbers) {
  EXPECT_NE(Hash().number(0.0).value(), Hash().number(-0.0).value());
  EXPECT_EQ(Hash().number(1.5).number(2.5).value(), Hash().numbers(std::vector{1.5, 2.5}).value());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Hash().number(nan).value(), Hash().number(nan).value());
}

TEST(Hash, FlipsHalfOfItsBitsForEachBitOfTheInput) {
  const std::vector<double> base{0.1, 0.0, -7.25, 1e9};
  const std::uint64_t before = Hash().numbers(base).value();
  for (std::size_t i = 0; i < base.size(); ++i) {
    int flips = 0;
    for (int bit = 0; bit < 64; ++bit) {
      std::vector<double> changed = base;
      changed[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(base[i]) ^ (std::uint64_t{1} << bit));
      const int distance = std::popcount(before ^ Hash().numbers(changed).value());
      EXPECT_GE(distance, 8) << "word " << i << ", bit " << bit;
      flips += distance;
    }
    EXPECT_NEAR(flips / 64.0, 32, 3) << "word " << i;
  }
}

TEST(Hash, HasNoCollisionsAmongSimilarStates) {
  std::set<std::uint64_t> values;
  std::vector<double> state(30, 0.0);
  for (std::size_t i = 0; i < state.size(); ++i)
    for (int step = 1; step <= 1000; ++step) {
      state[i] = step * 1e-3;
      values.insert(Hash().numbers(state).value());
      state[i] = 0;
    }
  EXPECT_EQ(values.size(), 30000u);
}

TEST(Hash, IsSensitiveToOrder) { EXPECT_NE(Hash().number(1).number(2).value(), Hash().number(2).number(1).value()); }

}  // namespace
}  // namespace tendril
