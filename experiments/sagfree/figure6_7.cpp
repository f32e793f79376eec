// Figures 6 and 7: what rest shapes alone, a penalty and multipliers leave, on a hanging strand and on one that is held
// out sideways.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/sagfree/comparison.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::CurvatureBound;
using tendril::sagfree::Options;
enum { naive, rest_shape, penalty, full, sweep };

void claim_order(const std::vector<ModeResult>& r, const char* paper, Findings& out) {
  const bool held = r[naive].drift > r[rest_shape].drift && r[rest_shape].drift > r[penalty].drift &&
                    r[penalty].drift > r[full].drift && r[full].drift < 1e-6;
  out.claim("drift after 1 s", paper,
            fmt::format("naive {:.1e}, rest shape {:.1e}, penalty {:.1e}, full {:.1e}, sweep {:.1e} m", r[naive].drift,
                        r[rest_shape].drift, r[penalty].drift, r[full].drift, r[sweep].drift),
            "naive > rest shape > penalty > full, which is below 1e-6 m", held);
  out.claim("imbalance of the sweep", "-", fmt::format("{:.1e}", r[sweep].outcome.imbalance), "below 1e-12",
            r[sweep].outcome.imbalance < 1e-12);
}

}  // namespace

Findings figure6(const Context&) {
  Options options;
  options.gravity = down, options.mu = 1.0, options.stiffness_weight = 1e6, options.bound = CurvatureBound::box;
  options.shortest = 0.01 / (0.3 / 29.0);
  const der::Description strand = straight_strand(-Eigen::Vector3d::UnitZ(), 1e5);
  const std::vector<ModeResult> r = compare_modes(strand, options);
  Findings out;
  claim_order(r, "rest shape and penalty stretch, the Lagrangian does not", out);
  out.claim("Newton iterations", "rest 8, penalty 7, full 25",
            fmt::format("rest {}, penalty {}, full {}", r[rest_shape].outcome.newton_iterations,
                        r[penalty].outcome.newton_iterations, r[full].outcome.newton_iterations),
            "full needs most",
            r[full].outcome.newton_iterations >
                std::max(r[rest_shape].outcome.newton_iterations, r[penalty].outcome.newton_iterations));
  const auto is_stiffer = [&](std::size_t v) { return r[full].rest.stretch_modulus[v] > 1.0001e5; };
  std::size_t last = 0;
  for (std::size_t v = 1; v < 29; ++v)
    if (is_stiffer(v)) last = v;
  out.claim("stretching stiffness grows", "near the root", fmt::format("on edges 1 to {}", last),
            "at the root, and nowhere below the middle", is_stiffer(1) && last < 15);
  out.tables.push_back(table_of(r));
  for (plot::Chart& chart : convergence_charts(strand, options)) out.charts.push_back(std::move(chart));
  return out;
}

Findings figure7(const Context&) {
  Options options;
  options.gravity = down, options.mu = 0.2, options.bound = CurvatureBound::box;
  const der::Description strand = straight_strand(Eigen::Vector3d::UnitX(), 1e9);
  const std::vector<ModeResult> r = compare_modes(strand, options);
  Findings out;
  claim_order(r, "rest shape and penalty sag, the Lagrangian keeps the shape", out);
  // beta = max(1, needed / mu), where the unbounded rest curvature is what is needed.
  Options unbounded = options;
  unbounded.mu = 1e6, unbounded.rest_weight = 0.0;
  der::Strands free = der::Strands::create(strand).value();
  tendril::sagfree::optimise(unbounded, free.start(), free).value();
  const der::RestState needed = free.rest_state();
  double worst = 0.0;
  for (std::size_t v = 1; v + 1 < 30; ++v) {
    const double curvature = std::hypot(needed.curvature[v][0], needed.curvature[v][1]);
    worst = std::max(worst, std::abs(r[full].rest.bend_modulus[v] / 1e9 - std::max(1.0, curvature / 0.2)));
  }
  out.claim("bending factors of the Lagrangian", "-", fmt::format("max(1, needed/mu) to {:.1e}", worst), "to 1e-5",
            worst < 1e-5);
  out.tables.push_back(table_of(r));
  for (plot::Chart& chart : convergence_charts(strand, options)) out.charts.push_back(std::move(chart));
  plot::Chart stiffness{.title = "Stiffness along the strand",
                        .description = "Factor on the bending modulus.",
                        .x = {.label = "vertex", .whole = true},
                        .y = {.label = "factor"}};
  for (const int mode : {int(penalty), int(full), int(sweep)}) {
    std::vector<double> vertex, factor;
    for (std::size_t v = 1; v + 1 < 30; ++v)
      vertex.push_back(double(v)), factor.push_back(r[std::size_t(mode)].rest.bend_modulus[v] / 1e9);
    stiffness.add(std::string(tendril::sagfree::name(r[std::size_t(mode)].mode)), vertex, factor,
                  plot::Mark::line_and_points);
  }
  out.charts.push_back(std::move(stiffness));
  return out;
}

}  // namespace tendril::experiments::sagfree
