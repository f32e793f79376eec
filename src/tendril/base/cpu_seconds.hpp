// Seconds that the process has computed so far, on all of its threads: what benchmarks on one thread compare, since
// neighbours on the machine do not count. Never part of a result.
#pragma once

#include <ctime>

namespace tendril {

inline double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace tendril
