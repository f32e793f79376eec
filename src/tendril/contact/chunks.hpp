// Loops over chunks of fixed length: what a chunk holds depends on the data, never on who runs it, so sums that are
// formed per chunk and added in order keep their bits for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {

// Contacts: with fewer, threads take longer to tell each other of an iteration than the iteration does.
constexpr std::size_t worth_sharing = 2000;

inline std::size_t chunk_count(std::size_t count, std::size_t chunk) { return (count + chunk - 1) / chunk; }

// body(chunk, first, end). Not worth waking threads: in order.
template <class Body>
void for_chunks(std::size_t count, std::size_t chunk, bool wake_threads, Body&& body) {
  const auto run = [&](std::size_t c) { body(c, c * chunk, std::min(count, (c + 1) * chunk)); };
  const std::size_t chunks = chunk_count(count, chunk);
  if (wake_threads) return parallel_for(chunks, run);
  for (std::size_t c = 0; c < chunks; ++c) run(c);
}

}  // namespace tendril::contact
