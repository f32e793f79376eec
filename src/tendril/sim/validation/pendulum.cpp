// B8: hanging chains, which are strands that hardly resist bending, and the pendulum in time.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/hanging.hpp"
#include "tendril/sim/validation/modes.hpp"
#include "tendril/sim/validation/oscillation.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;

constexpr der::Clamps loose{der::Clamp::free, der::Clamp::free};
const der::Hold hook{0, 0, {true, true, true, true}};

// The lowest three frequencies of a chain that hangs along x from its first vertex.
std::array<double, 3> hanging_frequencies(Specimen rod) {
  rod.gravity = {standard_gravity, 0.0, 0.0};
  if (!rod.balance()) return {not_a_number, not_a_number, not_a_number};
  const Eigen::VectorXd found = modes(rod, Motion::across).frequencies;
  return {found[0], found[1], found[2]};
}

Results hanging_chain(const Model& model) {
  const Scale scale = chain(2.0);
  Results results;
  std::vector<Expectation> continuum;
  constexpr std::array<double, 3> tolerances = {7e-5, 9e-4, 3.6e-3};  // 1.5 times what 80 links are off by
  for (int k = 1; k <= 3; ++k) {
    continuum.push_back({fmt::format("mode {} of a hanging chain", k), "rad/s",
                         0.5 * zero_of_bessel(k) * std::sqrt(standard_gravity / scale.length),
                         tolerances[std::size_t(k - 1)], 2.0});
  }
  study(
      continuum, doubled(20),
      [&](int n) { return hanging_frequencies(straight(model, n, scale.length, scale.material, loose, {hook})); },
      results);

  const int n = 8;
  der::Description description = der::describe({straight_line(n, scale.length), {0, n + 1}}, scale.material, loose);
  description.mass.assign(n + 1, stiffness(scale.material).line_density * scale.length / n);
  const std::array<double, 3> found = hanging_frequencies(make(model, std::move(description), {hook}));
  const Eigen::VectorXd zeros = zeros_of_laguerre(n);
  for (int k = 0; k < 3; ++k)
    results.push_back(judge({fmt::format("mode {} of eight equal masses", k + 1), "rad/s",
                             std::sqrt(standard_gravity * n / scale.length * zeros[k]), 1e-9},
                            n, found[std::size_t(k)]));
  return results;
}

// A mass on one stiff edge, let go from rest at theta0: period 4 K(sin(theta0/2)) sqrt(L/g), with the integrator's
// order in the number of steps per small-angle period.
CaseResult pendulum(const Model& model, double start_angle, der::Integrator integrator) {
  der::Material material = rope().material;
  material.stretch_young = 5e10;  // strained by 1e-7
  const double length = 1.0, period = 2.0 * pi * std::sqrt(length / standard_gravity);
  const bool euler = integrator == der::Integrator::euler;
  const double exact = period * 2.0 / pi * std::comp_ellint_1(std::sin(0.5 * start_angle));
  return study({fmt::format("period from {:g} rad, {}", start_angle, euler ? "Euler" : "BDF2"), "s", exact,
                euler ? 5e-3 : 1e-4, euler ? 1.0 : 2.0},
               doubled(400), [&](int steps_per_period) {
                 std::vector<Vector3d> points = {Vector3d::Zero(),
                                                 length * Vector3d(std::cos(start_angle), std::sin(start_angle), 0.0)};
                 Specimen rod = bent(model, points, material, loose, {hook});
                 der::StepOptions options;
                 options.integrator = integrator, options.converge = true;
                 options.gravity = {standard_gravity, 0.0, 0.0};
                 options.dt = period / steps_per_period;
                 ZeroCrossings zeros;
                 const bool marched = march(rod, options, int(1.4 * exact / options.dt), [&](const Specimen& now) {
                   zeros.see(std::atan2(now.position(1).y(), now.position(1).x()));
                 });
                 if (!marched || zeros.steps.size() < 3) return not_a_number;
                 return (zeros.steps[2] - zeros.steps[0]) * options.dt;
               });
}

}  // namespace

std::vector<Case> pendulum_cases(const Model& model) {
  const auto periods = [model](der::Integrator integrator, std::initializer_list<double> angles) {
    Results results;
    for (const double angle : angles) results.push_back(pendulum(model, angle, integrator));
    return results;
  };
  return {{"B8-hanging-chain", [model] { return hanging_chain(model); }},
          {"B8-pendulum-euler",
           [periods] {
             return periods(der::Integrator::euler, {0.5, 1.0});
           }},
          {"B8-pendulum-bdf2", [periods] {
             return periods(der::Integrator::bdf2, {0.5, 1.0, 2.0});
           }}};
}

}  // namespace tendril::validation
