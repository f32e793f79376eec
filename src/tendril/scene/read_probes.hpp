// The tables [[probes]]: what is measured in every frame.
#pragma once

#include <vector>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

std::vector<ProbeSettings> read_probes(TableReader& root, const std::vector<StrandSet>& sets);

}  // namespace tendril
