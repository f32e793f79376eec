// The figures and tables of "A Hybrid Iterative Solver for Robustly Capturing Coulomb Friction in Hair Dynamics"
// (Daviet, Bertails-Descoubes and Boissieux), on the scenes of docs/experiments/contact.md.
#pragma once

#include "experiments/experiment.hpp"

namespace tendril::experiments::contact {

Findings figure6(const Context& context);
Findings figure7(const Context& context);
Findings figure7_hair(const Context& context);
Findings figure8(const Context& context);
Findings figure9(const Context& context);
Findings figure10(const Context& context);
Findings figure11(const Context& context);
Findings table1(const Context& context);
Findings table2(const Context& context);

}  // namespace tendril::experiments::contact
