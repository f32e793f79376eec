// The reference values of random rods: kinematics, energies, forces, Hessians and steps, for each curvature measure, by
// the lane kernels of each instruction set that this machine has and by the functions of a single Rod. How many
// iterations the reference took to converge is not compared: its line search is not ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/reference_rod.hpp"
#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/linalg/block_columns.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::der {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

const json& reference() {
  static const json data = json::parse(std::ifstream(test_data("der-sagfree_forward.json")));
  return data;
}

Curvature measure_of(const json& test_case) {
  const std::string name = test_case["bend"];
  return name == "4d" ? Curvature::four : name == "2davg" ? Curvature::averaged : Curvature::slerped;
}

using Example = support::ReferenceRod;
Example make_example(const json& test_case, Isa isa) {
  return support::reference_rod(test_case["rod"], measure_of(test_case), isa);
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

// The rod in every lane of one group, evaluated by the kernels of the example's instruction set. Results have a column
// per lane. The parameters are a copy, for a test to change.
class LaneRod {
 public:
  using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit LaneRod(const Example& example)
      : example_(example),
        targets_(example.strands.make_targets()),
        parameters_(example.strands.parameters(0).begin(), example.strands.parameters(0).end()),
        view_(example.strands.view(0, targets_)) {
    view_.parameters = parameters_.data();
  }
  LaneRod(const LaneRod&) = delete;
  LaneRod& operator=(const LaneRod&) = delete;

  int lanes() const { return example_.strands.lanes(); }
  int vertices() const { return view_.vertices; }
  bool is_round() const { return view_.round; }
  void set_round(bool round) { view_.round = round; }  // false: the way of sections with two stiffnesses

  void set(int vertex, int component, double value) {
    for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane)
      parameters_[stream_at(vertex, ParameterLayout::components, component, lanes(), lane)] = value;
  }
  void make_limp() {
    using P = ParameterLayout;
    for (int k = 0; k < vertices(); ++k)
      for (const int stiffness : {P::stretch, P::bend1, P::bend2, P::twist}) set(k, stiffness, 0.0);
  }

  Table force(const Vector3d& gravity = Vector3d::Zero()) const {
    StepTerms terms;
    for (int c = 0; c < 3; ++c) terms.gravity[c] = gravity[c];
    return table(4 * vertices(), [&](double* out) { example_.strands.kernels().residual(view_, terms, state(), out); });
  }
  Table energy() const {
    return table(EnergyReport::rows,
                 [&](double* out) { example_.strands.kernels().energy(view_, {}, state(), nullptr, out); });
  }
  Table stiffness_slots() const {
    return table(SlotLayout::components * vertices(),
                 [&](double* out) { example_.strands.kernels().assemble(view_, {}, state(), out); });
  }
  Table strains() const {
    return table(MeasureLayout::components * vertices(),
                 [&](double* out) { example_.strands.kernels().measure(view_, state(), out); });
  }

 private:
  const double* state() const { return example_.state.current[0].data(); }
  template <class F>
  Table table(int rows, F&& kernel) const {
    Stream out(std::size_t(rows * lanes()));
    kernel(out.data());
    return Eigen::Map<const Table>(out.data(), rows, lanes());
  }

  const Example& example_;
  Targets targets_;
  Stream parameters_;
  GroupView view_;
};

double largest_of(const json& list) {
  if (list.is_number()) return std::abs(double(list));
  double largest = 0.0;
  for (const json& entry : list) largest = std::max(largest, largest_of(entry));
  return largest;
}

class ForwardReference : public testing::TestWithParam<std::tuple<int, Isa>> {
 protected:
  const json& test_case() const { return reference()["cases"][std::size_t(std::get<0>(GetParam()))]; }
  Isa isa() const { return std::get<1>(GetParam()); }
};

