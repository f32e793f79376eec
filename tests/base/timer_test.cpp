#include "tendril/base/timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tendril {
namespace {

TEST(Timer, CountsSecondsFromItsStart) {
  Timer timer;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double first = timer.seconds();
  EXPECT_GE(first, 0.020);
  EXPECT_GE(timer.seconds(), first);
  timer.restart();
  EXPECT_LT(timer.seconds(), 10.0);
}

}  // namespace
}  // namespace tendril
