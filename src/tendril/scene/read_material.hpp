// The material of a set of strands: a preset, single values, or a preset of which some values are changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tendril/rods/der/description.hpp"
#include "tendril/scene/table_reader.hpp"
#include "tendril/scene/value_map.hpp"

namespace tendril {

struct ChosenMaterial {
  std::string preset;  // that the values started from; empty: none
  der::Material values;
  bool has_radius = false;  // of its own, not the preset's
  std::optional<ValueMap> radius_map, young_map;
};

// Human hair if the owner has no key `material`. A change of young alone changes the other moduli in proportion.
// Maps are sought in `folder`.
ChosenMaterial read_material(TableReader& owner, const std::filesystem::path& folder);

}  // namespace tendril
