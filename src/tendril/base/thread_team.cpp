#include "tendril/base/thread_team.hpp"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

namespace tendril {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t open = std::uint64_t{1} << 31, members = open - 1, one_run = std::uint64_t{1} << 32;
// Longer than what lies between two loops of a step, and some times what it takes to wake up.
constexpr std::chrono::microseconds awake{2000};
constexpr int looks_per_yield = 128;

std::uint64_t run_of(std::uint64_t gate) { return gate / one_run; }

// Looks again and again, but lets other programs have the core. False if nothing has come of it for long.
template <class Condition>
bool spin_until(const Condition& holds) {
  const Clock::time_point end = Clock::now() + awake;
  do {
    for (int look = 0; look < looks_per_yield; ++look) {
      if (holds()) return true;
      _mm_pause();
    }
    std::this_thread::yield();
  } while (Clock::now() < end);
  return holds();
}

}  // namespace

int core_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int count) : stays_awake_(count <= core_count()) {
  threads_.reserve(static_cast<std::size_t>(std::max(0, count - 1)));
  for (int worker = 1; worker < count; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

ThreadTeam::~ThreadTeam() {
  is_ending_ = true;
  gate_ += one_run;
  const std::lock_guard lock(sleep_);
  begun_.notify_all();
}

void ThreadTeam::run(Work work) {
  work_ = work;
  gate_ = (run_of(gate_) + 1) * one_run + open;
  if (sleepers_ > 0) {
    const std::lock_guard lock(sleep_);
    begun_.notify_all();
  }
  work.call(work.object, 0);
  gate_ &= ~open;  // who has not come by now has nothing left to do
  wait_for_members();
}

void ThreadTeam::wait_for_members() {
  const auto all_done = [this] { return (gate_ & members) == 0; };
  if (all_done() || (stays_awake_ && spin_until(all_done))) return;
  std::unique_lock lock(sleep_);
  caller_sleeps_ = true;
  left_.wait(lock, all_done);
  caller_sleeps_ = false;
}

// All of these are in one order for all threads, so that either the one that goes to sleep sees what has changed, or
// the one that changes it sees who sleeps.
ThreadTeam::Gate ThreadTeam::next_run(Gate seen) {
  const auto has_begun = [&] { return run_of(gate_) != seen; };
  if (!stays_awake_ || !spin_until(has_begun)) {
    std::unique_lock lock(sleep_);
    ++sleepers_;
    begun_.wait(lock, has_begun);
    --sleepers_;
  }
  return run_of(gate_);
}

bool ThreadTeam::joins(Gate run) {
  Gate gate = gate_;
  while (run_of(gate) == run && (gate & open) != 0)
    if (gate_.compare_exchange_weak(gate, gate + 1)) return true;
  return false;
}

void ThreadTeam::serve(int worker) {
  for (Gate seen = 0; !is_ending_;) {
    seen = next_run(seen);
    if (!joins(seen)) continue;
    work_.call(work_.object, worker);
    if ((--gate_ & members) == 0 && caller_sleeps_) {
      const std::lock_guard lock(sleep_);
      left_.notify_one();
    }
  }
}

}  // namespace tendril
