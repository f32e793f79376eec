// A mutex that serves its callers in the order in which they came. A thread that steps a thousand times in a row gives
// the lock back after each step; with a plain mutex it would nearly always be the one that takes it again, and a thread
// that only wants to read would wait for the whole thousand.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tendril::python {

class FairMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = next_++;
    turn_.wait(lock, [&] { return serving_ == mine; });
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++serving_;
    }
    turn_.notify_all();
  }

 private:
  std::mutex mutex_;  // guards all below
  std::condition_variable turn_;
  std::uint64_t next_ = 0, serving_ = 0;
};

}  // namespace tendril::python
