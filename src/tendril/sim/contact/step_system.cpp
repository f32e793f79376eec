#include "tendril/sim/contact/step_system.hpp"

namespace tendril {

std::vector<BlockPlace> all_blocks(std::span<const std::unique_ptr<StepSystem>> systems) {
  std::vector<BlockPlace> blocks;
  for (const auto& system : systems)
    for (std::size_t b = 0; b < system->block_count(); ++b) blocks.push_back({system.get(), b});
  return blocks;
}

}  // namespace tendril
