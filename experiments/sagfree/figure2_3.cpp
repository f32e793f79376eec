// Figures 2 and 3: a horizontal strand whose frames are turned by half a turn at every second edge, which is the same
// strand; what measures of curvature make of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"

namespace tendril::experiments::sagfree {
namespace {

using der::Curvature;

Motion horizontal(Curvature curvature, double modulus, bool flipped) {
  der::Description d = straight_strand(Eigen::Vector3d::UnitX(), modulus);
  d.stretch_modulus.assign(30, 1e9);
  d.curvature = curvature;
  d.rest_curvature.assign(30, {}), d.rest_twist.assign(30, 0.0);
  std::vector<double> theta(30, 0.0);
  for (std::size_t i = 1; flipped && i + 1 < 30; ++i) {
    theta[i] = i % 2 == 1 ? std::numbers::pi : 0.0;
    d.rest_twist[i] = theta[i] - theta[i - 1];
  }
  Motion motion(der::Strands::create(d).value());
  if (!der::set_thetas(motion.strands, theta, motion.state)) throw std::runtime_error("the angles are refused");
  return motion;
}

double tip_after_a_second(Curvature curvature, double modulus, bool flipped) {
  Motion motion = horizontal(curvature, modulus, flipped);
  motion.run(240);
  return motion.tip().z();
}

// Largest change of twist after two seconds, the tip pushed to the side at the start.
double spurious_twist(Curvature curvature, double modulus) {
  Motion motion = horizontal(curvature, modulus, true);
  std::vector<Eigen::Vector3d> velocities(30, Eigen::Vector3d::Zero());
  velocities.back().y() = 1e-3;
  if (!der::set_velocities(motion.strands, velocities, motion.state)) throw std::runtime_error("the push is refused");
  motion.run(480);
  std::vector<double> theta(30), reference(30);
  der::gather_thetas(motion.strands, motion.state, theta);
  der::gather_reference_twists(motion.strands, motion.state, reference);
  const std::vector<double> rest = motion.strands.rest_twists();
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < 30; ++i)
    largest = std::max(largest, std::abs(theta[i] - theta[i - 1] + reference[i] - rest[i]));
  return largest;
}

}  // namespace

Findings figure2(const Context&) {
  Findings out;
  plot::BarChart chart{.title = "Height of the tip after a second",
                       .description = "Bending modulus 10 GPa; flipped: every second frame turned by half a turn.",
                       .value = {"height", "m"},
                       .categories = {"4D", "slerped", "averaged"}};
  std::vector<double> plain, flipped;
  for (const Curvature curvature : {Curvature::four, Curvature::slerped, Curvature::averaged}) {
    plain.push_back(tip_after_a_second(curvature, 1e10, false));
    flipped.push_back(tip_after_a_second(curvature, 1e10, true));
  }
  const double soft = tip_after_a_second(Curvature::averaged, 1e9, true);
  out.claim(
      "4D and slerped curvature", "the same with flipped frames",
      fmt::format("differ by {:.1e} and {:.1e} m", std::abs(plain[0] - flipped[0]), std::abs(plain[1] - flipped[1])),
      "below 1e-9 m", std::abs(plain[0] - flipped[0]) < 1e-9 && std::abs(plain[1] - flipped[1]) < 1e-9);
  out.claim("averaged curvature", "loses bending with flipped frames",
            fmt::format("{:.4f} m at 10 GPa, {:.4f} m at 1 GPa", flipped[2], soft), "the same for any bending modulus",
            std::abs(flipped[2] - soft) < 1e-9 && flipped[2] < plain[2] - 0.05);
  chart.add("plain", plain), chart.add("flipped", flipped);
  out.bars.push_back(std::move(chart));
  return out;
}

Findings figure3(const Context&) {
  Findings out;
  for (const double modulus : {1e8, 1e9}) {
    const double approximate = spurious_twist(Curvature::slerped_approximate, modulus),
                 exact =
                     std::max(spurious_twist(Curvature::slerped, modulus), spurious_twist(Curvature::four, modulus));
    out.claim(fmt::format("spurious twist at {:.0e} Pa", modulus), "approximated gradient unstable at 1e8 Pa",
              fmt::format("{:.1e} rad approximated, {:.1e} exact", approximate, exact), "10 000 times as much",
              approximate > 1e4 * exact);
  }
  return out;
}

}  // namespace tendril::experiments::sagfree
