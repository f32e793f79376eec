// B6: strands that hang between two points and hardly resist bending.
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "tendril/sim/validation/exact.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using Results = std::vector<CaseResult>;

struct Span {
  double width, height, length;  // [m], from (0, 0) to (width, height)
};

// Drawn as two straight halves, held at both ends.
Specimen hung(const Model& model, const Span& span, const der::Material& material, int n) {
  const Vector3d end(span.width, span.height, 0.0);
  const Vector3d down = Vector3d(span.height, -span.width, 0.0).normalized();
  const Vector3d low = 0.5 * end + 0.5 * std::sqrt(span.length * span.length - end.squaredNorm()) * down;
  std::vector<Vector3d> points;
  for (int i = 0; i <= n; ++i) {
    const double s = 2.0 * i / n;
    points.push_back(s <= 1.0 ? Vector3d(s * low) : Vector3d(low + (s - 1.0) * (end - low)));
  }
  Specimen rod = bent(model, points, material, {der::Clamp::free, der::Clamp::free},
                      {{0, 0, {true, true, true, true}}, {0, -1, {true, true, true, false}}});
  rod.gravity = {0.0, -standard_gravity, 0.0};
  return rod;
}

// y = a cosh((x - x0)/a) + c: 2 a sinh(D / 2a) = sqrt(L^2 - H^2), x0 = D/2 - a atanh(H/L); the tension is
// rho A g a cosh((x - x0)/a).
void continuum(const Model& model, const Span& span, Results& results) {
  const double width = span.width, length = span.length;
  const double a = root(1e-2 * width, 1e2 * width, [&](double b) {
    return std::sqrt(length * length - span.height * span.height) / (2.0 * b) - std::sinh(0.5 * width / b);
  });
  const double x0 = 0.5 * width - a * std::atanh(span.height / length);
  const auto height_at = [&](double x) { return a * (std::cosh((x - x0) / a) - std::cosh(x0 / a)); };
  der::Material material = rope().material;
  const Stiffness stiff = stiffness(material);
  const double weight = stiff.line_density * standard_gravity * length;
  material.young *= 1e-9 * weight * length * length / stiff.bend;  // EI / (rho A g L^3) = 1e-9
  study(
      {{"largest distance from the curve/L", "", 0.0, 1e-3, 2.0},
       {"horizontal tension/(rho A g L)", "", a / length, 1e-3, 2.0},
       {"force on the left/(rho A g L)", "", a * std::cosh(x0 / a) / length, 1e-3, 2.0}},
      doubled(10),
      [&](int n) -> std::array<double, 3> {
        Specimen rod = hung(model, span, material, n);
        if (!rod.settle()) return {not_a_number, not_a_number, not_a_number};
        double farthest = 0.0;
        for (const Vector3d& x : rod.positions())
          farthest = std::max(farthest, std::abs(x.y() - height_at(x.x())) / length);
        const Vector3d pull = rod.reactions().holds[0].head<3>();
        return {farthest, -pull.x() / weight, pull.norm() / weight};
      },
      results);
}

// n links with their masses at the joints: link k has the direction (T, V + (k + 1/2) w), with T the horizontal tension
// and w the weight of a link. T and V follow from where the chain ends, by Newton's method.
double discrete_tension(const Span& span, int n) {
  const double link = span.length / n, w = 1.0 / n;  // in units of the weight
  const Eigen::Vector2d end(span.width, span.height);
  Eigen::Vector2d unknowns(0.3, -0.5);  // T, V
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::Vector2d miss = -end;
    Eigen::Matrix2d derivative = Eigen::Matrix2d::Zero();
    for (int k = 0; k < n; ++k) {
      const Eigen::Vector2d pull(unknowns[0], unknowns[1] + (k + 0.5) * w);
      const Eigen::Vector2d along = pull.normalized();
      miss += link * along;
      derivative += link / pull.norm() * (Eigen::Matrix2d::Identity() - along * along.transpose());
    }
    unknowns -= derivative.inverse() * miss;
  }
  return unknowns[0];
}

Results catenary(const Model& model, const Span& span) {
  Results results;
  continuum(model, span, results);
  const int n = 20;
  const Scale scale = chain(span.length);
  Specimen rod = hung(model, span, scale.material, n);
  const double weight = stiffness(scale.material).line_density * standard_gravity * span.length;
  const double pull = rod.settle() ? -rod.reactions().holds[0].x() / weight : not_a_number;
  results.push_back(judge({"horizontal tension of 20 links", "", discrete_tension(span, n), 1e-9}, n, pull));
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
