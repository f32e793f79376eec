// Figure 1: hair that is shaken comes back to the drawn shape. The paper's groom cannot be had: generated curls.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/grooms.hpp"
#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril::experiments::sagfree {
namespace {

constexpr int tenths = 100;  // of a second

struct Return {
  std::vector<double> times, farthest;  // [s], [m] from the drawn shape
  double peak() const { return std::ranges::max(farthest); }
};

// Shaken in the first second, then left to itself.
Return shake_and_wait(der::Strands strands) {
  strands.set_damping(0.02);
  Motion motion(std::move(strands));
  const std::vector<Eigen::Vector3d> drawn = motion.positions();
  Return out;
  for (int i = 0; i < tenths; ++i) {
    motion.run(24, shake({0.02, 0.0, 0.0}, 2.0, 1.0));
    out.times.push_back(motion.time()), out.farthest.push_back(largest_distance(drawn, motion.positions()));
  }
  return out;
}

}  // namespace

Findings figure1(const Context&) {
  Findings out;
  der::Strands all = human_hair(curls(3200, 50));
  const auto outcome = tendril::sagfree::optimise({}, all.start(), all).value();
  const auto summary = tendril::sagfree::summarise(outcome.strands);
  out.claim("3200 curls of 50 vertices, imbalance", "static equilibrium",
            fmt::format("{:.1e} at worst, {} out of balance, {} unstable", summary.imbalance_max, summary.failed,
                        summary.unstable),
            "every strand below 1e-6", summary.failed == 0 && summary.imbalance_max < 1e-6);
  out.tell("time of the optimisation", "713 s for 3.2k strands", fmt::format("{:.2f} s", outcome.seconds));

  const Curves some = curls(160, 50);
  der::Strands kept = human_hair(some);
  const auto of_some = tendril::sagfree::summarise(tendril::sagfree::optimise({}, kept.start(), kept).value().strands);
  const Return optimised = shake_and_wait(kept), naive = shake_and_wait(human_hair(some));
  out.claim("160 of them after a second of shaking", "come back to the initial shape",
            fmt::format("{:.1e} of {:.1e} m left after {} s", optimised.farthest.back(), optimised.peak(), tenths / 10),
            "all stable, and at most 2 % left",
            of_some.unstable == 0 && optimised.farthest.back() <= 0.02 * optimised.peak());
  plot::Chart chart{.title = "Distance from the drawn shape",
                    .description = "Largest of all vertices; the roots are shaken in the first second.",
                    .x = {"time", "s"},
                    .y = {"distance", "m", plot::AxisKind::logarithmic}};
  chart.add("naive", naive.times, naive.farthest), chart.add("optimised", optimised.times, optimised.farthest);
  out.charts.push_back(std::move(chart));
  out.notes.push_back("The paper's groom is not available. Without contacts, as there; the curls are damped.");
  return out;
}

}  // namespace tendril::experiments::sagfree
