// The reference values of random rods: kinematics, energies, forces, Hessians and steps, for each curvature measure and
// each instruction set that this machine has.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/rods.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::der {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

const json& reference() {
  static const json data = json::parse(std::ifstream(TENDRIL_TEST_DATA "/der-sagfree_forward.json"));
  return data;
}

Curvature measure_of(const json& test_case) {
  const std::string name = test_case["bend"];
  return name == "4d" ? Curvature::four : name == "2davg" ? Curvature::averaged : Curvature::slerped;
}

std::vector<Vector3d> vectors(const json& list) {
  std::vector<Vector3d> out;
  for (const json& v : list) out.emplace_back(v[0], v[1], v[2]);
  return out;
}

struct Example {
  Strands strands;
  State state;
  StepOptions options;
};

Example make_example(const json& test_case, Isa isa) {
  const json& rod = test_case["rod"];
  const std::size_t n = rod["N"];
  const double r = rod["r"], scale = rod["s"];
  Description d;
  d.curves.points = vectors(rod["x"]);
  d.curves.offsets = {0, n};
  d.curvature = measure_of(test_case);
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
  Example e{Strands::create(d, {}, isa).value(), {}, {}};
  e.state = e.strands.start();
  EXPECT_TRUE(set_thetas(e.strands, thetas, e.state));
  EXPECT_TRUE(set_directors(e.strands, directors, twists, e.state));
  EXPECT_TRUE(set_velocities(e.strands, velocities, e.state));
  EXPECT_TRUE(set_theta_velocities(e.strands, theta_velocities, e.state));
  e.options.gravity = vectors(json::array({rod["g"]}))[0];
  return e;
}

// The clamped edge keeps the angle it was given.
Targets targets_here(const Example& e, double theta) {
  Targets targets = e.strands.make_targets();
  const int w = e.strands.lanes();
  const Strands::Group& group = e.strands.groups()[0];
  for (int lane = 0; lane < w; ++lane)
    targets.holds[0][std::size_t(
        (group.hold_of[std::size_t(group.real_begin[0])] * HoldLayout::components + HoldLayout::target + 3) * w +
        lane)] = theta;
  return targets;
}

class ForwardReference : public testing::TestWithParam<std::tuple<int, Isa>> {
 protected:
  const json& test_case() const { return reference()["cases"][std::size_t(std::get<0>(GetParam()))]; }
  Isa isa() const { return std::get<1>(GetParam()); }
};

TEST_P(ForwardReference, EnergiesAndForces) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  const Rod rod = extract(e.strands, e.strands.make_targets(), e.state, 0);
  const Energies energy = energies(rod, Vector3d::Zero());
  EXPECT_NEAR(energy.stretch, out["E_stretch"], 1e-12 * double(out["E_stretch"]));
  EXPECT_NEAR(energy.bend, out["E_bend"], 1e-12 * double(out["E_bend"]));
  EXPECT_NEAR(energy.twist, out["E_twist"], 1e-12 * double(out["E_twist"]));

  const Eigen::VectorXd force = net_force(rod, Vector3d::Zero());
  double largest = 0.0;
  for (const json& f : out["elastic_force"]) largest = std::max(largest, std::abs(double(f)));
  for (std::size_t i = 0; i < out["elastic_force"].size(); ++i)
    EXPECT_NEAR(force[Eigen::Index(i)], out["elastic_force"][i], 1e-12 * largest) << i;
}

TEST_P(ForwardReference, StrainsByTheLaneKernel) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  const int w = e.strands.lanes();
  Stream strains(e.state.current[0].size());
  e.strands.kernels().measure(e.strands.view(0, e.strands.make_targets()), e.state.current[0].data(), strains.data());
  const auto strain = [&](std::size_t vertex, std::size_t component) {
    return strains[(vertex * MeasureLayout::components + component) * std::size_t(w)];
  };
  for (std::size_t i = 0; i < out["l"].size(); ++i) EXPECT_NEAR(strain(i, 0), out["l"][i], 1e-13);
  for (std::size_t i = 0; i < out["kappa"].size(); ++i) {
    for (std::size_t c = 0; c < out["kappa"][i].size(); ++c)
      EXPECT_NEAR(strain(i + 1, 1 + c), out["kappa"][i][c], 1e-12);
    EXPECT_NEAR(strain(i + 1, MeasureLayout::twist), out["twist"][i], 1e-12);
  }
}

