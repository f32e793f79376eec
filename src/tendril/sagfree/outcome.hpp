// What became of each strand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tendril::sagfree {

enum class StrandStatus : std::uint8_t {
  balanced,  // the net force is below the tolerance, and the equilibrium is stable
  unstable,  // balanced, but the least push makes the strand leave
  bounded,   // the bounds on rest shape and stiffness leave a net force
  stopped,   // the optimiser ended before the balance was met
  not_held,  // nothing holds the strand: no rest state can balance its weight
  sagging,   // out of balance, and nothing was done about it
};
std::string_view name(StrandStatus status);
std::string_view meaning(StrandStatus status);

struct StrandOutcome {
  StrandStatus status = StrandStatus::balanced;
  double mu = 0.0;                // largest change of rest curvature that was allowed
  double imbalance_before = 0.0;  // net force over load, with the drawn shape at rest
  double imbalance = 0.0;
  double stiffness_factor = 1.0;  // the largest of all elements
  int negative_modes = 0;
  int newton_iterations = 0;   // of the general optimiser
  double qp_iterations = 0.0;  // per Newton iteration, of the same
};

// Of all strands of a set.
struct Outcome {
  std::vector<StrandOutcome> strands;
  std::vector<double> stiffness_factor;  // per vertex: the largest of the edge and the joint that stand there
  double seconds = 0.0;                  // that it took
};

// The numbers that people ask for.
struct Summary {
  std::size_t strands = 0, converged = 0, failed = 0, unstable = 0;  // unstable ones are among the converged
  double imbalance_before_median = 0.0, imbalance_median = 0.0, imbalance_max = 0.0;  // converged strands alone
  double stiffness_factor_median = 1.0, stiffness_factor_max = 1.0;
  double mu_median = 0.0, mu_min = 0.0;
  double newton_mean = 0.0, qp_iterations_mean = 0.0;
};
Summary summarise(const std::vector<StrandOutcome>& strands);

}  // namespace tendril::sagfree
