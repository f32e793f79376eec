// B1: small deflections, twisting, rolling up, stretching.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;

constexpr der::Clamps cantilever{der::Clamp::point, der::Clamp::free};
constexpr der::Clamps both_ends{der::Clamp::point, der::Clamp::point};

// Tip deflection F L^3 / (3 EI), for F L^2 / EI = 1e-3.
Results small_tip_load(const Model& model) {
  const Scale scale = rope();
  const auto [bend, twist, stretch, density] = stiffness(scale.material);
  const double length = scale.length, force = 1e-3 * bend / (length * length);
  return {
      study({"tip deflection", "m", force * std::pow(length, 3) / (3.0 * bend), 1e-3, 2.0}, doubled(10), [&](int n) {
        Specimen rod = straight(model, n, length, scale.material, cantilever);
        rod.set_loads({{0, -1, {0.0, -force, 0.0}}});
        return rod.settle() ? -rod.position(-1).y() : not_a_number;
      })};
}

// Tip deflection rho A g L^4 / (8 EI), for rho A g L^3 / EI = 1e-3.
Results small_own_weight(const Model& model) {
  const Scale scale = hair();
  const auto [bend, twist, stretch, density] = stiffness(scale.material);
  const double length = std::cbrt(1e-3 * bend / (density * standard_gravity));
  return {study({"tip deflection", "m", density * standard_gravity * std::pow(length, 4) / (8.0 * bend), 1e-3, 2.0},
                doubled(10), [&](int n) {
                  Specimen rod = straight(model, n, length, scale.material, cantilever);
                  rod.gravity = {0.0, -standard_gravity, 0.0};
                  return rod.settle() ? -rod.position(-1).y() : not_a_number;
                })};
}

// Angle M s / GJ and energy M^2 s / (2 GJ), where s reaches from the clamp to the middle of the last edge, on which the
// torque acts: exact for any n. Then the clamps' side of it: a full turn of the tip needs the torque 2 pi GJ / L.
Results twisting(const Model& model) {
  const Scale scale = rope();
  const auto [bend, twist, stretch, density] = stiffness(scale.material);
  const double length = scale.length, torque = 0.5 * twist / length;
  const int n = 7;
  const double reach = length * (n - 0.5) / n;
  Specimen rod = straight(model, n, length, scale.material, cantilever);
  rod.set_loads({{0, -1, Vector3d::Zero(), torque}});
  const bool settled = rod.settle();
  std::vector<double> angles(std::size_t(n) + 1);
  gather_thetas(rod.strands, rod.state, angles);
  const double angle = settled ? angles[std::size_t(n) - 1] : not_a_number;
  const double energy = settled ? energies(rod.rod(), rod.gravity).twist : not_a_number;

  Specimen turned = straight(model, n, length, scale.material, both_ends);
  bool followed = true;
  for (int third = 1; third <= 3; ++third) {
    der::Drive drive;
    drive.tip = {{Eigen::Quaterniond(Eigen::AngleAxisd(third * 2.0 * pi / 3.0, Vector3d::UnitX())), Vector3d::Zero()}};
    turned.drive(drive);
    followed = followed && turned.settle();
  }
  const double reaction = followed ? turned.reactions().tip.moment.x() : not_a_number;
  return {judge({"angle by an end torque", "rad", torque * reach / twist, 1e-9}, n, angle),
          judge({"energy", "J", torque * torque * reach / (2.0 * twist), 1e-9}, n, energy),
          judge({"torque of a full turn", "N m", 2.0 * pi * twist / length, 1e-9}, n, reaction)};
}

