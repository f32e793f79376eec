// Figure 8: the head makes a fast move and stops. With friction the hair moves as one and comes to rest sooner.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "experiments/contact/contact.hpp"
#include "experiments/contact/hair.hpp"

namespace tendril::experiments::contact {
namespace {

constexpr double stop = 0.8;  // [s]

struct Swing {
  std::vector<double> times, kinetic, variance;  // [s], [J], [m2]
  double contacts = 0.0;                         // mean of all steps

  double mean_after_stop(const std::vector<double>& values) const {
    const auto first = std::ranges::upper_bound(times, stop) - times.begin();
    return std::accumulate(values.begin() + first, values.end(), 0.0) / double(values.end() - values.begin() - first);
  }
};

Swing swing(double mu) {
  HairOptions options;
  options.strands = 400;
  options.seconds = 2.0;
  options.mu = mu, options.mu_head = mu;
  options.motion =
      fmt::format(R"({{ rotate = [0, 1, 0], angle = "50 deg", frequency = "2.5 Hz", duration = "{} s" }})", stop);
  Simulation simulation = hair(options);
  const std::vector<Eigen::Vector3d> start = simulation.positions();
  const auto pairs = neighbours(simulation);
  Swing out;
  ContactTotals totals;
  while (!simulation.done()) {
    totals += step(simulation).contacts;
    out.times.push_back(simulation.time());
    out.kinetic.push_back(simulation.energies().kinetic);
    out.variance.push_back(neighbour_variance(simulation, start, pairs));
  }
  out.contacts = double(totals.contacts) / double(totals.steps);
  return out;
}

plot::Chart chart_of(const char* title, plot::Axis axis, const Swing& without, const Swing& with,
                     std::vector<double> Swing::*values) {
  plot::Chart chart{.title = title,
                    .description = "The head turns to and fro, then stops.",
                    .x = {"time", "s"},
                    .y = std::move(axis)};
  chart.add("no friction", without.times, without.*values), chart.add("friction 0.3", with.times, with.*values);
  chart.mark_x(stop, "the head stops");
  return chart;
}

}  // namespace

Findings figure8(const Context&) {
  const Swing without = swing(0.0), with = swing(0.3);
  Findings out;
  const double energy_without = without.mean_after_stop(without.kinetic),
               energy_with = with.mean_after_stop(with.kinetic);
  out.claim("kinetic energy after the stop, mean", "damped by friction",
            fmt::format("{:.2e} J without, {:.2e} J with", energy_without, energy_with), "less with friction",
            energy_with < energy_without);
  const double variance_without = without.mean_after_stop(without.variance),
               variance_with = with.mean_after_stop(with.variance);
  out.claim("variance of the distance of neighbours after the stop", "coherent motion with friction",
            fmt::format("{:.2f} mm2 without, {:.2f} mm2 with", 1e6 * variance_without, 1e6 * variance_with),
            "less with friction", variance_with < variance_without);
  out.tell("contacts per step", "not given",
           fmt::format("{:.0f} without, {:.0f} with", without.contacts, with.contacts));
  out.charts.push_back(
      chart_of("Kinetic energy", {"energy", "J", plot::AxisKind::logarithmic}, without, with, &Swing::kinetic));
  out.charts.push_back(
      chart_of("Variance of the distance of neighbours", {"variance", "m2"}, without, with, &Swing::variance));
  return out;
}

}  // namespace tendril::experiments::contact
