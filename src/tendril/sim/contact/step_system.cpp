#include "tendril/sim/contact/step_system.hpp"

namespace tendril {

std::vector<BlockPlace> all_blocks(std::span<StepSystem* const> systems) {
  std::vector<BlockPlace> blocks;
  for (StepSystem* const system : systems)
    for (std::size_t b = 0; b < system->block_count(); ++b) blocks.push_back({system, b});
  return blocks;
}

}  // namespace tendril
