// The tables [[joints]]: rigid connectors at the ends of strands, and points that stay together.
#pragma once

#include <vector>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

void read_joints(TableReader& root, const std::vector<StrandSet>& sets, std::vector<JointSettings>& connectors,
                 std::vector<PointJointSettings>& points);

// The set that the key `strands` names; the only one if the key is absent. nullptr after a refusal.
const StrandSet* read_set_name(TableReader& table, const std::vector<StrandSet>& sets);

}  // namespace tendril
