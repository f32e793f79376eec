#include "experiments/sagfree/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/timer.hpp"
#include "tendril/sagfree/imbalance.hpp"

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::Freedom;
using tendril::sagfree::LagrangianOptions;
using tendril::sagfree::Mode;
using tendril::sagfree::NewtonSample;
using tendril::sagfree::Options;

// Of elements that are not held: those of the vertices 1 to N - 2.
std::vector<double> ratios(const std::vector<double>& after, const std::vector<double>& before) {
  std::vector<double> out;
  for (std::size_t v = 1; v + 1 < after.size(); ++v) out.push_back(after[v] / before[v]);
  return out;
}

void judge(const der::Strands& before, Contestant& c) {
  c.imbalance = tendril::sagfree::imbalances(c.strands, down, c.strands.start())[0];
  c.drift = drift(c.strands);
  const der::RestState initial = before.rest_state(), rest = c.strands.rest_state();
  c.bend_factors = ratios(rest.bend_modulus, initial.bend_modulus);
  c.stretch_factors = ratios(rest.stretch_modulus, initial.stretch_modulus);
}

Contestant by_paper(std::string name, const der::Strands& strands, const Options& options, Freedom freedom,
                    bool multipliers) {
  Contestant c{std::move(name), strands};
  const auto problem = problem_of(strands, freedom);
  const auto box = tendril::sagfree::box_of(problem, options, options.mu.value());
  LagrangianOptions settings = settings_of_the_paper(options.stiffness_weight);
  settings.multipliers = multipliers;
  Eigen::VectorXd p = problem.initial();
  const auto observer = [&](const NewtonSample& sample) {
    c.times.push_back(1e3 * sample.seconds), c.constraints.push_back(sample.constraint);
  };
  const Timer timer;
  const auto report = minimise(problem, box, settings, observer, p);
  c.seconds = timer.seconds();
  c.newton_iterations = report.iterations;
  c.qp_iterations = double(report.qp_iterations) / std::max(1, report.iterations);
  c.strands = with_parameters(strands, problem, p);
  judge(strands, c);
  return c;
}

Contestant by_mode(const der::Strands& strands, Options options, Mode mode) {
  Contestant c{std::string(tendril::sagfree::name(mode)), strands};
  options.mode = mode;
  const auto outcome = tendril::sagfree::optimise(options, strands.start(), c.strands).value();
  c.seconds = outcome.seconds;
  c.newton_iterations = outcome.strands[0].newton_iterations, c.qp_iterations = outcome.strands[0].qp_iterations;
  judge(strands, c);
  return c;
}

}  // namespace

Comparison compare(const der::Description& strand, const Options& options) {
  const der::Strands strands = der::Strands::create(strand).value();
  return {by_mode(strands, options, Mode::naive),
          by_paper("rest shape", strands, options, Freedom::rest_shape, false),
          by_paper("penalty", strands, options, Freedom::full, false),
          by_paper("augmented Lagrangian", strands, options, Freedom::full, true),
          by_mode(strands, options, Mode::full),
          by_mode(strands, options, Mode::sweep)};
}

void claim_order(const Comparison& c, const char* times_of_the_paper, Findings& out) {
  out.claim("drift after 1 s", "rest shape and penalty fail, the Lagrangian keeps the shape",
            fmt::format("naive {:.1e}, rest shape {:.1e}, penalty {:.1e}, Lagrangian {:.1e} m", c.naive.drift,
                        c.rest_shape.drift, c.penalty.drift, c.lagrangian.drift),
            "falls in this order, the last below 1e-6 m",
            c.naive.drift > c.rest_shape.drift && c.rest_shape.drift > c.penalty.drift &&
                c.penalty.drift > c.lagrangian.drift && c.lagrangian.drift < 1e-6);
  out.claim("imbalance after our full mode and the sweep", "not shown",
            fmt::format("{:.1e} and {:.1e}", c.full.imbalance, c.sweep.imbalance), "both below 1e-9",
            c.full.imbalance < 1e-9 && c.sweep.imbalance < 1e-9);
  out.tell("time for rest shape, penalty, Lagrangian; and sweep", times_of_the_paper,
           fmt::format("{:.1f}/{:.1f}/{:.1f} ms; {:.2f} ms", 1e3 * c.rest_shape.seconds, 1e3 * c.penalty.seconds,
                       1e3 * c.lagrangian.seconds, 1e3 * c.sweep.seconds));
}

plot::Table table_of(const Comparison& comparison) {
  plot::Table table{"Each method on the same strand.",
                    {{"method"},
                     {"Newton iterations", true},
                     {"QP iterations each", true},
                     {"imbalance", true},
                     {"drift after 1 s [m]", true},
                     {"largest factor on bending", true},
                     {"on stretching", true},
                     {"time [ms]", true}},
                    {}};
  for (const Contestant* c : comparison.all())
    table.rows.push_back({c->name, fmt::format("{}", c->newton_iterations), fmt::format("{:.1f}", c->qp_iterations),
                          fmt::format("{:.2g}", c->imbalance), fmt::format("{:.2g}", c->drift),
                          fmt::format("{:.4f}", std::ranges::max(c->bend_factors)),
                          fmt::format("{:.4f}", std::ranges::max(c->stretch_factors)),
                          fmt::format("{:.3f}", 1e3 * c->seconds)});
  return table;
}

std::vector<plot::Chart> convergence_charts(const Comparison& comparison) {
  plot::Chart by_iteration{.title = "Balance over iterations",
                           .description = "Norm of the mass-weighted net force.",
                           .x = {.label = "Newton iteration", .whole = true},
                           .y = {"constraint", "kg^1/2 m/s2", plot::AxisKind::logarithmic}};
  plot::Chart by_time = by_iteration;
  by_time.title = "Balance over time", by_time.x = {.label = "time", .unit = "ms"};
  for (const Contestant* c : {&comparison.rest_shape, &comparison.penalty, &comparison.lagrangian}) {
    std::vector<double> iterations;
    for (std::size_t i = 1; i <= c->constraints.size(); ++i) iterations.push_back(double(i));
    by_iteration.add(c->name, iterations, c->constraints, plot::Mark::line_and_points);
    by_time.add(c->name, c->times, c->constraints, plot::Mark::line_and_points);
  }
  return {by_iteration, by_time};
}

plot::Chart factor_chart(std::string title, const Comparison& comparison, std::vector<double> Contestant::*factors) {
  plot::Chart chart{.title = std::move(title),
                    .description = "What each method has made of it; 1: as it was.",
                    .x = {.label = "vertex", .whole = true},
                    .y = {.label = "factor"}};
  for (const Contestant* c : {&comparison.rest_shape, &comparison.penalty, &comparison.lagrangian, &comparison.sweep}) {
    const std::vector<double> values = c->*factors;
    std::vector<double> at;
    for (std::size_t v = 1; v <= values.size(); ++v) at.push_back(double(v));
    chart.add(c->name, at, values, plot::Mark::line_and_points);
  }
  return chart;
}

}  // namespace tendril::experiments::sagfree
