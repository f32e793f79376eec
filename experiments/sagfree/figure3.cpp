// Figure 3: slerped curvature with an approximated gradient makes twist out of nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/sagfree/flipped_strand.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {
namespace {

using der::Curvature;

// Largest change of twist of a joint, over time.
struct TwistHistory {
  std::vector<double> times, twists;
};

double largest_twist(const Motion& motion) {
  std::vector<double> theta(vertices), reference(vertices);
  der::gather_thetas(motion.strands, motion.state, theta);
  der::gather_reference_twists(motion.strands, motion.state, reference);
  const std::vector<double> rest = motion.strands.rest_twists();
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < vertices; ++i)
    largest = std::max(largest, std::abs(theta[i] - theta[i - 1] + reference[i] - rest[i]));
  return largest;
}

// Two seconds; the tip is pushed to the side at the start.
TwistHistory twist_history(Curvature curvature, double modulus) {
  Motion motion = motion_of({curvature, modulus});
  std::vector<Eigen::Vector3d> velocities(vertices, Eigen::Vector3d::Zero());
  velocities.back().y() = 1e-3;
  if (!der::set_velocities(motion.strands, velocities, motion.state)) throw std::runtime_error("the push is refused");
  TwistHistory history;
  for (int i = 0; i < 120; ++i) {
    motion.run(4);
    history.times.push_back(motion.time()), history.twists.push_back(largest_twist(motion));
  }
  return history;
}

}  // namespace

Findings figure3(const Context&) {
  Findings out;
  for (const double modulus : {1e8, 1e9}) {
    const TwistHistory approximated = twist_history(Curvature::slerped_approximate, modulus),
                       slerped = twist_history(Curvature::slerped, modulus),
                       four = twist_history(Curvature::four, modulus);
    const double exact = std::max(slerped.twists.back(), four.twists.back());
    out.claim(fmt::format("spurious twist after 2 s, modulus {:.0e} Pa", modulus),
              modulus < 5e8 ? "approximated gradient unstable" : "no trouble to be seen",
              fmt::format("{:.1e} rad approximated, {:.1e} slerped with the exact gradient, {:.1e} in 4D",
                          approximated.twists.back(), slerped.twists.back(), four.twists.back()),
              "more than 10 000 times as much as exact", approximated.twists.back() > 1e4 * exact);
    plot::Chart chart{.title = fmt::format("Spurious twist, modulus {} MPa", modulus / 1e6),
                      .description = "Largest change of twist of a joint; nothing twists this strand.",
                      .x = {"time", "s"},
                      .y = {"twist", "rad", plot::AxisKind::logarithmic}};
    chart.add("slerped, approximated gradient", approximated.times, approximated.twists);
    chart.add("slerped, exact gradient", slerped.times, slerped.twists);
    chart.add("4D", four.times, four.twists);
    out.charts.push_back(std::move(chart));
  }
  out.notes.push_back(
      "The paper does not print its approximated gradient: ours puts the slerped frame into the gradient of a fixed "
      "one.");
  return out;
}

}  // namespace tendril::experiments::sagfree
