// The energies of rods.
#pragma once

namespace tendril::der {

struct Energies {
  double stretch = 0.0, bend = 0.0, twist = 0.0, kinetic = 0.0, external = 0.0;  // [J]; external: of gravity and loads
  double elastic() const { return stretch + bend + twist; }
  double total() const { return elastic() + kinetic + external; }
};

}  // namespace tendril::der
