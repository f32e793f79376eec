// Speed of the projection of chains, and of its rivals in the same lanes, on the predictions of a shaken crowd.
#pragma once

#include "bench/report.hpp"

namespace tendril::bench {

struct ChainBenchOptions {
  int chains = 10'000, points = 32;
  bool quick = false;  // a tenth of the chains, fewer steps
  std::function<void(const std::string&)> listener;
};

Report bench_chain(const ChainBenchOptions& options);

}  // namespace tendril::bench
