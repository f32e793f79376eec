#include "experiments/sagfree/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::Mode;
using tendril::sagfree::NewtonSample;
using tendril::sagfree::Options;

double largest_ratio(const std::vector<double>& after, const std::vector<double>& before) {
  double largest = 0.0;
  for (std::size_t v = 0; v < after.size(); ++v) largest = std::max(largest, after[v] / before[v]);
  return largest;
}

}  // namespace

double ModeResult::largest_bend_factor() const { return largest_ratio(rest.bend_modulus, before.bend_modulus); }
double ModeResult::largest_stretch_factor() const {
  return largest_ratio(rest.stretch_modulus, before.stretch_modulus);
}

std::vector<ModeResult> compare_modes(const der::Description& strand, Options options) {
  std::vector<ModeResult> results;
  for (const Mode mode : {Mode::naive, Mode::rest_shape, Mode::penalty, Mode::full, Mode::sweep}) {
    der::Strands strands = der::Strands::create(strand).value();
    options.mode = mode;
    ModeResult result{mode, {}, {}, strands.rest_state()};
    const tendril::sagfree::Outcome outcome = tendril::sagfree::optimise(options, strands.start(), strands).value();
    result.outcome = outcome.strands[0], result.seconds = outcome.seconds;
    result.rest = strands.rest_state();
    result.drift = drift(strands);
    results.push_back(std::move(result));
  }
  return results;
}

plot::Table table_of(const std::vector<ModeResult>& results) {
  plot::Table table{"Each mode on the same strand.",
                    {{"mode"},
                     {"Newton iterations", true},
                     {"QP iterations each", true},
                     {"imbalance", true},
                     {"drift after 1 s [m]", true},
                     {"largest factor on bending", true},
                     {"on stretching", true},
                     {"time [ms]", true}},
                    {}};
  for (const ModeResult& r : results)
    table.rows.push_back({std::string(tendril::sagfree::name(r.mode)), fmt::format("{}", r.outcome.newton_iterations),
                          fmt::format("{:.1f}", r.outcome.qp_iterations), fmt::format("{:.2g}", r.outcome.imbalance),
                          fmt::format("{:.2g}", r.drift), fmt::format("{:.4f}", r.largest_bend_factor()),
                          fmt::format("{:.4f}", r.largest_stretch_factor()), fmt::format("{:.3f}", 1e3 * r.seconds)});
  return table;
}

std::vector<plot::Chart> convergence_charts(const der::Description& strand, const Options& options) {
  using namespace tendril::sagfree;
  const der::Strands strands = der::Strands::create(strand).value();
  const StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, options.gravity, Freedom::full);
  plot::Chart by_iteration{.title = "Balance over iterations",
                           .description = "Norm of the mass-weighted net force.",
                           .x = {.label = "Newton iteration", .whole = true},
                           .y = {"constraint", "kg^1/2 m/s2", plot::AxisKind::logarithmic}};
  plot::Chart by_time = by_iteration;
  by_time.title = "Balance over time", by_time.x = {.label = "time", .unit = "ms"};
  for (const bool multipliers : {false, true}) {
    LagrangianOptions settings;
    settings.multipliers = multipliers;
    settings.stiffness_weight = options.stiffness_weight, settings.rest_weight = options.rest_weight;
    std::vector<double> iterations, times, norms;
    Eigen::VectorXd p = problem.initial();
    minimise(
        problem, box_of(problem, options, options.mu.value_or(1.0)), settings,
        [&](const NewtonSample& sample) {
          iterations.push_back(sample.iteration), times.push_back(1e3 * sample.seconds);
          norms.push_back(sample.constraint);
        },
        p);
    const std::string name = multipliers ? "augmented Lagrangian" : "penalty";
    by_iteration.add(name, iterations, norms, plot::Mark::line_and_points);
    by_time.add(name, times, norms, plot::Mark::line_and_points);
  }
  return {by_iteration, by_time};
}

}  // namespace tendril::experiments::sagfree
