// How edges are brought to their lengths (docs/theory/inextensible.md, "The step" and "Fast projection").
#pragma once

#include <cstdint>

namespace tendril::inextensible {

enum class Method : std::uint8_t {
  newton,  // to the solution of the step's own equations
  fast,    // fast projection in the metric of the masses, to compare: forces need not balance where it ends
};

}  // namespace tendril::inextensible
