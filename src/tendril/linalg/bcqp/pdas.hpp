// The primal-dual active set method (docs/theory/box-qp.md, section PDAS): guess which bounds are active, solve for the
// rest, correct the guess by what is violated, until it stays. Exact after a few factorisations where it settles; it
// may cycle, and then says so.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/linalg/bcqp/best.hpp"
#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

struct PdasWork {
  std::vector<std::int8_t> active;   // per entry: -1 at lower, 1 at upper, 0 free
  std::vector<std::uint64_t> met;    // hashes of the active sets so far
  Vector free, zero, right, solved;  // F; no shift; right-hand side; x where bounds are violated
  Vector gradient;
  Best best;
};

// x: the start, in the box; with warm_start its active set is the first guess. Then the result, or on failure the
// point of the lowest objective met.
[[nodiscard]] Outcome pdas(Run& run, PdasWork& work, Vector& x);

}  // namespace tendril::bcqp
