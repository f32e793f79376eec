// Figure 10: curly hair keeps its volume, with contact among strands and without.
#include <fmt/format.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "experiments/contact/contact.hpp"
#include "experiments/contact/hair.hpp"

namespace tendril::experiments::contact {
namespace {

using Eigen::Vector3d;

constexpr double cell = 0.015;  // [m]
// 2.5 turns of 1 cm over 20 cm.
constexpr double curl_radius = 0.01, curl_turns = 2.5, length = 0.2;

// Of a helix: sin2(pitch)/radius [1/m].
double rest_curvature() {
  const double around = 2.0 * std::numbers::pi * curl_radius * curl_turns / length;
  return around * around / curl_radius;
}

// [m3] of all cells of a grid that hair is in.
double volume(const std::vector<Vector3d>& x) {
  std::set<std::array<int, 3>> cells;
  for (const Vector3d& p : x)
    cells.insert({int(std::floor(p.x() / cell)), int(std::floor(p.y() / cell)), int(std::floor(p.z() / cell))});
  return double(cells.size()) * cell * cell * cell;
}

struct Course {
  std::vector<double> times, volumes;  // [s], litres
  ContactTotals contacts;
  double kept() const { return volumes.back() / volumes.front(); }
};

Course run(const char* style, const std::string& more_style, bool between_strands) {
  HairOptions options;
  options.style = style, options.more_style = more_style;
  options.strands = 240, options.vertices = 24, options.length = length;
  options.seconds = 2.0;
  options.motion = R"({ rotate = [1, 0, 0], angle = "20 deg", frequency = "1 Hz", duration = "1.5 s" })";
  if (!between_strands) options.more_contact = "between_strands = false\n";
  Simulation simulation = hair(options);
  Course out;
  out.times.push_back(0.0), out.volumes.push_back(1e3 * volume(simulation.positions()));
  for (int frame = 2; !simulation.done(); ++frame) {
    while (simulation.frame() < frame) out.contacts += step(simulation).contacts;
    out.times.push_back(simulation.time()), out.volumes.push_back(1e3 * volume(simulation.positions()));
  }
  return out;
}

}  // namespace

Findings figure10(const Context&) {
  const std::string curls = fmt::format(", curl_radius = {}, curl_turns = {}", curl_radius, curl_turns);
  const Course with = run("curly", curls, true), without = run("curly", curls, false);
  Findings out;
  out.claim(
      fmt::format("volume of curls of {:.0f} 1/m after {:.0f} s", rest_curvature(), with.times.back()), "kept",
      fmt::format("{:.2f} of {:.2f} litres ({:.0f} %)", with.volumes.back(), with.volumes.front(), 100.0 * with.kept()),
      "at least 80 % of what was drawn", with.kept() >= 0.8);
  out.tell("the same where strands do not meet", "not given", fmt::format("{:.0f} %", 100.0 * without.kept()));
  out.tell("contacts per step", "21425 of 1920 strands",
           fmt::format("{:.0f}", double(with.contacts.contacts) / double(with.contacts.steps)));
  plot::Chart chart{.title = "Volume of the hair",
                    .description = fmt::format("Cells of {:.1f} cm that hair is in.", 100.0 * cell),
                    .x = {"time", "s"},
                    .y = {"volume", "l"}};
  chart.add("contact", with.times, with.volumes), chart.add("with the head alone", without.times, without.volumes);
  out.charts.push_back(std::move(chart));
  return out;
}

}  // namespace tendril::experiments::contact
