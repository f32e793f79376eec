#include "tendril/io/write_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tendril {
namespace {

TEST(WriteQueue, DoesItsJobsInOrder) {
  std::vector<int> done;
  {
    WriteQueue queue;
    for (int i = 0; i < 100; ++i)
      ASSERT_TRUE(queue.push([&done, i] {
        done.push_back(i);
        return ok();
      }));
    ASSERT_TRUE(queue.finish());
    EXPECT_EQ(done.size(), 100u);
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[std::size_t(i)], i);
}

TEST(WriteQueue, FinishesWhatIsWaitingWhenItGoes) {
  std::atomic<int> done = 0;
  {
    WriteQueue queue(50);
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(queue.push([&done] {
        ++done;
        return ok();
      }));
  }
  EXPECT_EQ(done, 50);
}

TEST(WriteQueue, IsIdleWhenAllIsDone) {
  WriteQueue queue;
  EXPECT_TRUE(queue.is_idle());
  std::atomic<bool> may_end = false;
  ASSERT_TRUE(queue.push([&may_end] {
    while (!may_end) std::this_thread::yield();
    return ok();
  }));
  EXPECT_FALSE(queue.is_idle());
  may_end = true;
  ASSERT_TRUE(queue.finish());
  EXPECT_TRUE(queue.is_idle());
}

TEST(WriteQueue, TellsTheFirstErrorAndBeginsNothingAfterIt) {
  int done = 0;
  WriteQueue queue(10);
  const auto job = [&done](bool works) {
    return [&done, works]() -> Status {
      ++done;
      return works ? ok() : Status(Error{"disk", "is full"});
    };
  };
  ASSERT_TRUE(queue.push(job(true)));
  (void)queue.push(job(false));
  (void)queue.push(job(true));
  const Status status = queue.finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "disk: is full");
  EXPECT_FALSE(queue.push(job(true)));
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace tendril
