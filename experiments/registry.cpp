#include "experiments/contact/real_grooms.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments {

std::span<const Experiment> all() {
  static constexpr Experiment list[] = {
      {"sagfree/fig-1", "Strands that are shaken come back to where they were drawn", sagfree::figure1},
      {"sagfree/fig-2", "Averaged curvature loses bending when frames are flipped, 4D does not", sagfree::figure2},
      {"sagfree/fig-3", "An approximated gradient of slerped curvature makes spurious twist", sagfree::figure3},
      {"sagfree/fig-4", "A coil: banded against reordered systems, 2D against 4D rest curvature", sagfree::figure4},
      {"sagfree/fig-5", "Bounds by an active set or by a penalty: only one keeps them", sagfree::figure5},
      {"sagfree/fig-6", "A hanging strand: rest shape, penalty and augmented Lagrangian", sagfree::figure6},
      {"sagfree/fig-7", "A strand held out sideways: the same three, and the sweep", sagfree::figure7},
      {"sagfree/fig-8", "Preconditioners of MPRGP on one quadratic program", sagfree::figure8},
      {"sagfree/fig-9", "MPRGP, interior points and Gauss-Seidel over the bound mu, against time", sagfree::figure9},
      {"sagfree/table-1", "MPRGP and interior points over the bound mu: iterations and times", sagfree::table1},
      {"sagfree/fig-10", "Curls by the hundred: rest shape, augmented Lagrangian and sweep", sagfree::figure10},
      {"contact/sintel", "A whole head of hair that starts inside the head, shaken", real_grooms_in_contact::sintel},
      {"contact/ponytail", "A ponytail on an ellipsoid, shaken", real_grooms_in_contact::ponytail},
  };
  return list;
}

}  // namespace tendril::experiments
