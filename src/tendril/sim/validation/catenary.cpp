// B6: strands that hang between two points and hardly resist bending.
#include <algorithm>
#include <array>
#include <cmath>

#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/hanging.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using Results = std::vector<CaseResult>;

// Drawn as two straight halves, held at both ends.
Specimen hung(const Model& model, const Span& span, const der::Material& material, int n) {
  Specimen rod = bent(model, straight_halves(span, n), material, {der::Clamp::free, der::Clamp::free},
                      {{0, 0, {true, true, true, true}}, {0, -1, {true, true, true, false}}});
  rod.gravity = {0.0, -standard_gravity, 0.0};
  return rod;
}

void continuum(const Model& model, const Span& span, Results& results) {
  const double length = span.length;
  const Catenary curve = catenary_of(span);
  der::Material material = rope().material;
  const Stiffness stiff = stiffness(material);
  const double weight = stiff.line_density * standard_gravity * length;
  material.young *= 1e-9 * weight * length * length / stiff.bend;  // EI / (rho A g L^3) = 1e-9
  study(
      {{"largest distance from the curve/L", "", 0.0, 1e-3, 2.0},
       {"horizontal tension/(rho A g L)", "", curve.a / length, 1e-3, 2.0},
       {"force on the left/(rho A g L)", "", curve.a * std::cosh(curve.x0 / curve.a) / length, 1e-3, 2.0}},
      doubled(10),
      [&](int n) -> std::array<double, 3> {
        Specimen rod = hung(model, span, material, n);
        if (!rod.settle()) return {not_a_number, not_a_number, not_a_number};
        double farthest = 0.0;
        for (const Vector3d& x : rod.positions())
          farthest = std::max(farthest, std::abs(x.y() - curve.height_at(x.x())) / length);
        const Vector3d pull = rod.reactions().holds[0].head<3>();
        return {farthest, -pull.x() / weight, pull.norm() / weight};
      },
      results);
}

Results catenary(const Model& model, const Span& span) {
  Results results;
  continuum(model, span, results);
  const int n = 20;
  const Scale scale = chain(span.length);
  Specimen rod = hung(model, span, scale.material, n);
  const double weight = stiffness(scale.material).line_density * standard_gravity * span.length;
  const double pull = rod.settle() ? -rod.reactions().holds[0].x() / weight : not_a_number;
  results.push_back(judge({"horizontal tension of 20 links", "", discrete_pull(span, n)[0], 1e-9}, n, pull));
  return results;
}

}  // namespace

std::vector<Case> catenary_cases(const Model& model) {
  const auto hang = [&](const char* name, const Span& span) {
    return Case{name, [model, span] { return catenary(model, span); }};
  };
  return {hang("B6-level", {1.0, 0.0, 1.2}), hang("B6-sloping", {1.0, 0.3, 1.5}), hang("B6-deep", {1.0, 0.0, 2.0})};
}

}  // namespace tendril::validation
