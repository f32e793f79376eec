#include "tendril/sim/strand_troubles.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tendril {

void add(const std::vector<StrandTrouble>& later, std::vector<StrandTrouble>& all) {
  for (const StrandTrouble& trouble : later) {
    const auto found = std::ranges::find_if(
        all, [&](const StrandTrouble& known) { return known.set == trouble.set && known.status == trouble.status; });
    if (found == all.end())
      all.push_back(trouble);
    else
      found->count += trouble.count;
  }
}

std::string text(const StrandTrouble& trouble) {
  return fmt::format("{}, strand {}, first at {:.6g} s: {} ({}, {} in all strands and steps)", trouble.set,
                     trouble.strand, trouble.time, trouble.why, trouble.status,
                     trouble.count == 1 ? "once" : fmt::format("{} times", trouble.count));
}

}  // namespace tendril
