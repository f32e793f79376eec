#include <algorithm>

#include "experiments/experiment.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments {
namespace {

constexpr Experiment list[] = {
    {"sagfree/fig-1", "Strands that are shaken come back to where they were drawn", sagfree::figure1},
    {"sagfree/fig-2", "Averaged 2D curvature loses bending when frames are flipped, 4D does not", sagfree::figure2},
    {"sagfree/fig-3", "An approximated gradient of slerped curvature makes spurious twist", sagfree::figure3},
    {"sagfree/fig-4", "A coil of 2000 vertices: banded against reordered sparse, 2D against 4D variables",
     sagfree::figure4},
    {"sagfree/fig-5", "Bounds by an active set or by a penalty: only one keeps them", sagfree::figure5},
    {"sagfree/fig-6", "A hanging strand: rest shape, penalty and augmented Lagrangian", sagfree::figure6},
    {"sagfree/fig-7", "A strand held out sideways: the same three, and the sweep", sagfree::figure7},
    {"sagfree/fig-8", "Preconditioners of MPRGP on one quadratic program", sagfree::figure8},
    {"sagfree/fig-9", "MPRGP, interior points and active sets over the bound mu (with Table I)", sagfree::figure9},
    {"sagfree/fig-10", "Curls by the hundred: the sweep against the augmented Lagrangian", sagfree::figure10},
};

}  // namespace

std::span<const Experiment> all() { return list; }

const Experiment* find(std::string_view id) {
  const auto found = std::ranges::find(list, id, &Experiment::id);
  return found == std::end(list) ? nullptr : found;
}

}  // namespace tendril::experiments
