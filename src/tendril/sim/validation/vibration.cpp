// B7: vibrations of straight strands, by the eigenproblem and in time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "tendril/sim/validation/exact.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/modes.hpp"
#include "tendril/sim/validation/oscillation.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;
using der::Clamp;

// The k-th root (from 1) of the frequency equation, whose roots are close to (k + offset) pi.
template <class F>
double wave_number(int k, double offset, F&& equation) {
  const double guess = (k + offset) * pi;
  return root(guess - 0.4, guess + 0.4, equation);
}

struct Ends {
  const char* name;
  der::Clamps clamps;
  std::vector<der::Hold> pins;
  int rigid;                           // motions without frequency
  std::array<double, 3> wave_numbers;  // beta L
  std::array<double, 3> tolerances;    // relative, at 40 edges
};

// Halved masses at the ends and half-length joints at the clamps make the error about 0.2 (beta L)^2 / n^2.
std::array<double, 3> usual_tolerances(const std::array<double, 3>& wave_numbers) {
  std::array<double, 3> out{};
  for (std::size_t k = 0; k < 3; ++k) out[k] = 0.28 * wave_numbers[k] * wave_numbers[k] / (40 * 40);
  return out;
}

std::vector<Ends> all_ends() {
  std::array<double, 3> cantilever{}, both{}, pinned{}, simple{};
  for (int k = 1; k <= 3; ++k) {
    const auto i = std::size_t(k - 1);
    cantilever[i] = wave_number(k, -0.5, [](double b) { return std::cos(b) + 1.0 / std::cosh(b); });
    both[i] = wave_number(k, 0.5, [](double b) { return std::cos(b) - 1.0 / std::cosh(b); });
    pinned[i] = wave_number(k, 0.25, [](double b) { return std::sin(b) - std::cos(b) * std::tanh(b); });
    simple[i] = k * pi;
  }
  const der::Hold root_pin{0, 0, {true, true, true, true}}, tip_pin{0, -1, {true, true, true, false}};
  return {{"clamped-free", {Clamp::point, Clamp::free}, {}, 0, cantilever, {1.5 * 5.3e-4, 1.5 * 2.7e-3, 1.5 * 5.6e-3}},
          {"free-free", {Clamp::free, Clamp::free}, {}, 2, both, usual_tolerances(both)},
          {"clamped-clamped", {Clamp::point, Clamp::point}, {}, 0, both, usual_tolerances(both)},
          {"clamped-pinned", {Clamp::point, Clamp::free}, {tip_pin}, 0, pinned, usual_tolerances(pinned)},
          {"pinned-pinned", {Clamp::free, Clamp::free}, {root_pin, tip_pin}, 0, simple, usual_tolerances(simple)}};
}

// omega = (beta L)^2 sqrt(EI / (rho A L^4)).
Results bending(const Model& model, const Scale& scale) {
  const Stiffness stiff = stiffness(scale.material);
  const double unit = std::sqrt(stiff.bend / stiff.line_density) / (scale.length * scale.length);
  Results results;
  for (const Ends& ends : all_ends()) {
    std::vector<Expectation> expectations;
    for (std::size_t k = 0; k < 3; ++k)
      expectations.push_back({fmt::format("mode {}, {}", k + 1, ends.name), "rad/s",
                              ends.wave_numbers[k] * ends.wave_numbers[k] * unit, ends.tolerances[k], 2.0});
    study(
        expectations, doubled(10),
        [&](int n) -> std::array<double, 3> {
          const Specimen rod = straight(model, n, scale.length, scale.material, ends.clamps, ends.pins);
          const Eigen::VectorXd found = modes(rod, Motion::across).frequencies;
          return {found[ends.rigid], found[ends.rigid + 1], found[ends.rigid + 2]};
        },
        results);
  }
  return results;
}

