// Which strands came to what, to name them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tendril/sagfree/outcome.hpp"

namespace tendril::sagfree {

inline std::map<StrandStatus, std::vector<std::size_t>> strands_by_status(const Outcome& outcome) {
  std::map<StrandStatus, std::vector<std::size_t>> strands;
  for (std::size_t s = 0; s < outcome.strands.size(); ++s) strands[outcome.strands[s].status].push_back(s);
  return strands;
}

}  // namespace tendril::sagfree
