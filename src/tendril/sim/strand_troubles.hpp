// Why steps of strands stayed above tolerance, by models that can say: how many strands in how many steps, and where it
// was first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tendril {

struct StrandTrouble {
  std::string set, status, why;  // of strands; in one word, and in a sentence
  std::int64_t count = 0;        // strands, summed over steps
  std::size_t strand = 0;        // the first one, in the first step
  double time = 0.0;             // [s], at the end of that
};

// Later ones of the same set and status are counted.
void add(const std::vector<StrandTrouble>& later, std::vector<StrandTrouble>& all);
// "rope, strand 0, first at 0.5 s: overstretched, 72 times in all strands and steps: ..."
std::string text(const StrandTrouble& trouble);

}  // namespace tendril
