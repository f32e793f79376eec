// B2: cantilevers with large deflections, in a plane turned about the clamp's axis.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "tendril/sim/validation/exact.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using Results = std::vector<CaseResult>;

constexpr der::Clamps cantilever{der::Clamp::point, der::Clamp::free};

// Over the length, with the drop along the load.
struct Shape {
  double x, drop, tip_angle, root_curvature;
};

// theta'' = -alpha cos(theta), theta(0) = theta'(1) = 0, in elliptic integrals: K(k) - F(phi, k) = sqrt(alpha) with
// sin(phi) = 1 / (k sqrt 2).
Shape tip_loaded(double alpha) {
  const auto angle = [](double k) { return std::asin(std::min(1.0, std::numbers::sqrt2 / 2.0 / k)); };
  const double k = root(std::numbers::sqrt2 / 2.0, 1.0 - 1e-14, [&](double m) {
    return std::comp_ellint_1(m) - std::ellint_1(m, angle(m)) - std::sqrt(alpha);
  });
  const double sine = 2.0 * k * k - 1.0;
  return {std::sqrt(2.0 * sine / alpha),
          1.0 - 2.0 * (std::comp_ellint_2(k) - std::ellint_2(k, angle(k))) / std::sqrt(alpha), std::asin(sine),
          std::sqrt(2.0 * alpha * sine)};
}

// theta'' = -gamma (1 - s) cos(theta): no closed form; solved by shooting to 1e-13.
struct OwnWeight {
  double gamma;
  Shape shape;
};
constexpr std::array<OwnWeight, 7> own_weights = {{
    {0.1, {0.9999107322241186, 0.01249843784804797, 0.016665085191122097, 0.049996875598469756}},
    {1.0, {0.9912463953466353, 0.12347140198335183, 0.1651155605024409, 0.4969333999307171}},
    {3.0, {0.9315112070648796, 0.3396483922963503, 0.4635411471698139, 1.427546970778229}},
    {10.0, {0.6563537612386027, 0.7001997155143098, 1.0526431171968027, 3.7421911108715564}},
    {30.0, {0.3427636806558754, 0.8730924232233117, 1.4481369280311842, 7.237785945535984}},
    {100.0, {0.15922338262844227, 0.9375239353963469, 1.564107320575326, 13.693238735933477}},
    {1000.0, {0.04598645475692327, 0.9811412692686903, 1.5707963223195145, 44.29765838661654}},
}};

struct Load {
  std::string name;
  Shape exact;
  double tolerance;  // over the length, of the tip's position at the finest n
  // Enough for the bend at the root, few enough for round-off (some 1e-16 n^3 / gamma) to stay below 1e-10 of the load.
  std::array<int, 3> edges;
};

// One strand under one load: the drop within the tolerance, all the rest also with its order. (The drop alone has none
// that shows: its leading coefficient nearly vanishes.)
template <class Loaded>
void study_shape(const Load& load, double length, double bend, const Vector3d& down, Loaded&& loaded, Results& results,
                 double& out_of_plane) {
  const Shape& exact = load.exact;
  const std::vector<Expectation> expectations = {
      {"drop/L, " + load.name, "", exact.drop, load.tolerance / exact.drop},
      {"distance of the tip/L, " + load.name, "", 0.0, load.tolerance, 2.0},
      {"tip angle, " + load.name, "rad", exact.tip_angle, load.tolerance / exact.tip_angle, 2.0},
      {"root moment L/EI, " + load.name, "", exact.root_curvature, load.tolerance / exact.x, 2.0}};
  const Vector3d normal = Vector3d::UnitX().cross(down);
  study(
      expectations, load.edges,
      [&](int n) -> std::array<double, 4> {
        Specimen rod = loaded(n);
        if (!rod.settle()) return {not_a_number, not_a_number, not_a_number, not_a_number};
        for (const Vector3d& x : rod.positions())
          out_of_plane = std::max(out_of_plane, std::abs(x.dot(normal)) / length);
        const Vector3d tip = rod.position(-1) / length, end = rod.tangent(-1);
        return {tip.dot(down), std::hypot(tip.x() - exact.x, tip.dot(down) - exact.drop),
                std::atan2(end.dot(down), end.x()), rod.reactions().root.moment.norm() * length / bend};
      },
      results);
}

// The plane of bending is turned about x by `plane`.
Vector3d down_in(double plane) { return {0.0, std::cos(plane), std::sin(plane)}; }

CaseResult in_plane(double out_of_plane) {
  return judge({"largest distance from the plane/L", "", 0.0, 1e-9}, 1, out_of_plane);
}

Results tip_load(const Model& model, const Scale& scale, double plane) {
  const double length = scale.length, bend = stiffness(scale.material).bend;
  const Vector3d down = down_in(plane);
  Results results;
  double out_of_plane = 0.0;
  for (const double alpha : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const Load load{fmt::format("alpha = {:g}", alpha), tip_loaded(alpha),
                    3.0 * std::min(0.215, 0.25 * alpha) / (80 * 80), doubled(20)};
    const auto loaded = [&](int n) {
      Specimen rod = straight(model, n, length, scale.material, cantilever);
      rod.set_loads({{0, -1, alpha * bend / (length * length) * down}});
      return rod;
    };
    study_shape(load, length, bend, down, loaded, results, out_of_plane);
  }
  results.push_back(in_plane(out_of_plane));
  return results;
}

Results own_weight(const Model& model, const Scale& scale, double plane) {
  const Stiffness stiff = stiffness(scale.material);
  const Vector3d down = down_in(plane);
  Results results;
  double out_of_plane = 0.0;
  for (const auto& [gamma, shape] : own_weights) {
    const int n = gamma > 100.0 ? 640 : gamma > 30.0 ? 320 : gamma > 10.0 ? 160 : 80;
    // Three times the error of a rod of joint springs, which is coefficient / n^2.
    const double coefficient = gamma > 100.0 ? 4.5 : gamma > 10.0 ? 1.4 : std::min(0.52, 0.2 * gamma);
    const double length = std::cbrt(gamma * stiff.bend / (stiff.line_density * standard_gravity));
    const Load load{fmt::format("gamma = {:g}", gamma), shape, 3.0 * coefficient / (n * n), doubled(n / 4)};
    const auto loaded = [&](int edges) {
      Specimen rod = straight(model, edges, length, scale.material, cantilever);
      rod.gravity = standard_gravity * down;
      return rod;
    };
    study_shape(load, length, stiff.bend, down, loaded, results, out_of_plane);
  }
  results.push_back(in_plane(out_of_plane));
  return results;
}

}  // namespace

std::vector<Case> cantilever_cases(const Model& model) {
  return {{"B2-tip-load-hair", [model] { return tip_load(model, hair(), 0.7); }},
          {"B2-tip-load-rope", [model] { return tip_load(model, rope(), 2.1); }},
          {"B2-own-weight-hair", [model] { return own_weight(model, hair(), 0.7); }},
          {"B2-own-weight-rope", [model] { return own_weight(model, rope(), 2.1); }}};
}

}  // namespace tendril::validation
