#include "support/reference_rod.hpp"

#include <gtest/gtest.h>

namespace tendril::der::support {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

std::vector<Vector3d> vectors(const json& list) {
  std::vector<Vector3d> out;
  for (const json& v : list) out.emplace_back(v[0], v[1], v[2]);
  return out;
}

}  // namespace

ReferenceRod reference_rod(const json& rod, Curvature curvature, Isa isa) {
  const std::size_t n = rod["N"];
  const double r = rod["r"], scale = rod["s"];
  Description d;
  d.curves.points = vectors(rod["x"]);
  d.curves.offsets = {0, n};
  d.curvature = curvature;
  d.semi_axis1 = d.semi_axis2 = std::vector<double>(n, r);
  d.density.assign(n, rod["rho"]);
  d.stretch_modulus.assign(n, 1.0), d.bend_modulus.assign(n, 1.0), d.twist_modulus.assign(n, 1.0);
  d.reference_length.assign(n, 1.0), d.rest_strain.assign(n, 0.0), d.rest_twist.assign(n, 0.0);
  d.rest_curvature.assign(n, {});
  d.mass.assign(n, 0.0), d.inertia.assign(n, 0.0);
  std::vector<double> thetas(n), twists(n), theta_velocities(n);
  std::vector<Vector3d> directors = vectors(rod["a1"]), velocities(n);
  directors.push_back(Vector3d::UnitX());
  for (std::size_t i = 0; i < n; ++i) {
    d.mass[i] = rod["mass"][4 * i];
    for (int c = 0; c < 3; ++c) velocities[i][c] = rod["vel"][4 * i + std::size_t(c)];
    if (i + 1 == n) break;
    d.inertia[i] = rod["mass"][4 * i + 3];
    theta_velocities[i] = rod["vel"][4 * i + 3];
    thetas[i] = rod["theta"][i];
    d.reference_length[i] = rod["lbar"][i];
    d.stretch_modulus[i] = scale * double(rod["alpha"][i]);
    if (i == 0) continue;
    d.bend_modulus[i] = scale * double(rod["beta"][i - 1]);
    d.twist_modulus[i] = scale * double(rod["gamma"][i - 1]);
    d.rest_twist[i] = rod["mbar"][i - 1];
    twists[i] = rod["mref"][i - 1];
    for (std::size_t c = 0; c < rod["kbar"][i - 1].size(); ++c) d.rest_curvature[i][c] = rod["kbar"][i - 1][c];
  }
  ReferenceRod e{Strands::create(d, {}, isa).value(), {}, {}};
  e.state = e.strands.start();
  EXPECT_TRUE(set_thetas(e.strands, thetas, e.state));
  EXPECT_TRUE(set_directors(e.strands, directors, twists, e.state));
  EXPECT_TRUE(set_velocities(e.strands, velocities, e.state));
  EXPECT_TRUE(set_theta_velocities(e.strands, theta_velocities, e.state));
  e.options.gravity = vectors(json::array({rod["g"]}))[0];
  return e;
}

}  // namespace tendril::der::support
