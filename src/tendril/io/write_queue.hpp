// Writing behind the back of whoever computes: jobs are done by one thread, in their order, at most a few of them
// waiting. After a job has failed none is begun any more, and the next call tells why.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "tendril/base/error.hpp"

namespace tendril {

class WriteQueue {
 public:
  explicit WriteQueue(std::size_t most_waiting = 2);
  ~WriteQueue();  // finishes what is waiting
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // Waits while the queue is full. The error is that of an earlier job.
  Status push(std::function<Status()> job);
  Status finish();  // waits until nothing is left
  bool is_idle();
  double waited_seconds() const { return waited_; }  // by push() and finish() so far

 private:
  void work();
  template <class Condition>
  Status wait_until(std::unique_lock<std::mutex>& lock, Condition&& condition);

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<Status()>> jobs_;
  bool busy_ = false, closing_ = false;
  std::optional<Error> failed_;
  double waited_ = 0.0;
  std::jthread thread_;
};

}  // namespace tendril
