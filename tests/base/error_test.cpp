#include "tendril/base/error.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tendril {
namespace {

TEST(Error, ReadsAsOneSentence) {
  EXPECT_EQ((Error{"scene.toml:3:1", "unknown key 'yuong'"}).message(), "scene.toml:3:1: unknown key 'yuong'");
  EXPECT_EQ((Error{"", "out of disk"}).message(), "out of disk");
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 3;
  ASSERT_TRUE(good);
  EXPECT_EQ(good.value(), 3);
  const Result<int> bad = Error{"here", "no"};
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "no");
  EXPECT_TRUE(ok());
}

TEST(Result, GivesAwayWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result);
  const std::unique_ptr<int> taken = std::move(result.value());
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace tendril
