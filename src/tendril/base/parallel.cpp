#include "tendril/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#ifdef TENDRIL_THREADS_JTHREAD
#include <condition_variable>
#include <cstdint>
#include <vector>
#else
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#endif

namespace tendril {
namespace {

constexpr int outside = -1;
thread_local int current_worker = outside;

class WorkerScope {
 public:
  explicit WorkerScope(int index) { current_worker = index; }
  ~WorkerScope() { current_worker = outside; }
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;
};

// One loop: the workers take ranges from `next` until none is left. The object lives on the caller's stack.
class Loop {
 public:
  Loop(std::size_t count, int workers, detail::RangeBody body)
      : count_(count),
        // 16 ranges per worker: short enough that unequal bodies even out, long enough that tiny ones do not queue
        // here.
        range_(std::max<std::size_t>(1, count / (16 * static_cast<std::size_t>(workers)))),
        body_(body) {}

  void work(int worker) noexcept {
    const WorkerScope scope(worker);
    try {
      for (;;) {
        const std::size_t begin = next_.fetch_add(range_, std::memory_order_relaxed);
        if (begin >= count_ || stopped_.load(std::memory_order_relaxed)) return;
        body_.call(body_.object, begin, std::min(begin + range_, count_));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      stopped_.store(true, std::memory_order_relaxed);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::size_t count_, range_;
  const detail::RangeBody body_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards thrown_
  std::exception_ptr thrown_;
};

#ifdef TENDRIL_THREADS_JTHREAD

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Threads 1.. wait for the next loop; the caller is worker 0. One loop at a time.
class Threads {
 public:
  explicit Threads(int count) {
    for (int worker = 1; worker < count; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  }
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    start_.notify_all();
  }

  void run(Loop& loop) {
    const std::lock_guard one_at_a_time(callers_);
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      busy_ = threads_.size();
      ++round_;
    }
    start_.notify_all();
    loop.work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve(int worker) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
      Loop& loop = *loop_;
      lock.unlock();
      loop.work(worker);
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex callers_, mutex_;  // mutex_ guards all below
  std::condition_variable start_, done_;
  Loop* loop_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

#else

int core_count() { return std::max(1, tbb::info::default_concurrency()); }

class Threads {
 public:
  explicit Threads(int count)
      // TBB starts no more workers than there are cores unless told; tests want eight threads on two cores.
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(std::max(count, core_count()))),
        arena_(count) {}

  void run(Loop& loop) {
    arena_.execute([&] {
      tbb::parallel_for(
          0, arena_.max_concurrency(), [&](int) { loop.work(tbb::this_task_arena::current_thread_index()); },
          tbb::simple_partitioner());
    });
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

#endif

class Pool {
 public:
  Pool() : count_(core_count()) {}

  int count() const { return count_.load(std::memory_order_relaxed); }

  void resize(int count) {
    const std::lock_guard lock(mutex_);
    if (count == this->count()) return;
    threads_.reset();
    count_ = count;
  }

  void run(Loop& loop) { threads().run(loop); }

 private:
  // Made at the first loop: a program that never loops starts no thread.
  Threads& threads() {
    const std::lock_guard lock(mutex_);
    if (!threads_) threads_.emplace(count());
    return *threads_;
  }

  std::mutex mutex_;
  std::atomic<int> count_;
  std::optional<Threads> threads_;
};

Pool& pool() {
  static Pool the_pool;
  return the_pool;
}

}  // namespace

void set_thread_count(int count) {
  assert(count >= 0 && current_worker == outside);
  pool().resize(count > 0 ? count : core_count());
}

int thread_count() { return pool().count(); }

int worker_index() { return std::max(current_worker, 0); }

void detail::run_loop(std::size_t count, RangeBody body) {
  if (count == 0) return;
  if (current_worker != outside) return body.call(body.object, 0, count);
  const int workers = thread_count();
  if (count == 1 || workers == 1) {
    const WorkerScope scope(0);
    return body.call(body.object, 0, count);
  }
  Loop loop(count, workers, body);
  pool().run(loop);
  loop.rethrow();
}

}  // namespace tendril
