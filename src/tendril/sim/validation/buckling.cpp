// B3: critical loads, from the inertia of the exact Hessian along the unbuckled branch, and the buckled shape beyond.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/exact.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;
using der::Clamp;

// The branch of unbuckled equilibria loses its stability at this load. apply(load, rod) puts the load on.
template <class Apply>
double buckling_load(Specimen rod, double low, double high, Apply&& apply) {
  return critical_load(low, high, [&](double load) {
    apply(load, rod);
    return rod.balance() && rod.negative_modes() == 0;
  });
}

// How the ends of a column are held. The root is never free to slide, the tip always is.
struct Ends {
  const char* name;
  der::Clamps clamps;
  bool root_pinned, tip_pinned;
  double exact;  // P L^2 / EI
};

// Pins: all of the root's position and the twist of the first edge (or the column would spin), y and z of the tip.
std::vector<der::Hold> pins(const Ends& ends) {
  std::vector<der::Hold> holds;
  if (ends.root_pinned) holds.push_back({0, 0, {true, true, true, true}});
  if (ends.tip_pinned) holds.push_back({0, -1, {false, true, true, false}});
  return holds;
}

// P L^2 / EI of a column of n edges under an end load. A point clamp at the tip does not slide: there the tip is moved
// by the shortening P L / EA instead, which makes no difference to the stability of a straight column.
double euler_load(const Model& model, const Scale& scale, const Ends& ends, int n) {
  const Stiffness stiff = stiffness(scale.material);
  const double length = scale.length, unit = stiff.bend / (length * length);
  const Specimen column = straight(model, n, length, scale.material, ends.clamps, pins(ends));
  return buckling_load(column, 0.5 * ends.exact, 1.5 * ends.exact, [&](double load, Specimen& rod) {
    if (ends.clamps.tip == Clamp::free) {
      rod.set_loads({{0, -1, {-load * unit, 0.0, 0.0}}});
    } else {
      der::Drive drive;
      drive.tip = {{Eigen::Quaterniond::Identity(), {-load * unit * length / stiff.stretch, 0.0, 0.0}}};
      rod.drive(drive);
    }
  });
}

Results euler(const Model& model) {
  const double x = root(pi, 1.5 * pi - 1e-9, [](double a) { return std::sin(a) - a * std::cos(a); });  // tan x = x
  const std::array<Ends, 4> cases = {{
      {"clamped-free", {Clamp::point, Clamp::free}, false, false, pi * pi / 4.0},
      {"pinned-pinned", {Clamp::free, Clamp::free}, true, true, pi * pi},
      {"clamped-pinned", {Clamp::point, Clamp::free}, false, true, x * x},
      {"clamped-clamped", {Clamp::point, Clamp::point}, false, false, 4.0 * pi * pi},
  }};
  Results results;
  for (const Ends& ends : cases)
    results.push_back(study({fmt::format("P L^2/EI, {}", ends.name), "", ends.exact, 1e-3, 2.0}, doubled(40),
                            [&](int n) { return euler_load(model, hair(), ends, n); }));
  // n equal segments with joint springs EI/l: exactly 4 n^2 sin^2(pi / 2n).
  for (const int n : {8, 32})
    results.push_back(judge({"P L^2/EI, pinned, discrete", "", std::pow(2.0 * n * std::sin(pi / (2.0 * n)), 2), 1e-6},
                            n, euler_load(model, hair(), cases[1], n)));
  return results;
}

// A column under its own weight (Greenhill): rho A g L^3 / EI = (9/4) j^2, j the first zero of J_{-1/3}.
Results greenhill(const Model& model) {
  const Scale scale = rope();
  const Stiffness stiff = stiffness(scale.material);
  const double length = scale.length;
  const double unit = stiff.bend / (stiff.line_density * std::pow(length, 3));  // [m/s^2] per gamma
  const double j = root(1.0, 3.0, [](double x) { return bessel_j(-1.0 / 3.0, x); });
  return {study({"rho A g L^3/EI", "", 2.25 * j * j, 1e-3, 2.0}, doubled(40), [&](int n) {
    const Specimen column = straight(model, n, length, scale.material, {Clamp::point, Clamp::free});
    return buckling_load(column, 4.0, 12.0, [&](double gamma, Specimen& rod) {
      rod.gravity = {-gamma * unit, 0.0, 0.0};
    });
  })};
}

