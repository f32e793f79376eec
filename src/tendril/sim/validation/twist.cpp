// B4: what twist does to a straight rod, to a closed ring and to a rod under tension.
#include <fmt/format.h>

#include <algorithm>
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

// Turns the tip clamp by `angle` about `axis` through `centre` and spreads the twist evenly. A clamp tells whole turns
// by the angle that its edge has; a point clamp's is out of reach, so there the way is taken in less than half turns.
bool twist_tip(Specimen& rod, double angle, const Vector3d& axis, const Vector3d& centre) {
  const bool from_vertices = rod.strands.clamps(0).root == Clamp::point;  // or from the middle of the end edges
  const auto vertices = int(rod.strands.vertex_count());
  const int stages = from_vertices ? int(std::ceil(angle / 2.0)) : 1;
  for (int stage = 1; stage <= stages; ++stage) {
    const double turned = angle * stage / stages;
    std::vector<double> thetas(std::size_t(vertices), 0.0);
    gather_thetas(rod.strands, rod.state, thetas);  // the last one is the tip clamp's own
    for (int e = 0; e + 1 < vertices; ++e)
      thetas[std::size_t(e)] = turned * (from_vertices ? (e + 0.5) / (vertices - 1) : e / (vertices - 2.0));
    rod.set_thetas(thetas);
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(turned, axis));
    der::Drive drive;
    drive.tip = {{turn, centre - turn * centre}};
    rod.drive(drive);
    if (!rod.balance()) return false;
  }
  return true;
}

// Both ends clamped on a fixed axis, no axial force: M L / EI = 2 x with tan x = x. (A straight rod that is only
// twisted has no tension, so it makes no difference whether the tip may slide.)
Results straight_rod(const Model& model) {
  const Scale scale = rope();
  const Stiffness stiff = stiffness(scale.material);
  const double length = scale.length;
  const double x = root(pi, 1.5 * pi - 1e-9, [](double a) { return std::sin(a) - a * std::cos(a); });
  return {study({"M L/EI, both ends clamped", "", 2.0 * x, 1e-3, 2.0}, doubled(40), [&](int n) {
    const Specimen start = straight(model, n, length, scale.material, {Clamp::point, Clamp::point});
    const double ratio = stiff.bend / stiff.twist;  // angle = M L / GJ
    return critical_load(6.0, 12.0, [&](double moment) {
      Specimen rod = start;
      return twist_tip(rod, moment * ratio, Vector3d::UnitX(), Vector3d::Zero()) && rod.negative_modes() == 0;
    });
  })};
}

// A straight rod, bent to a ring and closed after the tip was twisted by theta: the plane ring becomes unstable at
// theta = 2 pi sqrt(3) EI / GJ (Michell). The strand's first and last edge coincide and are held: that takes away the
// ring's rigid motions, all but one: it may turn about the held edge while its material turns back. One vertex that is
// held in the plane prevents that, and nothing else.
double ring_twist(const Model& model, double bend_over_twist, int n) {
  const der::Material material = with_twist_ratio(hair().material, 1.0 / bend_over_twist);
  const double radius = 0.05;
  std::vector<Vector3d> points;
  for (int i = 0; i <= n + 1; ++i)
    points.emplace_back(radius * std::cos(2.0 * pi * i / n), radius * std::sin(2.0 * pi * i / n), 0.0);
  const Specimen start =
      bent(model, points, material, {Clamp::edge, Clamp::edge}, {{0, n / 2, {false, false, true, false}}});
  const Vector3d axis = start.tangent(0);
  return critical_load(8.0 * bend_over_twist, 14.0 * bend_over_twist, [&](double angle) {
    Specimen ring = start;
    return twist_tip(ring, angle, axis, points[0]) && ring.negative_modes() == 0;
  });
}

Results ring(const Model& model) {
  Results results;
  std::array<double, 2> finest{};
  for (const int which : {0, 1}) {
    const double ratio = which == 0 ? 1.0 : 1.3;
    results.push_back(study(
        {fmt::format("twist of a ring, EI/GJ = {:g}", ratio), "rad", 2.0 * pi * std::sqrt(3.0) * ratio, 1e-2, 2.0},
        doubled(30), [&](int n) { return finest[std::size_t(which)] = ring_twist(model, ratio, n); }));
  }
  results.push_back(judge({"ratio of the two", "", 1.3, 5e-3}, 120, finest[1] / finest[0]));
  return results;
}

