// How fast discrete elastic rods step: against LAPACK, over threads, over sizes.
#pragma once

#include "report.hpp"

namespace tendril::bench {

struct DerBenchOptions {
  int strands = 1024, vertices = 100;
  int rounds = 7;       // step and LAPACK take turns; medians over the rounds
  bool sizes = true;    // also 100 to 20 000 strands and 16 to 1000 vertices
  bool threads = true;  // also two threads against one
};

Report bench_der(const DerBenchOptions& options);

}  // namespace tendril::bench
