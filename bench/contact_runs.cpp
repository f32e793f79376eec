#include "contact_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiments/bundle.hpp"
#include "tendril/base/cpu_seconds.hpp"

namespace tendril::bench {

using experiments::bundle;
using experiments::BundleOptions;

using contact::Options;
using contact::Problem;

ContactCase bundle_case(int strands, double mu) {
  BundleOptions options;
  options.strands = strands, options.mu = mu, options.mu_body = mu / 0.6;
  return {fmt::format("n{}_mu{:02.0f}", strands, 10.0 * mu), bundle(options), mu, strands};
}

ContactRun run(const Problem& problem, Options options, int rounds) {
  ContactRun best;
  for (int round = 0; round < rounds; ++round) {
    std::optional<double> first;
    double last = 0.0, wall = 0.0, first_wall = 0.0;
    options.observer = [&](const contact::Sample& sample) {
      last = cpu_seconds(), wall = sample.seconds;
      if (!first) first = last, first_wall = wall;
    };
    const double start = cpu_seconds();
    contact::Solution solution = contact::solve(problem, options);
    best.seconds = std::min(best.seconds, cpu_seconds() - start);
    best.sweep_seconds = std::min(best.sweep_seconds, last - first.value_or(last));
    best.sweep_wall_seconds = std::min(best.sweep_wall_seconds, wall - first_wall);
    best.solution = std::move(solution);
  }
  return best;
}

Options by(contact::Solver solver, double tolerance, int max_sweeps) {
  Options options;
  options.solver = solver, options.tolerance = tolerance, options.max_sweeps = max_sweeps, options.freezing = false;
  options.effort = contact::Effort::full;
  return options;
}

double ns_per_visit(const ContactRun& run, const Problem& problem) {
  return 1e9 * run.sweep_seconds / double(run.solution.report.sweeps) / double(problem.size());
}

}  // namespace tendril::bench
