// A folder of its own for each test that writes files; it is gone when the test ends.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tendril::support {

class TemporaryFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(testing::TempDir()) /
             (std::string("tendril_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  // Files and folders in it, at any depth.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::recursive_directory_iterator(folder),
                                                  std::filesystem::recursive_directory_iterator()));
  }

  std::filesystem::path folder;
};

}  // namespace tendril::support
