#include "tendril/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/thread_team.hpp"

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

// The indices that one worker begins with. Which those are depends on nothing but the number of indices, so that loops
// over the same things find them in the caches of the same cores.
struct alignas(64) Share {
  std::atomic<std::size_t> next = 0;
  std::size_t end = 0;
};

// One loop: the workers take short ranges of their shares until none is left, then of the others'. The object lives on
// the caller's stack.
class Loop {
 public:
  Loop(std::size_t count, std::span<Share> shares, detail::RangeBody body)
      : shares_(shares),
        // 16 ranges per worker: short enough that unequal bodies even out, long enough that tiny ones do not queue
        // here.
        range_(std::max<std::size_t>(1, count / (16 * shares.size()))),
        body_(body) {
    for (std::size_t w = 0; w < shares.size(); ++w) {
      shares[w].next.store(count * w / shares.size(), std::memory_order_relaxed);
      shares[w].end = count * (w + 1) / shares.size();
    }
  }

  void work(int worker) noexcept {
    const WorkerScope scope(worker);
    try {
      for (std::size_t k = 0; k < shares_.size(); ++k) take_all(shares_[(std::size_t(worker) + k) % shares_.size()]);
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
  void take_all(Share& share) {
    while (!stopped_.load(std::memory_order_relaxed)) {
      const std::size_t begin = share.next.fetch_add(range_, std::memory_order_relaxed);
      if (begin >= share.end) return;
      body_.call(body_.object, begin, std::min(begin + range_, share.end));
    }
  }

  const std::span<Share> shares_;
  const std::size_t range_;
  const detail::RangeBody body_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards thrown_
  std::exception_ptr thrown_;
};

// The threads of all loops: one loop at a time has them.
class Pool {
 public:
  Pool() : count_(core_count()) {}

  int count() const { return count_.load(std::memory_order_relaxed); }

  void resize(int count) {
    const std::lock_guard lock(mutex_);
    if (count == this->count()) return;
    team_.reset();
    count_ = count;
  }

  // False, and nothing is done, while they are at work for another thread.
  bool try_run(std::size_t count, detail::RangeBody body) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    make_team();
    Loop loop(count, shares_, body);
    team_->run({&loop, [](void* object, int worker) noexcept { static_cast<Loop*>(object)->work(worker); }});
    loop.rethrow();
    return true;
  }

 private:
  // At the first loop: a program that never loops starts no thread.
  void make_team() {
    if (team_) return;
    shares_ = std::vector<Share>(static_cast<std::size_t>(count()));
    team_.emplace(count());
  }

  std::mutex mutex_;
  std::atomic<int> count_;
  std::vector<Share> shares_;
  std::optional<ThreadTeam> team_;
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

PlainLoops::PlainLoops() {
  assert(current_worker == outside);
  current_worker = 0;
}
PlainLoops::~PlainLoops() { current_worker = outside; }

int worker_index() { return std::max(current_worker, 0); }

void detail::run_loop(std::size_t count, RangeBody body) {
  if (count == 0) return;
  if (current_worker != outside) return body.call(body.object, 0, count);
  if (count > 1 && thread_count() > 1 && pool().try_run(count, body)) return;
  const WorkerScope scope(0);
  body.call(body.object, 0, count);
}

}  // namespace tendril
