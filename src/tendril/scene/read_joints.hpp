// The tables [[joints]]: rigid connectors at the ends of strands.
#pragma once

#include <vector>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

std::vector<JointSettings> read_joints(TableReader& root, const std::vector<StrandSet>& sets);

// The set that the key `strands` names; the only one if the key is absent. nullptr after a refusal.
const StrandSet* read_set_name(TableReader& table, const std::vector<StrandSet>& sets);

}  // namespace tendril
