// The tables [contact] and [[colliders]].
#pragma once

#include <filesystem>
#include <vector>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

std::vector<ColliderSettings> read_colliders(TableReader& root, const std::filesystem::path& folder,
                                             const std::vector<StrandSet>& sets);

// Without the table there is contact only if there are colliders.
ContactSettings read_contact(TableReader& root, const std::vector<StrandSet>& sets,
                             const std::vector<ColliderSettings>& colliders);

FrictionFactor read_friction_factor(TableReader& strands);

}  // namespace tendril
