// B6 and B8 of chains, as scenes: ropes that hang between two points, small oscillations of a hanging one, and the
// pendulum. They are limp.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tendril/sim/tensions.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/hanging.hpp"
#include "tendril/sim/validation/oscillation.hpp"
#include "tendril/sim/validation/scene_run.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;

// Gravity is along -y. 1 kg/m.
std::string scene(const std::vector<Vector3d>& points, double dt, const std::string& run, const std::string& strand) {
  std::string list;
  for (const Vector3d& x : points)
    list += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]", list.empty() ? "" : ", ", x.x(), x.y(), x.z());
  return fmt::format(R"(
[run]
duration = "1 s"
fps = {:.17g}
substeps = 1
gravity = [0, {:.17g}, 0]
{}
[[strands]]
name = "rope"
source = {{ points = [{}] }}
model = "chain"
material = {{ radius = {:.17g}, young = "1 MPa", poisson = 0.3, density = 1000 }}
{})",
                     1.0 / dt, -standard_gravity, run, list, std::sqrt(1e-3 / pi), strand);
}

// Drawn as two straight halves; in steps of seconds it comes to rest at once.
std::optional<Simulation> hung(const Span& span, int n) {
  std::optional<Simulation> s = simulation_of(scene(
      straight_halves(span, n), 2.0, "", "clamp = { root = \"point\", tip = \"point\" }\nchain = { bending = 0 }\n"));
  double speed = 1.0;
  for (int i = 0; s && i < 200 && speed > 1e-12; ++i) {
    if (!s->step()) return std::nullopt;
    speed = 0.0;
    for (const Vector3d& v : s->velocities()) speed = std::max(speed, v.norm());
  }
  return s;
}

std::vector<double> pulls(const Simulation& s) { return tensions(s.world(), 0, s.last_step(), s.state()); }

Results catenary(const Span& span) {
  Results results;
  const Catenary curve = catenary_of(span);
  const double weight = standard_gravity * span.length;
  study(
      {{"largest distance from the curve/L", "", 0.0, 1e-3, 2.0},
       {"horizontal tension/(rho A g L)", "", curve.a / span.length, 1e-3, 2.0}},
      doubled(10),
      [&](int n) -> std::array<double, 2> {
        const std::optional<Simulation> s = hung(span, n);
        if (!s) return {not_a_number, not_a_number};
        const std::vector<Vector3d> x = s->positions();
        double farthest = 0.0;
        for (const Vector3d& point : x)
          farthest = std::max(farthest, std::abs(point.y() - curve.height_at(point.x())) / span.length);
        return {farthest, pulls(*s)[0] * (x[1] - x[0]).normalized().x() / weight};
      },
      results);

  const int n = 20;
  const std::optional<Simulation> s = hung(span, n);
  const Eigen::Vector2d root_pull = discrete_pull(span, n);
  double astray = s ? 0.0 : not_a_number, off = astray;
  Eigen::Vector2d at(0.0, 0.0);
  const std::vector<Vector3d> x = s ? s->positions() : std::vector<Vector3d>();
  const std::vector<double> tension = s ? pulls(*s) : std::vector<double>();
  for (int k = 0; s && k < n; ++k) {
    const Eigen::Vector2d pull(root_pull[0], root_pull[1] + (k + 0.5) / n);
    at += span.length / n * pull.normalized();
    astray = std::max(astray, (x[std::size_t(k) + 1].head<2>() - at).norm() / span.length);
    off = std::max(off, std::abs(tension[std::size_t(k)] / (weight * pull.norm()) - 1.0));
  }
  results.push_back(judge({"largest distance from 20 links in balance/L", "", 0.0, 1e-9}, n, astray));
  results.push_back(judge({"largest error of a tension of 20 links", "", 0.0, 1e-9}, n, off));
  return results;
}

// The lowest modes, sideways, of n links of a hanging chain of length 1, with this mass at the tip in link masses.
Eigen::MatrixXd shapes(int n, double tip) {
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd mass = Eigen::VectorXd::Ones(n);
  mass[n - 1] = tip;
  for (int i = 0; i < n; ++i) {
    const double pull = mass.tail(n - i).sum();
    stiffness(i, i) += pull;
    if (i > 0) stiffness(i - 1, i - 1) += pull, stiffness(i - 1, i) -= pull, stiffness(i, i - 1) -= pull;
  }
  const Eigen::MatrixXd masses = mass.asDiagonal();
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, masses).eigenvectors();
}

