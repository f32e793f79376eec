// Single rods: straight ones, helices, rings and the open trefoil knot. With count > 1, equal copies side by side, or
// packed into a tress.
#pragma once

#include "tendril/scene/generator.hpp"

namespace tendril {

Curves generate_rods(const GeneratorOptions& options);

}  // namespace tendril