TEST_P(ForwardReference, EnergiesAndForces) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  LaneRod rod(e);
  const LaneRod::Table energy = rod.energy(), force = rod.force();
  const double largest = largest_of(out["elastic_force"]);
  ASSERT_EQ(out["elastic_force"].size() + 1, std::size_t(force.rows()));
  for (int lane = 0; lane < rod.lanes(); ++lane) {
    EXPECT_NEAR(energy(EnergyReport::stretch, lane), out["E_stretch"], 1e-12 * double(out["E_stretch"]));
    EXPECT_NEAR(energy(EnergyReport::bend, lane), out["E_bend"], 1e-12 * double(out["E_bend"]));
    EXPECT_NEAR(energy(EnergyReport::twist, lane), out["E_twist"], 1e-12 * double(out["E_twist"]));
    for (Eigen::Index i = 0; i + 1 < force.rows(); ++i)
      EXPECT_NEAR(force(i, lane), out["elastic_force"][std::size_t(i)], 1e-12 * largest) << i << ", lane " << lane;
  }

  rod.make_limp();
  const json& weight = test_case()["rod"]["fext"];
  const LaneRod::Table limp = rod.force(e.options.gravity);
  for (int lane = 0; lane < rod.lanes(); ++lane)
    for (Eigen::Index i = 0; i + 1 < limp.rows(); ++i)
      EXPECT_NEAR(limp(i, lane), weight[std::size_t(i)], 1e-14 * largest_of(weight)) << i << ", lane " << lane;
}

TEST_P(ForwardReference, Strains) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  const LaneRod rod(e);
  const LaneRod::Table strains = rod.strains();
  for (int lane = 0; lane < rod.lanes(); ++lane) {
    const auto strain = [&](std::size_t vertex, std::size_t component) {
      return strains(Eigen::Index(vertex * MeasureLayout::components + component), lane);
    };
    for (std::size_t i = 0; i < out["l"].size(); ++i) EXPECT_NEAR(strain(i, MeasureLayout::length), out["l"][i], 1e-13);
    for (std::size_t i = 0; i < out["kappa"].size(); ++i) {
      for (std::size_t c = 0; c < out["kappa"][i].size(); ++c)
        EXPECT_NEAR(strain(i + 1, MeasureLayout::curvature + c), out["kappa"][i][c], 1e-12);
      EXPECT_NEAR(strain(i + 1, MeasureLayout::twist), out["twist"][i], 1e-12);
    }
  }
}

// No kernel gives a tangent, but a limp rod with a tension of one newton in one edge pulls its ends along it.
TEST_P(ForwardReference, TangentsAreTheForcesOfUnitTension) {
  const Example e = make_example(test_case(), isa());
  const json& tangents = test_case()["out"]["t"];
  ASSERT_EQ(tangents.size(), 5u);
  for (int k = 0; k < 5; ++k) {
    LaneRod rod(e);
    rod.make_limp();
    rod.set(k, ParameterLayout::stretch, 1.0), rod.set(k, ParameterLayout::rest_strain, 1.0);
    rod.set(k, ParameterLayout::inverse_rest_length, 0.0);  // the strain is that of rest, whatever the length
    const LaneRod::Table force = rod.force();
    for (int lane = 0; lane < rod.lanes(); ++lane)
      for (int i = 0; i < force.rows(); ++i) {
        const double sign = i / 4 == k ? 1.0 : i / 4 == k + 1 ? -1.0 : 0.0;
        const double expected = i % 4 == 3 ? 0.0 : sign * double(tangents[std::size_t(k)][std::size_t(i % 4)]);
        EXPECT_NEAR(force(i, lane), expected, 1e-14) << "edge " << k << ", unknown " << i << ", lane " << lane;
      }
  }
}

// The force of a limp rod in which joint i alone is stiff and has one unit of stress in one strain: minus the gradient
// of that strain. Its rest values are those of the reference pose, less one for the strain in question.
LaneRod::Table strain_gradient(LaneRod& rod, const json& out, int joint, int strain) {
  using P = ParameterLayout;
  const json& kappa = out["kappa"][std::size_t(joint - 1)];
  rod.make_limp();
  if (strain == MeasureLayout::twist) {
    rod.set(joint, P::twist, 1.0);
    rod.set(joint, P::rest_twist, double(out["twist"][std::size_t(joint - 1)]) - 1.0);
  } else {
    const double unit = kappa.size() == 2 ? 0.5 : 1.0;  // a 2D measure counts twice
    rod.set(joint, P::bend1, unit), rod.set(joint, P::bend2, unit);
    for (int c = 0; c < int(kappa.size()); ++c)
      rod.set(joint, P::rest_curvature + c,
              double(kappa[std::size_t(c)]) - (MeasureLayout::curvature + c == strain ? 1.0 : 0.0));
  }
  return -rod.force();
}

