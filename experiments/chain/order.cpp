// The error of an iteration against that of the one before it.
#include <fmt/format.h>

#include <cmath>

#include "experiments/chain/chain.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {
namespace {

using tendril::chain::Method;

std::vector<double> errors(const tendril::chain::Problem& problem, Method method, int most) {
  tendril::chain::Options exact;
  exact.tolerance = 1e-13, exact.max_iterations = 400;
  const auto closest = project(problem, exact).positions;
  const double all = mass_norm(problem, problem.prediction, closest);
  std::vector<double> out = {mass_norm(problem, problem.start, closest) / all};
  for (int k = 1; k <= most; ++k) {
    tendril::chain::Options options;
    options.method = method, options.tolerance = 1e-300, options.max_iterations = k;
    out.push_back(mass_norm(problem, project(problem, options).positions, closest) / all);
  }
  return out;
}

}  // namespace

Findings order(const Context&) {
  const tendril::chain::Problem problem = tendril::chain::noisy_chain(7, 40, 0.3);
  const std::vector<double> newton = errors(problem, Method::newton, 9),
                            two_stage = errors(problem, Method::two_stage, 30);
  Findings out;
  double best = 0.0;
  for (std::size_t k = 1; k + 1 < newton.size(); ++k)
    if (newton[k] < 1e-2 && newton[k] > 1e-7 && newton[k + 1] > 1e-15)
      best = std::max(best, std::log(newton[k + 1]) / std::log(newton[k]));
  const double factor = std::pow(two_stage[30] / two_stage[20], 0.1);
  out.claim("Newton's method: log of an error over that of the one before", no_figure("2"), fmt::format("{:.2f}", best),
            "more than 1.7", best > 1.7);
  out.claim("two stages: factor of the error per iteration", no_figure("0.43 to 0.47"), fmt::format("{:.2f}", factor),
            "0.2 to 0.8", factor > 0.2 && factor < 0.8);
  plot::Chart chart{.title = "Distance from the closest chain",
                    .description = "40 points with noise 0.3, in the norm of the masses, over that of the prediction.",
                    .x = {.label = "iteration", .whole = true},
                    .y = {.label = "distance", .kind = plot::AxisKind::logarithmic}};
  const auto add = [&](const char* name, const std::vector<double>& values) {
    std::vector<double> k;
    for (std::size_t i = 0; i < values.size(); ++i) k.push_back(double(i));
    chart.add(name, k, values);
  };
  add("Newton", newton), add("two stages", two_stage);
  out.charts.push_back(std::move(chart));
  return out;
}

}  // namespace tendril::experiments::chain
