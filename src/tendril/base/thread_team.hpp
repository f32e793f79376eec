// Threads that wait for work together. Between two loops of a step there are often some hundred microseconds of other
// work; a thread that sleeps meanwhile takes as long to wake up, and one loop after the other would be over before it
// comes. So they stay awake for a while, as long as there is a core for each of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tendril {

int core_count();  // that this program may use

class ThreadTeam {
 public:
  struct Work {
    void* object;
    void (*call)(void* object, int worker) noexcept;
  };

  // The calling thread is one of them.
  explicit ThreadTeam(int count);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls the work once on this thread, as worker 0, and on every other one that comes before that call returns; ends
  // when all calls have. Not from two threads at once.
  void run(Work work);

 private:
  // Number of the run, whether threads may still join it, and how many have that are not done.
  using Gate = std::uint64_t;

  void serve(int worker);
  Gate next_run(Gate seen);
  bool joins(Gate run);
  void wait_for_members();

  const bool stays_awake_;
  Work work_{};
  std::atomic<Gate> gate_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> caller_sleeps_ = false, is_ending_ = false;
  std::mutex sleep_;
  std::condition_variable begun_, left_;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace tendril
