// PBD, fast projection and SHAKE beside the projection: how far their links are off, and how far they are from the
// closest chain.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "experiments/chain/chain.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {
namespace {

using Eigen::Vector3d;
using tendril::chain::Method;
using tendril::chain::Problem;

struct Place {
  double violation = 0.0, distance = 0.0;
  std::string text() const { return fmt::format("{:.1e}, {:.1e}", violation, distance); }
};

struct Scene {
  std::string name;
  Problem problem;
  std::vector<Vector3d> closest;
  double all = 0.0;  // from the prediction to the closest chain

  Scene(std::string called, Problem given) : name(std::move(called)), problem(std::move(given)) {
    tendril::chain::Options exact;
    exact.tolerance = 1e-13, exact.max_iterations = 400;
    closest = project(problem, exact).positions;
    all = mass_norm(problem, problem.prediction, closest);
  }
  Place after(Method method, int iterations) const {
    tendril::chain::Options options;
    options.method = method, options.tolerance = 1e-300, options.max_iterations = iterations;
    const auto x = project(problem, options).positions;
    return {violation(problem, x), mass_norm(problem, x, closest) / all};
  }
  // XPBD with links that give way by a hundredth of what a point does.
  Place compliant(int sweeps) const {
    tendril::chain::Options options;
    options.method = Method::xpbd, options.tolerance = 1e-300, options.max_iterations = sweeps;
    const std::vector<double> compliance(problem.length.size(), 0.01);
    tendril::chain::Chains chains = problem.view();
    chains.compliance = compliance;
    tendril::chain::Projections found;
    tendril::chain::Projector().project(chains, options, found);
    return {violation(problem, found.positions), mass_norm(problem, found.positions, closest) / all};
  }
};

// As smooth as hair.
Problem smooth_noise(std::uint64_t seed, std::size_t points, double noise) {
  Problem made = tendril::chain::noisy_chain(seed, points, noise);
  const auto before = made.start, smooth = tendril::chain::random_chain(seed, points, 0.1);
  for (std::size_t i = 0; i < points; ++i) made.prediction[i] += smooth[i] - before[i];
  made.start = smooth;
  return made;
}

// Moved by a few long waves of random heights.
Problem waved_chain(std::uint64_t seed, std::size_t points, double height) {
  Problem made = tendril::chain::noisy_chain(seed, points, 0.0);
  Random random(seed, 2);
  for (int wave = 1; wave <= 4; ++wave) {
    const Vector3d top = height * Vector3d(random.normal(), random.normal(), random.normal());
    for (std::size_t i = 1; i < points; ++i)
      made.prediction[i] += std::sin(wave * std::numbers::pi * double(i) / double(points - 1)) * top;
  }
  return made;
}

plot::Chart chart_of(const Scene& scene) {
  plot::Chart chart{
      .title = fmt::format("Distance from the closest chain: {}", scene.name),
      .description = "In the norm of the masses, over that of the prediction, after so many sweeps or iterations.",
      .x = {.label = "sweeps or iterations", .kind = plot::AxisKind::logarithmic},
      .y = {.label = "distance", .kind = plot::AxisKind::logarithmic}};
  for (const auto& [name, method, most] : {std::tuple{"PBD", Method::pbd, 1000},
                                           {"fast projection", Method::fast, 60},
                                           {"two stages", Method::two_stage, 20},
                                           {"hybrid", Method::hybrid, 8}}) {
    std::vector<double> k, y;
    for (int i = 1; i <= most; i += 1 + i / 4) k.push_back(i), y.push_back(scene.after(method, i).distance);
    chart.add(name, k, y);
  }
  return chart;
}

}  // namespace

Findings rivals(const Context&) {
  using namespace tendril::chain;
  Findings out;
  plot::Table table{.caption = "Links off by, distance from the closest chain",
                    .columns = {{"prediction"},
                                {"PBD 10"},
                                {"PBD 100"},
                                {"PBD 1000"},
                                {"fast 3"},
                                {"fast 10"},
                                {"SHAKE 20"},
                                {"XPBD 100"},
                                {"two-stage 3"},
                                {"two-stage 10"},
                                {"hybrid 3"},
                                {"hybrid 4"}},
                    .rows = {}};
  const Scene noise("noise 0.1", smooth_noise(1, 40, 0.1)), jerk("root jerked", jerked_chain(1, 40, 0.1, 1.0)),
      heavy_jerk("root jerked, tip mass 1e4", jerked_chain(1, 40, 0.1, 1e4)),
      smooth("200 points, long waves of 0.3", waved_chain(1, 200, 0.3)),
      rope("taut rope, load 1", taut_rope(1, 40, 1.0)), some("taut rope, load 1e2", taut_rope(1, 40, 1e2)),
      loaded("taut rope, load 1e4", taut_rope(1, 40, 1e4)), heavy("taut rope, load 1e6", taut_rope(1, 40, 1e6));
  for (const Scene* scene : {&noise, &jerk, &heavy_jerk, &smooth, &rope, &some, &loaded, &heavy}) {
    const auto cell = [&](Method method, int k) { return plot::Cell(scene->after(method, k).text()); };
    table.rows.push_back({scene->name, cell(Method::pbd, 10), cell(Method::pbd, 100), cell(Method::pbd, 1000),
                          cell(Method::fast, 3), cell(Method::fast, 10), cell(Method::shake, 20),
                          plot::Cell(scene->compliant(100).text()), cell(Method::two_stage, 3),
                          cell(Method::two_stage, 10), cell(Method::hybrid, 3), cell(Method::hybrid, 4)});
  }
  const Place pbd = noise.after(Method::pbd, 3000), fast = noise.after(Method::fast, 20);
  const auto plateau = [](const Place& place) {
    return place.violation < 1e-12 && place.distance > 0.02 && place.distance < 0.2;
  };
  out.claim("PBD, noise 0.1, once links are exact: distance", no_figure("0.09"), fmt::format("{:.3f}", pbd.distance),
            "links within 1e-12, 0.02 to 0.2", plateau(pbd));
  out.claim("fast projection, the same", no_figure("0.13"), fmt::format("{:.3f}", fast.distance),
            "links within 1e-12, 0.02 to 0.2", plateau(fast));
  const double of_pbd = loaded.after(Method::pbd, 1000).distance, of_two = loaded.after(Method::two_stage, 3).distance;
  out.claim("taut rope with a load of 1e4: PBD after 1000 sweeps over two stages after 3", no_figure("1.6e6"),
            fmt::format("{:.1e}", of_pbd / of_two), "more than 1e5", of_pbd > 1e5 * of_two);
  const double of_fast = loaded.after(Method::fast, 10).distance;
  out.claim("the same: fast projection after 10", no_figure("1.0"), fmt::format("{:.2f}", of_fast), "more than 0.9",
            of_fast > 0.9);
  out.claim("links of the hybrid after one iteration", no_figure("1e-14"),
            fmt::format("{:.1e}", noise.after(Method::hybrid, 1).violation), "less than 1e-13",
            noise.after(Method::hybrid, 1).violation < 1e-13);
  out.tables.push_back(std::move(table));
  out.charts = {chart_of(noise), chart_of(loaded)};
  return out;
}

}  // namespace tendril::experiments::chain