// A strip that carries a tip load in its stiff plane (Prandtl): P L^2 / sqrt(EI_min GJ) = 2 j, j the first zero of
// J_{-1/4}. The stiff plane bends a little before: EI_min / EI_max = 1e-6 keeps that away from the result.
Results prandtl(const Model& model) {
  der::Material strip = rope().material;
  strip.radius = 1e-4, strip.aspect = 1000.0;
  const double length = 2.0, a = strip.radius, b = a * strip.aspect;
  const double bend = strip.young * 0.25 * pi * a * a * a * b;
  const double twist = strip.shear * pi * std::pow(a * b, 3) / (a * a + b * b);
  const double unit = std::sqrt(bend * twist) / (length * length);
  const double j = root(1.0, 3.0, [](double x) { return bessel_j(-0.25, x); });
  return {study({"P L^2/sqrt(EI GJ)", "", 2.0 * j, 1e-3, 2.0}, doubled(40), [&](int n) {
    const Specimen beam = straight(model, n, length, strip, {Clamp::point, Clamp::free});
    const Vector3d stiff_way = Vector3d::UnitY();
    return buckling_load(beam, 2.0, 6.0, [&](double load, Specimen& rod) {
      rod.set_loads({{0, -1, -load * unit * stiff_way}});
    });
  })};
}

// The pinned column beyond its critical load: P/Pc = (2 K(k)/pi)^2, end angle 2 asin k, span/L = 2 E/K - 1, deflection
// of the middle/L = k/K.
Results beyond(const Model& model) {
  const Scale scale = hair();
  const double length = scale.length, unit = stiffness(scale.material).bend / (length * length);
  Results results;
  for (const double ratio : {1.05, 1.2, 2.0}) {
    const double k =
        root(0.0, 1.0 - 1e-14, [&](double m) { return std::comp_ellint_1(m) - 0.5 * pi * std::sqrt(ratio); });
    const double K = std::comp_ellint_1(k), E = std::comp_ellint_2(k);
    const std::string load = fmt::format("P/Pc = {:g}", ratio);
    study(
        {{"end angle, " + load, "rad", 2.0 * std::asin(k), 1e-3, 2.0},
         {"span/L, " + load, "", 2.0 * E / K - 1.0, 1e-3 / (2.0 * E / K - 1.0), 2.0},  // 1e-3 of L
         {"deflection/L, " + load, "", k / K, 1e-3 / (k / K), 2.0}},
        doubled(40),
        [&](int n) -> std::array<double, 3> {
          const Ends ends{"", {Clamp::free, Clamp::free}, true, true, 0.0};
          std::vector<der::Hold> holds = pins(ends);
          holds.push_back({0, n / 2, {false, false, true, false}});  // or it would swing about the axis
          Specimen rod = straight(model, n, length, scale.material, ends.clamps, holds);
          std::vector<Vector3d> bowed = {Vector3d::Zero()};  // near the solution: small angles go as cos(pi s/L)
          for (int e = 0; e < n; ++e) {
            const double angle = 2.0 * std::asin(k) * std::cos(pi * (e + 0.5) / n);
            bowed.push_back(bowed.back() + length / n * Vector3d(std::cos(angle), std::sin(angle), 0.0));
          }
          rod.set_positions(bowed);
          rod.set_loads({{0, -1, {-ratio * pi * pi * unit, 0.0, 0.0}}});
          if (!rod.settle()) return {not_a_number, not_a_number, not_a_number};
          const Vector3d start = rod.tangent(0);
          return {std::abs(std::atan2(start.y(), start.x())), rod.position(-1).x() / length,
                  std::abs(rod.position(n / 2).y()) / length};
        },
        results);
  }
  return results;
}

}  // namespace

std::vector<Case> buckling_cases(const Model& model) {
  return {{"B3-euler", [model] { return euler(model); }},
          {"B3-greenhill", [model] { return greenhill(model); }},
          {"B3-prandtl", [model] { return prandtl(model); }},
          {"B3-beyond", [model] { return beyond(model); }}};
}

}  // namespace tendril::validation
