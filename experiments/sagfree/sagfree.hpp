// The figures and the table of "Optimizing Parameters for Static Equilibrium of Discrete Elastic Rods with Active-Set
// Cholesky" (Takahashi and Batty), on the scenes of docs/experiments/sag-free.md.
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
Findings table1(const Context& context);
Findings figure10(const Context& context);

}  // namespace tendril::experiments::sagfree
