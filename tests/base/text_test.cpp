#include "tendril/base/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tendril {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("rod", ""), 3u);
  EXPECT_EQ(edit_distance("", "rod"), 3u);
  EXPECT_EQ(edit_distance("strand", "strand"), 0u);
  EXPECT_EQ(edit_distance("strand", "stand"), 1u);
  EXPECT_EQ(edit_distance("strand", "strands"), 1u);
  EXPECT_EQ(edit_distance("strand", "strend"), 1u);
  EXPECT_EQ(edit_distance("yuong", "young"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, IsSymmetric) {
  const std::vector<std::string> words{"damping", "damp", "young", "clamp", "", "dmaping"};
  for (const auto& a : words)
    for (const auto& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
}

constexpr std::array<std::string_view, 5> keys{"young", "radius", "density", "damping", "mu"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("yuong", keys), "young");
  EXPECT_EQ(nearest("Radius", keys), "radius");
  EXPECT_EQ(nearest("dampnig", keys), "damping");
  EXPECT_EQ(nearest("densty", std::vector<std::string>{"damping", "density"}), "density");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("gravity", keys), "");
  EXPECT_EQ(nearest("x", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest("young", std::vector<std::string>{}), "");
}

TEST(DidYouMean, IsAPhraseOrNothing) {
  EXPECT_EQ(did_you_mean("yuong", keys), " (did you mean 'young'?)");
  EXPECT_EQ(did_you_mean("gravity", keys), "");
}

}  // namespace
}  // namespace tendril
