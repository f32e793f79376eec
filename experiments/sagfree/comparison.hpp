// One strand by every mode, side by side: figures 6 and 7.
#pragma once

#include "experiments/sagfree/scenes.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::experiments::sagfree {

struct ModeResult {
  tendril::sagfree::Mode mode;
  tendril::sagfree::StrandOutcome outcome;
  der::RestState rest, before;
  double drift = 0.0, seconds = 0.0;

  double largest_bend_factor() const;
  double largest_stretch_factor() const;
};

// In the order naive, rest shape, penalty, full, sweep.
std::vector<ModeResult> compare_modes(const der::Description& strand, tendril::sagfree::Options options);

plot::Table table_of(const std::vector<ModeResult>& results);
// Norm of the constraint over the Newton iterations of the penalty and of the augmented Lagrangian, and over time.
std::vector<plot::Chart> convergence_charts(const der::Description& strand, const tendril::sagfree::Options& options);

}  // namespace tendril::experiments::sagfree