// The localised helix of a long rod under tension T and torque M = m sqrt(EI T), m < 2: the angle between tangent and
// axis is cos(phi) = 1 - 2 c sech^2(s sqrt(c T/EI)), c = 1 - m^2/4, and the tangent turns about the axis at the rate
// psi' = M / (EI (1 + cos phi)).
struct LocalisedHelix {
  double m, unit;  // unit = sqrt(EI/T) [m]
  double cosine(double s) const {
    const double c = 1.0 - 0.25 * m * m;
    return 1.0 - 2.0 * c / std::pow(std::cosh(s / unit * std::sqrt(c)), 2);
  }
  double rate(double s) const { return m / (unit * (1.0 + cosine(s))); }

  // n equal edges from s = -half to half, each along the tangent at its middle; the curve's middle is the origin.
  std::vector<Vector3d> points(int n, double half) const {
    const double edge = 2.0 * half / n;
    std::vector<double> psi(std::size_t(n), 0.0);  // a quarter turn in the middle and odd about it; by Simpson's rule
    double turned = 0.5 * pi, s = 0.0;
    for (int e = n / 2; e < n; ++e) {
      const double next = (e + 0.5) * edge - half, step = next - s;
      turned += step / 6.0 * (rate(s) + 4.0 * rate(s + 0.5 * step) + rate(next));
      psi[std::size_t(e)] = turned, psi[std::size_t(n - 1 - e)] = pi - turned;
      s = next;
    }
    std::vector<Vector3d> x = {Vector3d::Zero()};
    for (int e = 0; e < n; ++e) {
      const double along = cosine((e + 0.5) * edge - half), across = std::sqrt(1.0 - along * along);
      const double turn = psi[std::size_t(e)];
      x.push_back(x.back() + edge * Vector3d(along, across * std::cos(turn), across * std::sin(turn)));
    }
    const Vector3d middle = x[std::size_t(n / 2)];
    for (Vector3d& point : x) point -= middle;
    return x;
  }
};

// The ends are clamped where the solution has them, the twist M/GJ is put in by turning the tip, and the middle is held
// against sliding along and turning about the axis, which the ends are too far away to prevent.
Results localised_helix(const Model& model) {
  const der::Material material = rope().material;
  const Stiffness stiff = stiffness(material);
  const LocalisedHelix helix{1.7, 0.1};
  const double tension = stiff.bend / (helix.unit * helix.unit), torque = helix.m * stiff.bend / helix.unit;
  const double half = 24.0 * helix.unit;  // there phi is 1e-5
  Results results;
  study(
      {{"largest error of phi", "rad", 0.0, 0.02, 2.0},
       {"tension", "N", tension, 1e-2, 2.0},
       {"torque", "N m", torque, 1e-2, 2.0}},
      doubled(160),
      [&](int n) -> std::array<double, 3> {
        const double edge = 2.0 * half / n;
        const auto cosine_at = [&](int e) { return helix.cosine((e + 0.5) * edge - half); };
        const std::vector<Vector3d> points = helix.points(n, half);
        der::Description description =
            der::describe({points, {0, points.size()}}, material, {Clamp::edge, Clamp::edge});
        description.rest_curvature.assign(points.size(), {});
        description.rest_twist.assign(points.size(), 0.0);
        for (int e = 0; e <= n; ++e)  // as taut as drawn: a good place to start from
          description.rest_strain.push_back(tension * cosine_at(e) / stiff.stretch);
        Specimen rod = make(model, std::move(description), {{0, n / 2, {true, false, true, false}}});
        const Vector3d axis = rod.tangent(-1);
        if (!twist_tip(rod, torque * (2.0 * half - edge) / stiff.twist, axis, points.back()))
          return {not_a_number, not_a_number, not_a_number};
        double largest = 0.0;
        for (int e = 0; e < n; ++e)
          largest = std::max(largest, std::abs(std::acos(rod.tangent(e).x()) - std::acos(cosine_at(e))));
        const der::Reactions reactions = rod.reactions();
        return {largest, reactions.tip.force.x(), reactions.tip.moment.x()};
      },
      results);
  return results;
}

}  // namespace

std::vector<Case> twist_cases(const Model& model) {
  return {{"B4-straight-rod", [model] { return straight_rod(model); }},
          {"B4-ring", [model] { return ring(model); }},
          {"B4-localised-helix", [model] { return localised_helix(model); }}};
}

}  // namespace tendril::validation
