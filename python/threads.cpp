#include "threads.hpp"

#include <fmt/format.h>

#include <mutex>
#include <stdexcept>

#include "tendril/base/parallel.hpp"

namespace tendril::python {
namespace {

constexpr int most_threads = 1024;

std::shared_mutex& guard() {
  static std::shared_mutex mutex;
  return mutex;
}

}  // namespace

Computing::Computing() : lock_(guard()) {}

void set_threads(int count) {
  if (count < 0 || count > most_threads)
    throw std::invalid_argument(
        fmt::format("threads: {} cannot be had; give 1 to {}, or 0 for one per core", count, most_threads));
  const std::unique_lock alone(guard());
  set_thread_count(count);
}

}  // namespace tendril::python
