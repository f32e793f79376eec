// Projections of chains, what stands in for the figures that "Projecting chains of constrained points" (Silcowitz) does
// not have: iterations, order of convergence, rivals, masses, single precision, general optimisers, speed
// (docs/experiments/chain.md).
#pragma once

#include <string>

#include "experiments/experiment.hpp"

namespace tendril::experiments::chain {

// In place of the paper's figure, which there is not: what a first program of the same methods had.
inline std::string no_figure(const std::string& prototype) { return "none (a prototype: " + prototype + ")"; }

Findings iterations(const Context& context);
Findings order(const Context& context);
Findings rivals(const Context& context);
Findings single_precision(const Context& context);
Findings optimisers(const Context& context);
Findings speed(const Context& context);

}  // namespace tendril::experiments::chain
