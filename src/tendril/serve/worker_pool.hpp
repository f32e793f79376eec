// A fixed number of threads and no queue to speak of: who brings work while all are busy waits until one is free.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tendril::serve {

class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool() { finish(); }

  void push(std::function<void()> job);
  bool is_awaited();  // someone waits for a free thread
  // Does what was pushed, and ends.
  void finish();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // that no thread has taken yet
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tendril::serve
