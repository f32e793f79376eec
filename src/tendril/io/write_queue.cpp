#include "tendril/io/write_queue.hpp"

#include "tendril/base/timer.hpp"

namespace tendril {

WriteQueue::WriteQueue(std::size_t most_waiting) : most_waiting_(most_waiting), thread_([this] { work(); }) {}

WriteQueue::~WriteQueue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

template <class Condition>
Status WriteQueue::wait_until(std::unique_lock<std::mutex>& lock, Condition&& condition) {
  const Timer timer;
  changed_.wait(lock, [&] { return failed_ || condition(); });
  waited_ += timer.seconds();
  return failed_ ? Status(*failed_) : ok();
}

Status WriteQueue::push(std::function<Status()> job) {
  std::unique_lock lock(mutex_);
  if (Status status = wait_until(lock, [&] { return jobs_.size() < most_waiting_; }); !status) return status;
  jobs_.push_back(std::move(job));
  changed_.notify_all();
  return ok();
}

Status WriteQueue::finish() {
  std::unique_lock lock(mutex_);
  return wait_until(lock, [&] { return jobs_.empty() && !busy_; });
}

bool WriteQueue::is_idle() {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && !busy_;
}

void WriteQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<Status()> job = std::move(jobs_.front());
    jobs_.pop_front();
    if (failed_) continue;
    busy_ = true;
    lock.unlock();
    changed_.notify_all();
    Status status = job();
    lock.lock();
    busy_ = false;
    if (!status) failed_ = status.error();
    changed_.notify_all();
  }
}

}  // namespace tendril
