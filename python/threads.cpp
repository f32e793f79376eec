#include "threads.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tendril/base/parallel.hpp"

namespace tendril::python {
namespace {

constexpr int most_threads = 1024;

// Never destroyed: threads may wait here until the process is gone.
std::shared_mutex& guard() {
  static auto* const mutex = new std::shared_mutex;
  return *mutex;
}

std::atomic<std::thread::id> last_thread;  // the one that ends the program

}  // namespace

Computing::Computing() : lock_(guard(), std::defer_lock) {
  if (last_thread.load() != std::this_thread::get_id()) lock_.lock();
}

void set_threads(int count) {
  if (count < 0 || count > most_threads)
    throw std::invalid_argument(
        fmt::format("threads: {} cannot be had; give 1 to {}, or 0 for one per core", count, most_threads));
  std::unique_lock alone(guard(), std::defer_lock);
  if (last_thread.load() != std::this_thread::get_id()) alone.lock();
  set_thread_count(count);
}

void end_computing() {
  guard().lock();  // for good
  last_thread = std::this_thread::get_id();
}

}  // namespace tendril::python
