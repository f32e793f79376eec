// Numbers with units, as a scene writes them: "40 um", "3.9 GPa", "1.3 g/cm3", "45 deg", "5 m/s". A plain number is SI.
// The unit must fit what the key asks for; the value must be finite. Powers may be written m3, m^3 or m³, micro u or µ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tendril/base/error.hpp"

namespace tendril {

enum class Dimension : std::uint8_t {
  none,
  length,         // [m]
  time,           // [s]
  mass,           // [kg]
  pressure,       // [Pa], also moduli
  density,        // [kg/m3]
  angle,          // [rad]
  angular_speed,  // [rad/s]
  frequency,      // [Hz]
  speed,          // [m/s]
  acceleration,   // [m/s2]
  force,          // [N]
  torque,         // [N m]
  inertia,        // [kg m2]
  compliance,     // [m/N]
};

struct DimensionWords {
  std::string_view article;  // "a"
  std::string_view name;     // "length"
  std::string_view si_unit;  // "m"; empty for plain numbers
  std::string_view example;  // "25 cm"
};
DimensionWords words(Dimension dimension);

// The value in SI units. An error names the key, what was given and an example of what would be right; `where` is
// empty, for the caller knows the place.
Result<double> parse_quantity(std::string_view key, std::string_view text, Dimension dimension);

}  // namespace tendril
