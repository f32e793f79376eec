// Problems apart from each other: the large ones one after the other, each with all threads, then the small ones side
// by side.
#pragma once

#include <cstddef>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {

constexpr std::size_t large_problem = 1000;  // contacts: worth all threads for itself

template <class IsLarge, class Solve>
void solve_large_first(std::size_t count, const IsLarge& is_large, const Solve& solve) {
  for (std::size_t k = 0; k < count; ++k)
    if (is_large(k)) solve(k);
  parallel_for(count, [&](std::size_t k) {
    if (!is_large(k)) solve(k);
  });
}

}  // namespace tendril::contact
