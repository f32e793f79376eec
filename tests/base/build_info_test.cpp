#include "tendril/base/build_info.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tendril {
namespace {

TEST(BuildInfo, NamesVersionCommitAndCompiler) {
  EXPECT_EQ(version(), std::to_string(TENDRIL_VERSION_MAJOR) + "." + std::to_string(TENDRIL_VERSION_MINOR) + "." +
                           std::to_string(TENDRIL_VERSION_PATCH));
  EXPECT_FALSE(commit().empty());
  EXPECT_FALSE(compiler().empty());
}

}  // namespace
}  // namespace tendril
