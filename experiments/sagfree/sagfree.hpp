// The figures and the table of "Discrete elastic rods in static equilibrium by parameter optimisation" (active-set
// Cholesky), on the scenes of docs/theory/sag-free.md.
#pragma once

#include "experiments/experiment.hpp"

namespace tendril::experiments::sagfree {

Findings figure1(const Context& context);
Findings figure2(const Context& context);
Findings figure3(const Context& context);
Findings figure4(const Context& context);
Findings figure5(const Context& context);
Findings figure6(const Context& context);
Findings figure7(const Context& context);
Findings figure8(const Context& context);
Findings figure9(const Context& context);
Findings figure10(const Context& context);

}  // namespace tendril::experiments::sagfree
