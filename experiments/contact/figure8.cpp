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
  std::vector<double> times, kinetic, incoherence, variance;  // [s], [J], [m2]
  double contacts = 0.0;                                      // mean of all steps

  double mean_after_stop(std::vector<double> Swing::*values) const {
    const auto first = std::ranges::upper_bound(times, stop) - times.begin();
    const std::vector<double>& all = this->*values;
    return std::accumulate(all.begin() + first, all.end(), 0.0) / double(all.end() - all.begin() - first);
  }
};

Swing swing(double mu, int seed) {
  HairOptions options;
  options.strands = 400, options.seed = seed;
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
    out.incoherence.push_back(incoherence(simulation, pairs));
    out.variance.push_back(neighbour_variance(simulation, start, pairs));
  }
  out.contacts = double(totals.contacts) / double(totals.steps);
  return out;
}

// Several heads, since strands that touch are chaotic.
struct Heads {
  std::vector<Swing> without, with;

  explicit Heads(int count) {
    for (int seed = 1; seed <= count; ++seed) without.push_back(swing(0.0, seed)), with.push_back(swing(0.3, seed));
  }
  static double mean(const std::vector<Swing>& swings, std::vector<double> Swing::*values) {
    double sum = 0.0;
    for (const Swing& one : swings) sum += one.mean_after_stop(values);
    return sum / double(swings.size());
  }
  bool all_less_with_friction(std::vector<double> Swing::*values) const {
    return std::ranges::equal(with, without, [&](const Swing& a, const Swing& b) {
      return a.mean_after_stop(values) < b.mean_after_stop(values);
    });
  }
};

plot::Chart chart_of(const char* title, plot::Axis axis, const Heads& heads, std::vector<double> Swing::*values) {
  plot::Chart chart{.title = title,
                    .description = "The head turns to and fro, then stops.",
                    .x = {"time", "s"},
                    .y = std::move(axis)};
  const Swing &without = heads.without.front(), &with = heads.with.front();
  chart.add("no friction", without.times, without.*values), chart.add("friction 0.3", with.times, with.*values);
  chart.mark_x(stop, "the head stops");
  return chart;
}

}  // namespace

Findings figure8(const Context& context) {
  const Heads heads(context.quick ? 1 : 3);
  const auto means = [&](std::vector<double> Swing::*values) {
    return std::pair(Heads::mean(heads.without, values), Heads::mean(heads.with, values));
  };
  Findings out;
  const std::string of_all = fmt::format("less with friction, on each of {} heads", heads.with.size());
  const auto [energy_without, energy_with] = means(&Swing::kinetic);
  out.claim("kinetic energy after the stop, mean", "damped by friction",
            fmt::format("{:.2e} J without, {:.2e} J with", energy_without, energy_with), of_all,
            heads.all_less_with_friction(&Swing::kinetic));
  const auto [share_without, share_with] = means(&Swing::incoherence);
  out.claim("share of the motion after the stop that neighbours do not have in common", "coherent motion with friction",
            fmt::format("{:.3f} without, {:.3f} with", share_without, share_with), of_all,
            heads.all_less_with_friction(&Swing::incoherence));
  const auto [variance_without, variance_with] = means(&Swing::variance);
  out.tell("variance of the distance of neighbours after the stop", "coherent motion with friction",
           fmt::format("{:.2f} mm2 without, {:.2f} mm2 with", 1e6 * variance_without, 1e6 * variance_with));
  out.tell("contacts per step", "not given",
           fmt::format("{:.0f} without, {:.0f} with", heads.without.front().contacts, heads.with.front().contacts));
  out.notes.push_back(
      "Where neighbours are says little of how they move: friction also holds apart what the motion has parted. So the "
      "variance of their distance falls on some heads and rises on others.");
  out.charts.push_back(
      chart_of("Kinetic energy", {"energy", "J", plot::AxisKind::logarithmic}, heads, &Swing::kinetic));
  out.charts.push_back(chart_of("Motion that neighbours do not share", {"share", ""}, heads, &Swing::incoherence));
  out.charts.push_back(chart_of("Variance of the distance of neighbours", {"variance", "m2"}, heads, &Swing::variance));
  return out;
}

}  // namespace tendril::experiments::contact
