// Wall-clock seconds for reports and benchmarks. Never part of a result: times differ from run to run.
#pragma once

#include <chrono>

namespace tendril {

class Timer {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }  // [s] since start
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace tendril
