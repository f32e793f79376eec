// Inner loops over contiguous doubles, two at a time: every 64-bit machine has registers of two, and the order of the
// additions is fixed by the code, whatever the addresses.
#pragma once

#include <cstddef>

#include "tendril/linalg/lanes.hpp"

namespace tendril::bcqp {

using Pair = Lanes<2>;

inline Pair pair_at(const double* from) { return load<Pair>(from); }
inline void set_pair(double* to, const Pair& pair) { store<Pair>(pair, to); }
inline double sum(const Pair& pair) { return pair[0] + pair[1]; }

inline Pair absolute(const Pair& pair) { return pair < 0.0 ? -pair : pair; }

// Two running sums hide the latency of the addition.
inline double dot(const double* a, const double* b, std::ptrdiff_t count) {
  Pair first{}, second{};
  std::ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4) {
    first += pair_at(a + i) * pair_at(b + i);
    second += pair_at(a + i + 2) * pair_at(b + i + 2);
  }
  double rest = 0.0;
  for (; i < count; ++i) rest += a[i] * b[i];
  return sum(first + second) + rest;
}

// Calls body(S, i) for i = 0, 2, 4, ... with S a pair of doubles, and for the last of an odd count with S one double:
// `body` is a lambda with a template parameter that loads, computes and stores entries i and i + 1, or i alone.
template <class Body>
TENDRIL_INLINE void for_pairs(std::ptrdiff_t count, Body&& body) {
  std::ptrdiff_t i = 0;
  for (; i + 2 <= count; i += 2) body.template operator()<Pair>(i);
  if (i < count) body.template operator()<double>(i);
}

// A running sum over such a loop: the pairs, then the single one.
struct RunningSum {
  Pair pairs{};
  double rest = 0.0;
  void add(const Pair& values) { pairs += values; }
  void add(double value) { rest += value; }
  double total() const { return sum(pairs) + rest; }
};

}  // namespace tendril::bcqp
