#include "tendril/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tendril {
namespace {

struct RestoreThreads {
  ~RestoreThreads() { set_thread_count(0); }
};

class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  RestoreThreads restore_;
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 8));

TEST_P(Parallel, CallsEachIndexOnce) {
  for (const std::size_t count : {0, 1, 2, 7, 31, 1000, 100000}) {
    std::vector<int> calls(count, 0);
    parallel_for(count, [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(count, 1)) << count;
  }
}

TEST_P(Parallel, GivesTheSameResultsForEveryThreadCount) {
  std::vector<double> values(5000);
  parallel_for(values.size(), [&](std::size_t i) { values[i] = 1.0 / static_cast<double>(i + 1); });
  std::vector<double> expected(values.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 1.0 / static_cast<double>(i + 1);
  EXPECT_EQ(values, expected);
}

TEST_P(Parallel, LendsAWorkerIndexToOneBodyAtATime) {
  std::vector<std::atomic<int>> bodies(static_cast<std::size_t>(thread_count()));
  std::atomic<int> out_of_range = 0, shared = 0;
  for (int round = 0; round < 20; ++round)
    parallel_for(200, [&](std::size_t) {
      const int worker = worker_index();
      if (worker < 0 || worker >= thread_count()) return void(++out_of_range);
      auto& mine = bodies[static_cast<std::size_t>(worker)];
      if (mine.fetch_add(1) != 0) ++shared;
      std::this_thread::yield();
      mine.fetch_sub(1);
    });
  EXPECT_EQ(out_of_range, 0);
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(worker_index(), 0);
}

TEST_P(Parallel, ThrowsTheExceptionOfABodyAndWorksAfterwards) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parallel_for(100,
                              [](std::size_t i) {
                                if (i == 42) throw std::runtime_error("42");
                              }),
                 std::runtime_error);
    std::atomic<int> calls = 0;
    parallel_for(100, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 100);
    EXPECT_EQ(worker_index(), 0);
  }
}

TEST_P(Parallel, RunsANestedLoopInOrderOnTheWorkerOfTheOuterBody) {
  std::atomic<int> strayed = 0;
  std::vector<std::vector<std::size_t>> orders(64);
  parallel_for(orders.size(), [&](std::size_t i) {
    const int worker = worker_index();
    parallel_for(10, [&](std::size_t j) {
      if (worker_index() != worker) ++strayed;
      orders[i].push_back(j);
    });
    if (worker_index() != worker) ++strayed;
  });
  std::vector<std::size_t> in_order(10);
  std::iota(in_order.begin(), in_order.end(), 0u);
  for (const auto& order : orders) EXPECT_EQ(order, in_order);
  EXPECT_EQ(strayed, 0);
}

TEST_P(Parallel, ServesTwoCallersAtOnce) {
  std::vector<std::size_t> a(3000, 0), b(3000, 0);
  const auto fill = [](std::vector<std::size_t>& values) {
    for (int round = 0; round < 20; ++round) parallel_for(values.size(), [&](std::size_t i) { values[i] += i; });
  };
  {
    const std::jthread other([&] { fill(a); });
    fill(b);
  }
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.back(), 20u * 2999u);
}

// Bodies of two indices that wait for each other: whether two threads ran them before the deadline.
bool two_take_part(std::chrono::milliseconds patience) {
  std::atomic<int> arrived = 0;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  parallel_for(2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  return std::chrono::steady_clock::now() < deadline;
}

TEST(ParallelThreads, BothOfTwoTakePart) {
  const RestoreThreads restore;
  set_thread_count(2);
  EXPECT_TRUE(two_take_part(std::chrono::seconds(20)));
}

TEST(ParallelThreads, ComeBackAfterTheyFellAsleep) {
  const RestoreThreads restore;
  set_thread_count(2);
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(two_take_part(std::chrono::seconds(20)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(ParallelThreads, AreWaitedForHoweverLongABodyTakes) {
  const RestoreThreads restore;
  set_thread_count(2);
  std::atomic<int> arrived = 0, done = 0;
  parallel_for(2, [&](std::size_t) {
    if (arrived++ == 0)
      while (arrived < 2) std::this_thread::yield();
    if (worker_index() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ++done;
  });
  EXPECT_EQ(done, 2);
}

TEST(ParallelThreads, PlainLoopsRunInOrderOnTheirThread) {
  const RestoreThreads restore;
  set_thread_count(2);
  const std::thread::id here = std::this_thread::get_id();
  std::vector<std::size_t> order;
  {
    const PlainLoops plain;
    parallel_for(100, [&](std::size_t i) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      order.push_back(i);
    });
  }
  std::vector<std::size_t> in_order(100);
  std::iota(in_order.begin(), in_order.end(), 0u);
  EXPECT_EQ(order, in_order);
  EXPECT_TRUE(two_take_part(std::chrono::seconds(20)));
}

TEST(ParallelThreads, WhileTheyAreAtWorkForAnotherLoopsArePlain) {
  const RestoreThreads restore;
  set_thread_count(2);
  std::atomic<bool> begun = false, may_end = false;
  const std::jthread other([&] {
    parallel_for(2, [&](std::size_t) {
      begun = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!begun) std::this_thread::yield();
  const std::thread::id here = std::this_thread::get_id();
  parallel_for(100, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), here); });
  may_end = true;
}

TEST(ParallelThreads, CountZeroMeansAllCores) {
  const RestoreThreads restore;
  set_thread_count(5);
  EXPECT_EQ(thread_count(), 5);
  set_thread_count(0);
  EXPECT_GE(thread_count(), 1);
  EXPECT_LE(thread_count(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(ParallelThreads, AcceptConstAndMutableBodies) {
  const auto constant = [](std::size_t) {};
  parallel_for(10, constant);
  const RestoreThreads restore;
  set_thread_count(1);
  std::size_t sum = 0;
  parallel_for(10, [&sum, last = std::size_t{0}](std::size_t i) mutable { sum += last = i; });
  EXPECT_EQ(sum, 45u);
}

}  // namespace
}  // namespace tendril
