#include "experiments/chain/chain.hpp"
#include "experiments/contact/contact.hpp"
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
      {"contact/fig-6", "The Delassus operator: time against contacts, in blocks and as a sparse product",
       contact::figure6},
      {"contact/fig-7", "A rod on a ball that turns to and fro: exact solvers share one orbit", contact::figure7},
      {"contact/fig-7-hair", "A head of hair with the exact cone and with a pyramid", contact::figure7_hair},
      {"contact/fig-8", "The head moves fast and stops: hair with and without friction", contact::figure8},
      {"contact/fig-9", "Hair at rest: patterns that friction holds, and stick-slip", contact::figure9},
      {"contact/fig-10", "Curly hair keeps its volume", contact::figure10},
      {"contact/fig-11", "Problems that need more than so many sweeps, by local solver", contact::figure11},
      {"contact/table-1", "Four heads of hair over three seconds", contact::table1},
      {"contact/table-2", "Three batches of one-step problems, by every local solver", contact::table2},
      {"contact/sintel", "A whole head of hair that starts inside the head, shaken", real_grooms_in_contact::sintel},
      {"contact/ponytail", "A ponytail on an ellipsoid, shaken", real_grooms_in_contact::ponytail},
      {"chain/e1", "The projection against a general optimiser", chain::optimisers},
      {"chain/e2", "Iterations of projections: kinds of predictions, numbers of points, loads", chain::iterations},
      {"chain/e3", "Order of convergence: Newton's method and two stages", chain::order},
      {"chain/e4", "PBD, fast projection and the projection: links and distance", chain::rivals},
      {"chain/e5", "Single precision against double", chain::single_precision},
      {"chain/e6", "Time per point: the projection, its parts and its rivals", chain::speed},
  };
  return list;
}

}  // namespace tendril::experiments