// The reference has the eleven unknowns x_{i-1}, theta_{i-1}, x_i, theta_i, x_{i+1} of joint i; all others are zero.
void expect_gradient(const LaneRod::Table& ours, const json& expected, int joint) {
  ASSERT_EQ(expected.size(), 11u);
  for (Eigen::Index lane = 0; lane < ours.cols(); ++lane)
    for (Eigen::Index i = 0; i < ours.rows(); ++i) {
      const Eigen::Index at = i - 4 * (joint - 1);
      EXPECT_NEAR(ours(i, lane), at >= 0 && at < 11 ? double(expected[std::size_t(at)]) : 0.0,
                  1e-13 * std::max(1.0, largest_of(expected)))
          << "joint " << joint << ", unknown " << i << ", lane " << lane;
    }
}

TEST_P(ForwardReference, GradientsOfTheStrainsAreTheForcesOfUnitStress) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  ASSERT_EQ(out["grad_kappa"].size(), 4u);
  ASSERT_EQ(out["grad_twist"].size(), 4u);
  for (const bool round : {true, false}) {  // by the closed form of round sections, and without (2D: the same)
    SCOPED_TRACE(round ? "round" : "not round");
    for (int joint = 1; joint <= 4; ++joint) {
      LaneRod rod(e);
      ASSERT_TRUE(rod.is_round());
      rod.set_round(round);
      const json& rows = out["grad_kappa"][std::size_t(joint - 1)];
      ASSERT_EQ(rows.size(), out["kappa"][0].size());
      for (int c = 0; c < int(rows.size()); ++c) {
        SCOPED_TRACE(c);
        expect_gradient(strain_gradient(rod, out, joint, MeasureLayout::curvature + c), rows[std::size_t(c)], joint);
      }
      expect_gradient(strain_gradient(rod, out, joint, MeasureLayout::twist), out["grad_twist"][std::size_t(joint - 1)],
                      joint);
    }
  }
}

// kappa b = 2 l_i dm/dx_{i+1}: the twist's gradient again, as no kernel gives the binormal itself.
TEST_P(ForwardReference, BinormalsAreTheForcesOfUnitTorque) {
  const Example e = make_example(test_case(), isa());
  const json& out = test_case()["out"];
  ASSERT_EQ(out["kb"].size(), 4u);
  for (int joint = 1; joint <= 4; ++joint) {
    LaneRod rod(e);
    const LaneRod::Table gradient = strain_gradient(rod, out, joint, MeasureLayout::twist), strains = rod.strains();
    for (int lane = 0; lane < rod.lanes(); ++lane)
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(2.0 * strains(joint * MeasureLayout::components + MeasureLayout::length, lane) *
                        gradient(4 * (joint + 1) + c, lane),
                    out["kb"][std::size_t(joint - 1)][std::size_t(c)], 1e-13)
            << "joint " << joint << ", lane " << lane;
  }
}

// The step that moves nothing measures the reference twists anew: from the directors, and from old values only the
// turn.
TEST_P(ForwardReference, ReferenceTwistsFollowFromTheDirectors) {
  const Example e = make_example(test_case(), isa());
  const json& expected = test_case()["out"]["mref"];
  ASSERT_EQ(expected.size(), 4u);
  const int w = e.strands.lanes();
  const Targets targets = targets_here(e, test_case()["rod"]["theta"][0]);
  Stream state(e.state.current[0].begin(), e.state.current[0].end());
  for (int joint = 1; joint <= 4; ++joint)
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane)
      state[state_at(joint, StateLayout::reference_twist, w, lane)] += 0.3 * joint - 0.7;
  const Stream still(std::size_t(24 * w)), whole(std::size_t(w), 1.0);
  Stream moved(state.size()), report(std::size_t(AdvanceReport::rows * w));
  e.strands.kernels().advance(e.strands.view(0, targets), {}, state.data(), still.data(), whole.data(), moved.data(),
                              nullptr, report.data());
  for (int joint = 1; joint <= 4; ++joint)
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane)
      EXPECT_NEAR(moved[state_at(joint, StateLayout::reference_twist, w, lane)], expected[std::size_t(joint - 1)],
                  1e-14)
          << "joint " << joint << ", lane " << lane;

  // So does the state that was given: here from zeros.
  State given = e.state;
  std::vector<Vector3d> directors(6);
  std::vector<double> twists(6);
  gather_directors(e.strands, e.state, directors);
  ASSERT_TRUE(set_directors(e.strands, directors, twists, given));
  gather_reference_twists(e.strands, given, twists);
  for (std::size_t joint = 1; joint <= 4; ++joint) EXPECT_NEAR(twists[joint], expected[joint - 1], 1e-14);
}

