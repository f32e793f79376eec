#include "tendril/serve/worker_pool.hpp"

#include <utility>

namespace tendril::serve {

WorkerPool::WorkerPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void WorkerPool::push(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !job_; });
  job_ = std::move(job);
  changed_.notify_all();
}

bool WorkerPool::is_awaited() {
  const std::lock_guard lock(mutex_);
  return bool(job_);
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return job_ || ending_; });
    if (!job_) return;
    const std::function<void()> job = std::exchange(job_, nullptr);
    changed_.notify_all();
    lock.unlock();
    job();
    lock.lock();
  }
}

void WorkerPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace tendril::serve
