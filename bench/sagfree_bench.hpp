// How fast strands are brought into equilibrium as drawn, and how well: generated curls, and real grooms where there
// are; and how the methods for it compare.
#pragma once

#include <filesystem>

#include "report.hpp"

namespace tendril::bench {

struct SagfreeBenchOptions {
  int strands = 915, vertices = 100;  // of the generated curls
  int rounds = 5;                     // the best counts
  std::filesystem::path data;         // folder with grooms/; empty: none
};

Report bench_sagfree(const SagfreeBenchOptions& options);

}  // namespace tendril::bench
