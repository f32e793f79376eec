// Parallel loops: which thread runs an index is left to chance, so a body may write only what belongs to its index (or
// to its worker) and the results keep their bits for every thread count. Sums over a loop are formed afterwards, from
// partials in a fixed order. No call allocates, except to carry an exception.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace tendril {

// Number of threads of all later loops, the calling one included; 0 = one per core. Not while a loop runs.
void set_thread_count(int count);
int thread_count();

// The worker that runs the current body, in [0, thread_count()): selects a per-thread workspace. No two bodies of one
// loop that run at the same time see the same index. 0 outside a loop.
int worker_index();

// While it lives the loops of this thread are plain ones: it works beside those that have the threads.
class PlainLoops {
 public:
  PlainLoops();
  ~PlainLoops();
  PlainLoops(const PlainLoops&) = delete;
  PlainLoops& operator=(const PlainLoops&) = delete;
};

namespace detail {

struct RangeBody {
  void* object;
  void (*call)(void* object, std::size_t begin, std::size_t end);
};
void run_loop(std::size_t count, RangeBody body);

}  // namespace detail

// Calls f(index) once for each index in [0, count), in no particular order, and returns when all have returned. Indices
// are handed out in small ranges to whichever thread is free. The first exception that a body throws is thrown again
// here, after the bodies under way have ended; indices not yet begun are then dropped.
// A plain loop in order for one index or one thread, while the threads are at work for somebody else, and inside
// another parallel_for: there the outer loop has the threads, and the worker index stays that of the outer body.
template <class F>
void parallel_for(std::size_t count, F&& f) {
  using Body = std::remove_reference_t<F>;
  const auto call = [](void* object, std::size_t begin, std::size_t end) {
    Body& body = *static_cast<Body*>(object);
    for (std::size_t index = begin; index < end; ++index) body(index);
  };
  detail::run_loop(count, {const_cast<void*>(static_cast<const void*>(std::addressof(f))), call});
}

}  // namespace tendril
