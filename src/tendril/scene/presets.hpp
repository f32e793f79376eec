// Materials by name. Values are those of real things, with their source; what is an estimate says so.
#pragma once

#include <span>
#include <string_view>

#include "tendril/rods/der/description.hpp"

namespace tendril {

struct Preset {
  std::string_view name;
  std::string_view meaning;    // with the source, for a list of all presets
  double radius = 0.0;         // [m], the first semi-axis of the section
  double aspect = 1.0;         // second semi-axis over the first
  double young = 0.0;          // [Pa], for bending
  double shear = 0.0;          // [Pa], for twisting
  double stretch_young = 0.0;  // [Pa], for stretching; differs from young where fibres slip past each other
  double density = 0.0;        // [kg/m3]
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);  // nullptr if there is none
der::Material material_of(const Preset& preset);

}  // namespace tendril