// The reference band is that of the elastic energy; row r has the entries r below the diagonal.
TEST_P(ForwardReference, StiffnessMatrix) {
  using B = BlockColumns;
  const Example e = make_example(test_case(), isa());
  const json& band = test_case()["out"]["hess_band_lower"];
  ASSERT_EQ(band.size(), half_bandwidth + 1);
  const double largest = largest_of(band);
  for (const bool round : {true, false}) {
    SCOPED_TRACE(round ? "round" : "not round");
    LaneRod rod(e);
    rod.set_round(round);
    const LaneRod::Table slots = rod.stiffness_slots();
    for (int lane = 0; lane < rod.lanes(); ++lane)
      for (int r = 0; r < int(band.size()); ++r)
        for (int j = 0; j + r < int(band[std::size_t(r)].size()); ++j) {
          const bool stored = j % 4 + r < B::rows;  // what a slot leaves out is zero
          EXPECT_NEAR(stored ? slots(j / 4 * SlotLayout::components + B::at(j % 4 + r, j % 4), lane) : 0.0,
                      double(band[std::size_t(r)][std::size_t(j)]), 1e-12 * largest)
              << r << " " << j << ", lane " << lane;
        }
  }
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

constexpr const char* measure_names[] = {"FourD", "Averaged", "Slerped"};
std::string rod_name(const testing::TestParamInfo<int>& info) { return measure_names[info.param]; }
std::string name_of(const testing::TestParamInfo<std::tuple<int, Isa>>& info) {
  return std::string(measure_names[std::get<0>(info.param)]) + "_" + std::string(isa_name(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, ForwardReference,
                         testing::Combine(testing::Values(0, 1, 2), testing::ValuesIn(support::available_sets())),
                         name_of);

// The functions of a single Rod run the reference kernels, or code of their own, on every machine: no instruction set.
class ForwardReferenceOfARod : public testing::TestWithParam<int> {
 protected:
  const json& test_case() const { return reference()["cases"][std::size_t(GetParam())]; }
  const Example example_ = make_example(test_case(), Isa::reference);
  const Rod rod_ = extract(example_.strands, example_.strands.make_targets(), example_.state, 0);
};

INSTANTIATE_TEST_SUITE_P(All, ForwardReferenceOfARod, testing::Values(0, 1, 2), rod_name);

TEST_P(ForwardReferenceOfARod, EnergiesAndForces) {
  const json& out = test_case()["out"];
  const Energies energy = energies(rod_, Vector3d::Zero());
  EXPECT_NEAR(energy.stretch, out["E_stretch"], 1e-12 * double(out["E_stretch"]));
  EXPECT_NEAR(energy.bend, out["E_bend"], 1e-12 * double(out["E_bend"]));
  EXPECT_NEAR(energy.twist, out["E_twist"], 1e-12 * double(out["E_twist"]));

  const Eigen::VectorXd force = net_force(rod_, Vector3d::Zero());
  const Eigen::VectorXd weight = net_force(rod_, example_.options.gravity) - force;
  const double largest = largest_of(out["elastic_force"]);
  for (std::size_t i = 0; i < out["elastic_force"].size(); ++i) {
    EXPECT_NEAR(force[Eigen::Index(i)], out["elastic_force"][i], 1e-12 * largest) << i;
    EXPECT_NEAR(weight[Eigen::Index(i)], test_case()["rod"]["fext"][i], 1e-12 * largest) << i;
  }
}

TEST_P(ForwardReferenceOfARod, EdgesInTwicePrecision) {
  const json& out = test_case()["out"];
  for (int k = 0; k < 5; ++k) {
    const PreciseEdge edge = precise_edge(rod_, k);
    EXPECT_NEAR(edge.length, out["l"][std::size_t(k)], 1e-14);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(edge.tangent[c], out["t"][std::size_t(k)][std::size_t(c)], 1e-14);
  }
}

TEST_P(ForwardReferenceOfARod, StiffnessMatrix) {
  const json& band = test_case()["out"]["hess_band_lower"];
  const Band<double> ours = step_hessian(rod_, 0.0);
  for (std::size_t r = 0; r < band.size(); ++r)
    for (std::size_t j = 0; j + r < band[r].size(); ++j)
      EXPECT_NEAR(ours.at(j + r, j), double(band[r][j]), 1e-12 * largest_of(band)) << r << " " << j;
}

}  // namespace
}  // namespace tendril::der
