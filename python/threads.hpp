// The number of threads may not change while a loop runs (base/parallel.hpp), but Python may ask for it at any time
// from any thread: calls that compute hold a Computing, and set_threads() waits for all of them.
#pragma once

#include <shared_mutex>

namespace tendril::python {

class Computing {
 public:
  Computing();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

// 0: one thread per core. Throws std::invalid_argument for a count that cannot be.
void set_threads(int count);

}  // namespace tendril::python
