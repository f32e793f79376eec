// How fast contact problems are solved, and how well: bundles of hair of three sizes, by sweeps, by gradients and by
// what `auto` makes of them, from rest and from the step before, on one thread and on two.
#pragma once

#include "report.hpp"

namespace tendril::bench {

struct ContactBenchOptions {
  int rounds = 3;      // the best counts
  bool quick = false;  // small bundles, and no tight tolerance on large ones
};

Report bench_contact(const ContactBenchOptions& options);

}  // namespace tendril::bench
