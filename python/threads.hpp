// The number of threads may not change while a loop runs (base/parallel.hpp), and no loop may run while the program
// ends; but Python asks for both at any time and from any thread. So calls that compute hold a Computing, and what
// needs the machine for itself waits for all of them. Nobody may wait for that while holding Python's lock.
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

// The program ends: waits for all calls, and from now on the calls of all other threads wait for ever.
void end_computing();

}  // namespace tendril::python
