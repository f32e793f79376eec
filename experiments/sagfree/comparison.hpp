// One strand by every method, side by side: figures 6 and 7.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::experiments::sagfree {

struct Contestant {
  std::string name;
  der::Strands strands;  // with what the method found
  double imbalance = 0.0, drift = 0.0;
  int newton_iterations = 0;
  double qp_iterations = 0.0;  // per Newton iteration
  double seconds = 0.0;
  std::vector<double> times = {}, constraints = {};  // [ms]; norm of the mass-weighted net force over the iterations
  std::vector<double> bend_factors = {}, stretch_factors = {};  // stiffness after over before, from vertex 1 on
};

// `naive`, the three methods of the paper with its settings, then our mode `full` and the sweep.
struct Comparison {
  Contestant naive, rest_shape, penalty, lagrangian, full, sweep;

  std::vector<const Contestant*> all() const { return {&naive, &rest_shape, &penalty, &lagrangian, &full, &sweep}; }
};
Comparison compare(const der::Description& strand, const tendril::sagfree::Options& options);

// Drift of naive > rest shape > penalty > Lagrangian, and what else both figures have.
void claim_order(const Comparison& comparison, const char* times_of_the_paper, Findings& out);
plot::Table table_of(const Comparison& comparison);
std::vector<plot::Chart> convergence_charts(const Comparison& comparison);
plot::Chart factor_chart(std::string title, const Comparison& comparison, std::vector<double> Contestant::*factors);

}  // namespace tendril::experiments::sagfree