// A straight rod is bent to a full circle by turning its tip clamp along the family of arcs: the moment there becomes
// 2 pi EI / L and the energy 2 pi^2 EI / L, with errors of phi^2/3 and phi^2/6 for turning angles phi = 2 pi/n: the
// curvature 2 tan(phi/2) stiffens. No twist comes of it, in a plane that is oblique to the frames.
// A regular polygon whose first and last edge coincide meets M = (2 EI/l) (t + t^3), t = tan(phi/2), the derivative of
// its energy, exactly.
Results rolling_up(const Model& model) {
  const Scale scale = hair();
  const double length = scale.length, bend = stiffness(scale.material).bend;
  const Vector3d along = Vector3d::UnitX(), axis = Vector3d(0.0, 2.0, 1.0).normalized(), side = axis.cross(along);
  double torque = 0.0;  // largest, over the bending moment
  Results results;
  study(
      {{"moment of a full circle", "N m", 2.0 * pi * bend / length, 1e-3, 2.0},
       {"energy", "J", 2.0 * pi * pi * bend / length, 1e-3, 2.0}},
      doubled(40),
      [&](int n) -> std::array<double, 2> {
        Specimen rod = straight(model, n, length, scale.material, both_ends);
        constexpr int stages = 24;
        for (int stage = 1; stage <= stages; ++stage) {
          const double turn = 2.0 * pi * stage / stages, radius = length / turn;
          const Eigen::Quaterniond turned(Eigen::AngleAxisd(turn, axis));
          const Vector3d end = radius * (std::sin(turn) * along + (1.0 - std::cos(turn)) * side);
          der::Drive drive;
          drive.tip = {{turned, end - turned * (length * along)}};
          rod.drive(drive);
          if (!rod.settle()) return {not_a_number, not_a_number};
        }
        // Once more with the clamps at rest: a solve that moves them judges its residual by the forces of the move.
        if (!rod.settle()) return {not_a_number, not_a_number};
        const Vector3d moment = rod.reactions().tip.moment;
        torque = std::max(torque, std::abs(moment.dot(along)) / moment.norm());
        return {moment.dot(axis), energies(rod.rod(), rod.gravity).elastic()};
      },
      results);
  results.push_back(judge({"torque of a full circle/moment", "", 0.0, 1e-9}, 160, torque));

  const int n = 20;
  const double edge = length / n, radius = 0.5 * edge / std::sin(pi / n), t = std::tan(pi / n);
  std::vector<Vector3d> polygon;
  for (int i = 0; i <= n + 1; ++i)
    polygon.emplace_back(radius * std::cos(2.0 * pi * i / n), radius * std::sin(2.0 * pi * i / n), 0.0);
  Specimen ring = bent(model, polygon, scale.material, {der::Clamp::edge, der::Clamp::edge});
  const double moment = ring.settle() ? ring.reactions().tip.moment.z() : not_a_number;
  results.push_back(
      judge({"moment of a regular polygon", "N m", 2.0 * bend / edge * (t + t * t * t), 1e-9}, n, moment));
  return results;
}

// Extension F L / EA by a pull, rho g L^2 / (2 E) by the strand's own weight: exact for any n.
Results stretching(const Model& model) {
  const Scale scale = rope();
  const auto [bend, twist, stretch, density] = stiffness(scale.material);
  const double length = scale.length, force = 1e-3 * stretch;
  const double heavy = 1e-3 * stretch / (density * length);  // [m/s^2] that strains it by 1e-3
  const int n = 7;
  Specimen pulled = straight(model, n, length, scale.material, cantilever);
  pulled.set_loads({{0, -1, {force, 0.0, 0.0}}});
  const double extension = pulled.settle() ? pulled.position(-1).x() - length : not_a_number;
  Specimen hanging = straight(model, n, length, scale.material, cantilever);
  hanging.gravity = {heavy, 0.0, 0.0};
  const double sag = hanging.settle() ? hanging.position(-1).x() - length : not_a_number;
  return {judge({"extension by a pull", "m", force * length / stretch, 1e-6}, n, extension),
          judge({"extension by own weight", "m", density * heavy * length * length / (2.0 * stretch), 1e-6}, n, sag)};
}

}  // namespace

std::vector<Case> elementary_cases(const Model& model) {
  return {{"B1-tip-load", [model] { return small_tip_load(model); }},
          {"B1-own-weight", [model] { return small_own_weight(model); }},
          {"B1-twist", [model] { return twisting(model); }},
          {"B1-roll-up", [model] { return rolling_up(model); }},
          {"B1-stretch", [model] { return stretching(model); }}};
}

}  // namespace tendril::validation