// A mode of backward Euler goes as u_{k+1} = q (2 u_k - u_{k-1}) with q = 1/(1 + h^2 omega^2), whatever h is; let go
// from rest, u_{-1} = u_0.
double frequency(int n, int mode, double tip, double expected) {
  constexpr double amplitude = 2e-6;  // of the length: what is not small in it is of its square
  const double l = 1.0 / n, h = 1.0 / expected;
  const Eigen::VectorXd shape = shapes(n, tip).col(mode);
  const Eigen::VectorXd u = shape * (amplitude / shape.cwiseAbs().maxCoeff());
  std::vector<Vector3d> points = {Vector3d::Zero()};
  for (int i = 0; i < n; ++i) {
    const double side = u[i] - (i == 0 ? 0.0 : u[i - 1]);
    points.push_back(points.back() + Vector3d(side, -std::sqrt(l * l - side * side), 0.0));
  }
  const double load = tip - 0.5;  // beside that of half a link
  const std::string strand =
      "clamp = \"point\"\nchain = { bending = 0, tolerance = 1e-14 }\n" +
      (load > 0.0 ? fmt::format("[[joints]]\nstrands = \"rope\"\nconnector = {{ mass = {:.17g} }}\n", load * l) : "");
  std::optional<Simulation> s = simulation_of(scene(points, h, "", strand));
  if (!s) return not_a_number;
  const auto deflection = [&] {  // of other modes there is nothing in it
    const std::vector<Vector3d> x = s->positions();
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (i + 1 == n ? tip : 1.0) * u[i] * x[std::size_t(i) + 1].x();
    return sum;
  };
  double before = deflection(), now = before, top = 0.0, bottom = 0.0;
  for (int k = 0; k < 10; ++k) {
    if (!s->step()) return not_a_number;
    const double next = deflection(), onward = 2.0 * now - before;
    top += next * onward, bottom += onward * onward;
    before = now, now = next;
  }
  return std::sqrt(bottom / top - 1.0) / h;
}

Results hanging_chain() {
  Results results;
  constexpr std::array<double, 3> tolerances = {7e-5, 9e-4, 3.6e-3};  // 1.5 times what 80 links are off by
  for (int k = 1; k <= 3; ++k) {
    const double exact = 0.5 * zero_of_bessel(k) * std::sqrt(standard_gravity);
    results.push_back(
        study({fmt::format("mode {} of a hanging chain", k), "rad/s", exact, tolerances[std::size_t(k - 1)], 2.0},
              doubled(20), [&](int n) { return frequency(n, k - 1, 0.5, exact); }));
  }
  const int n = 8;
  const Eigen::VectorXd zeros = zeros_of_laguerre(n);
  for (int k = 0; k < 3; ++k) {
    const double exact = std::sqrt(standard_gravity * n * zeros[k]);
    results.push_back(judge({fmt::format("mode {} of eight equal masses", k + 1), "rad/s", exact, 1e-9}, n,
                            frequency(n, k, 1.0, exact)));
  }
  return results;
}

// A mass on one link, let go from rest: period 4 K(sin(start/2)) sqrt(L/g), with the order of the integrator.
CaseResult pendulum(double start, const std::string& integrator) {
  const double small = 2.0 * pi / std::sqrt(standard_gravity);
  const double exact = small * 2.0 / pi * std::comp_ellint_1(std::sin(0.5 * start));
  const bool euler = integrator == "euler", shake = integrator == "shake";
  const std::string run = fmt::format("integrator = \"{}\"", shake ? "euler" : integrator);
  const std::string strand =
      fmt::format("clamp = \"point\"\nchain = {{ bending = 0, method = \"{}\" }}\n", shake ? "shake" : "hybrid");
  return study(
      {fmt::format("period from {:g} rad, {}", start, integrator), "s", exact, euler ? 5e-3 : 1e-4, euler ? 1.0 : 2.0},
      doubled(400), [&](int steps_per_period) {
        const double dt = small / steps_per_period;
        std::optional<Simulation> s =
            simulation_of(scene({Vector3d::Zero(), Vector3d(std::sin(start), -std::cos(start), 0.0)}, dt, run, strand));
        ZeroCrossings zeros;
        for (int i = 0; s && i < int(1.4 * exact / dt); ++i) {
          if (!s->step()) return not_a_number;
          zeros.see(s->positions()[1].x());
        }
        if (zeros.steps.size() < 3) return not_a_number;
        return (zeros.steps[2] - zeros.steps[0]) * dt;
      });
}

}  // namespace

std::vector<Case> hanging_cases(const Model&) {
  const auto hang = [&](const char* name, const Span& span) { return Case{name, [span] { return catenary(span); }}; };
  const auto periods = [](const char* integrator, std::vector<double> angles) {
    return Case{fmt::format("B8-pendulum-{}", integrator), [=] {
                  Results results;
                  for (const double angle : angles) results.push_back(pendulum(angle, integrator));
                  return results;
                }};
  };
  return {hang("B6-level", {1.0, 0.0, 1.2}),   hang("B6-sloping", {1.0, 0.3, 1.5}), hang("B6-deep", {1.0, 0.0, 2.0}),
          {"B8-hanging-chain", hanging_chain}, periods("euler", {0.5, 1.0}),        periods("bdf2", {0.5, 1.0, 2.0}),
          periods("shake", {0.5, 1.0, 2.0})};
}

}  // namespace tendril::validation