// Clamped-free: omega_k = (2k - 1) pi / (2 L) times sqrt(G/rho) for torsion (J = I_p of a circle), sqrt(E/rho) along.
Results torsion_and_stretch(const Model& model, const Scale& scale) {
  const der::Material& m = scale.material;
  Results results;
  for (const Motion motion : {Motion::about, Motion::along}) {
    const bool torsion = motion == Motion::about;
    const double speed = std::sqrt((torsion ? m.shear : m.stretch_young.value_or(m.young)) / m.density);
    std::vector<Expectation> expectations;
    for (int k = 1; k <= 3; ++k) {
      const double wave_number = (2 * k - 1) * pi / 2.0;
      expectations.push_back({fmt::format("mode {}, {}", k, torsion ? "torsion" : "axial"), "rad/s",
                              wave_number / scale.length * speed, 0.1 * wave_number * wave_number / (40 * 40), 2.0});
    }
    study(
        expectations, doubled(10),
        [&](int n) -> std::array<double, 3> {
          const Specimen rod = straight(model, n, scale.length, m, {Clamp::point, Clamp::free});
          const Eigen::VectorXd found = modes(rod, motion).frequencies;
          return {found[0], found[1], found[2]};
        },
        results);
  }
  return results;
}

// What the integrator makes of exp(i omega t) in one step of h, z = z(omega h): backward Euler 1 / (1 - i omega h),
// BDF2 the root of (3/2 - i omega h) z^2 - 2 z + 1/2 near 1. The argument of z is the phase per step.
double phase_per_step(der::Integrator integrator, double omega_h) {
  const std::complex<double> i(0.0, 1.0);
  if (integrator == der::Integrator::euler) return std::atan(omega_h);
  return std::arg((2.0 + std::sqrt(1.0 + 2.0 * i * omega_h)) / (3.0 - 2.0 * i * omega_h));
}

// A cantilever let go in its first mode, amplitude 1e-3 L: its frequency from the zeros of ten periods, the
// integrator's own error of phase taken out, must be that of the eigenproblem.
CaseResult in_time(const Model& model, const Scale& scale, der::Integrator integrator) {
  const int n = 20;
  Specimen rod = straight(model, n, scale.length, scale.material, {Clamp::point, Clamp::free});
  const Modes found = modes(rod, Motion::across);
  const double omega = found.frequencies[0], edge = scale.length / n;
  std::vector<Vector3d> x = {Vector3d::Zero()};
  for (int i = 1; i <= n; ++i) {  // edges keep their length
    const double rise = 1e-3 * scale.length * (found.shapes(i, 0) - found.shapes(i - 1, 0)) / found.shapes(n, 0);
    x.push_back(x.back() + Vector3d(std::sqrt(edge * edge - rise * rise), rise, 0.0));
  }
  rod.set_positions(x);

  der::StepOptions options;
  options.integrator = integrator, options.converge = true, options.gravity = Vector3d::Zero();
  options.dt = 0.05 / omega;
  ZeroCrossings zeros;
  const int steps = int(10.6 * 2.0 * pi / 0.05);
  const bool marched = march(rod, options, steps, [&](const Specimen& now) { zeros.see(now.position(-1).y()); });
  if (!marched || zeros.steps.size() < 21) return judge({"mode 1 in time", "rad/s", omega, 1e-5}, n, not_a_number);
  const double measured = 20.0 * pi / (zeros.steps[20] - zeros.steps[0]);
  const double frequency =
      root(0.01, 0.2, [&](double w) { return phase_per_step(integrator, w) - measured; }) / options.dt;
  return judge({fmt::format("mode 1 in time, {}", integrator == der::Integrator::euler ? "Euler" : "BDF2"), "rad/s",
                omega, 1e-5},
               n, frequency);
}

}  // namespace

std::vector<Case> vibration_cases(const Model& model) {
  return {{"B7-bending", [model] { return bending(model, hair()); }},
          {"B7-torsion-and-stretch", [model] { return torsion_and_stretch(model, rope()); }},
          {"B7-in-time-euler", [model] { return Results{in_time(model, hair(), der::Integrator::euler)}; }},
          {"B7-in-time-bdf2", [model] { return Results{in_time(model, rope(), der::Integrator::bdf2)}; }}};
}

}  // namespace tendril::validation