TEST_P(ForwardReference, StepMatrix) {
  const Example e = make_example(test_case(), isa());
  const json& band = test_case()["out"]["hess_band_lower"];
  const Rod rod = extract(e.strands, e.strands.make_targets(), e.state, 0);
  // The reference band is that of the elastic energy alone or of the step: told apart by its size.
  const Band<double> ours = step_hessian(rod, 0.0);
  double largest = 0.0;
  for (const json& row : band)
    for (const json& entry : row) largest = std::max(largest, std::abs(double(entry)));
  const std::size_t shift = 4 * std::size_t(rod.vertices) - 1 - band[0].size();
  for (std::size_t r = 0; r < band.size(); ++r)
    for (std::size_t j = 0; j + r < band[r].size(); ++j)
      EXPECT_NEAR(ours.at(j + shift + r, j + shift), double(band[r][j]), 1e-12 * largest) << r << " " << j;
}

TEST_P(ForwardReference, OneNewtonStep) {
  Example e = make_example(test_case(), isa());
  const json& out = test_case()["step1"];
  e.options.dt = out["dt"];
  StepWorkspace work;
  State trial = e.state;
  const Targets targets = targets_here(e, test_case()["rod"]["theta"][0]);
  const StepReport report = step(e.strands, targets, e.options, e.state, work, trial);
  ASSERT_EQ(report.outcome, Outcome::converged);
  std::vector<Vector3d> x(6), v(6), directors(6);
  std::vector<double> theta(6), twist(6), spin(6);
  gather_positions(e.strands, trial, x), gather_velocities(e.strands, trial, v),
      gather_directors(e.strands, trial, directors);
  gather_thetas(e.strands, trial, theta), gather_reference_twists(e.strands, trial, twist),
      gather_theta_velocities(e.strands, trial, spin);
  for (std::size_t i = 0; i < 6; ++i)
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(x[i][c], out["x"][i][std::size_t(c)], 1e-13);
      EXPECT_NEAR(v[i][c], out["vel"][4 * i + std::size_t(c)], 1e-10);
      if (i < 5) {
        EXPECT_NEAR(directors[i][c], out["a1"][i][std::size_t(c)], 1e-13);
      }
    }
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(theta[i], out["theta"][i], 1e-13);
    EXPECT_NEAR(spin[i], out["vel"][4 * i + 3], 1e-10);
    if (i > 0) {
      EXPECT_NEAR(twist[i], out["mref"][i - 1], 1e-13);
    }
  }
}

TEST_P(ForwardReference, ConvergedStep) {
  Example e = make_example(test_case(), isa());
  const json& out = test_case()["step_converged"];
  e.options.dt = out["dt"];
  e.options.converge = true;
  e.options.tolerance = 1e-13;
  StepWorkspace work;
  State trial = e.state;
  const Targets targets = targets_here(e, test_case()["rod"]["theta"][0]);
  const StepReport report = step(e.strands, targets, e.options, e.state, work, trial);
  EXPECT_EQ(report.outcome, Outcome::converged) << text(report.trouble);
  std::vector<Vector3d> x(6);
  std::vector<double> theta(6);
  gather_positions(e.strands, trial, x), gather_thetas(e.strands, trial, theta);
  for (std::size_t i = 0; i < 6; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(x[i][c], out["x"][i][std::size_t(c)], 1e-9);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(theta[i], out["theta"][i], 1e-9);
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, Isa>>& info) {
  const char* measures[] = {"FourD", "Averaged", "Slerped"};
  return std::string(measures[std::get<0>(info.param)]) + "_" + std::string(isa_name(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, ForwardReference,
                         testing::Combine(testing::Values(0, 1, 2), testing::ValuesIn(support::available_sets())),
                         name_of);

}  // namespace
}  // namespace tendril::der
