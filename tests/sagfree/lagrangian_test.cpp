// The general optimiser: the scenes of the reference, the sweep's optimum by another way, and what the sweep cannot do.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "tendril/sagfree/polish.hpp"

namespace tendril::sagfree {
namespace {

using namespace der::support;
using der::Description;
using der::Strands;
using Eigen::VectorXd;
using nlohmann::json;

const Vector3d down(0.0, 0.0, -9.81);

const json& scenes() {
  static const json data = json::parse(std::ifstream(test_data("der-sagfree_scenes.json")));
  return data;
}

Description scene_strand(const Vector3d& along, double modulus) {
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = modulus, material.density = 1300.0;
  Description d = der::describe(one(straight_strand(30, 0.3, along)), material, {});
  d.root_director = {Vector3d::UnitY()};  // so that gravity bends about one axis of the section
  return d;
}

struct Found {
  LagrangianReport report;
  VectorXd p;
  std::size_t per_joint;
  double of(std::size_t joint, std::size_t variable) const { return p[Eigen::Index(joint * per_joint + variable)]; }
};

Found minimise_scene(const Description& d, Freedom freedom, const Options& bounds, double mu,
                     const LagrangianOptions& options) {
  const Strands strands = Strands::create(d).value();
  const StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, down, freedom);
  Found found{{}, problem.initial(), variables_of(freedom).size()};
  found.report = minimise(problem, box_of(problem, bounds, mu), options, {}, found.p);
  return found;
}

LagrangianOptions options_of(bool multipliers, double stiffness_weight) {
  LagrangianOptions options;
  options.multipliers = multipliers, options.stiffness_weight = stiffness_weight, options.penalty = 1e9;
  return options;
}

void expect_iterations(const json& expected, int ours) {
  EXPECT_GE(ours, int(0.7 * double(expected)) - 1);
  EXPECT_LE(ours, int(1.3 * double(expected)) + 1);
}

TEST(AugmentedLagrangian, HorizontalStrandOfTheReference) {
  const Description d = scene_strand(Vector3d::UnitX(), 1e9);
  const json& scene = scenes()["horizontal_mu0.2"];
  const Found rest = minimise_scene(d, Freedom::rest_shape, {}, 0.2, options_of(false, 1e5));
  EXPECT_NEAR(rest.report.constraint, scene["rest_only"]["c_norm"], 1e-6);
  expect_iterations(scene["rest_only"]["newton"], rest.report.iterations);
  const Found penalty = minimise_scene(d, Freedom::full, {}, 0.2, options_of(false, 1e5));
  EXPECT_NEAR(penalty.report.constraint, scene["penalty"]["c_norm"], 1e-6);
  expect_iterations(scene["penalty"]["newton"], penalty.report.iterations);
  const Found alm = minimise_scene(d, Freedom::full, {}, 0.2, options_of(true, 1e5));
  EXPECT_EQ(alm.report.ending, Ending::converged);
  EXPECT_LT(alm.report.constraint, 1e-7 * alm.report.initial_constraint);
  expect_iterations(scene["alm"]["newton"], alm.report.iterations);
  for (std::size_t j = 0; j < 28; ++j) {
    EXPECT_NEAR(penalty.of(j, 2), scene["penalty"]["beta"][j], 1e-5);
    EXPECT_NEAR(alm.of(j, 2), scene["alm"]["beta"][j], 1e-5);
    EXPECT_NEAR(alm.of(j, 2), scene["direct"]["beta"][j], 1e-5);
  }
}

TEST(AugmentedLagrangian, HangingStrandOfTheReference) {
  const Description d = scene_strand(-Vector3d::UnitZ(), 1e5);
  const json& scene = scenes()["vertical_lmin0.01"];
  Options bounds;
  bounds.shortest = 0.01 / (0.3 / 29.0);
  const Found rest = minimise_scene(d, Freedom::rest_shape, bounds, 1.0, options_of(false, 1e6));
  EXPECT_NEAR(rest.report.constraint, scene["rest_only"]["c_norm"], 1e-6);
  const Found penalty = minimise_scene(d, Freedom::full, bounds, 1.0, options_of(false, 1e6));
  EXPECT_NEAR(penalty.report.constraint, scene["penalty"]["c_norm"], 1e-6);
  const Found alm = minimise_scene(d, Freedom::full, bounds, 1.0, options_of(true, 1e6));
  EXPECT_EQ(alm.report.ending, Ending::converged);
  for (std::size_t j = 0; j < 28; ++j) EXPECT_NEAR(alm.of(j, 6), scene["direct"]["alpha"][j + 1], 1e-5);
}

// A strand that leaves sideways and then hangs as a helix of growing width.
std::vector<Vector3d> space_curl(double phase) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 20; ++i) {
    const double s = i / 19.0, angle = 3.0 * pi * s + phase, width = 0.015 * s;
    points.emplace_back(0.05 * (1.0 - std::exp(-5.0 * s)) + width * std::cos(angle), width * std::sin(angle),
                        -0.18 * s);
  }
  return points;
}

double change_of(const StrandProblem& problem, const VectorXd& p, const LagrangianOptions& options) {
  double change = 0.0;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Variable v = problem.variable(std::size_t(i));
    const bool stiffness = v == Variable::bend || v == Variable::twist || v == Variable::stretch;
    const double moved = p[i] - problem.initial()[i];
    change += 0.5 * (stiffness ? options.stiffness_weight : options.rest_weight) * moved * moved;
  }
  return change;
}

std::size_t count_active(const Box& box, const VectorXd& p) {
  std::size_t count = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) count += p[i] <= box.lower[i] || p[i] >= box.upper[i];
  return count;
}

// Element by element or all at once: the same least change, with a hundred Newton iterations in between. To 1e-6, since
// the sweep chooses rest lengths before joints. The corrections of Eq. 12 would leave the optimum.
TEST(AugmentedLagrangian, FindsTheSweepsOptimumOnSpaceCurlsWithActiveBounds) {
  Options bounds;
  bounds.gravity = down, bounds.mu = 0.35, bounds.bound = CurvatureBound::box, bounds.check_stability = false;
  LagrangianOptions tight;
  tight.step_tolerance = 1e-7, tight.balance_tolerance = 1e-8, tight.max_iterations = 1000;
  der::Material material = hair();
  material.shear = material.young;
  for (const double phase : {0.0, 2.0, 4.0}) {
    const Strands drawn = Strands::create(der::describe(one(space_curl(phase)), material, {})).value();
    Strands swept = drawn;
    ASSERT_TRUE(optimise(bounds, swept.start(), swept));
    const StrandProblem problem(drawn, drawn.make_targets(), drawn.start(), 0, down, Freedom::full);
    const Box box = box_of(problem, bounds, *bounds.mu);
    VectorXd p = problem.initial();
    const LagrangianReport report = minimise(problem, box, tight, {}, p);
    ASSERT_EQ(report.ending, Ending::converged) << "phase " << phase;
    const VectorXd direct = problem.read(drawn, swept.rest_state());
    EXPECT_GT(count_active(box, p), 0u);
    EXPECT_LT((p - direct).cwiseAbs().maxCoeff(), 1e-6) << "phase " << phase;
    EXPECT_NEAR(report.change, change_of(problem, direct, tight), 1e-6 * report.change) << "phase " << phase;
    EXPECT_GT(report.change, 1e4);  // stiffness had to change
  }
}

// The last corrections go down to the round-off of rest lengths, with bounds that act, in a space curve too: there
// tension and bending, thousands of times softer, share their equations.
TEST(Polish, TakesTheRestOfTheForceAway) {
  Options bounds;
  for (const double phase : {0.0, 2.0, 4.0}) {
    const Strands strands = Strands::create(der::describe(one(space_curl(phase)), hair(), {})).value();
    const StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, down, Freedom::full);
    const Box box = box_of(problem, bounds, 0.6);
    VectorXd p = problem.initial(), at_first, before, after;
    problem.force(p, at_first);
    ASSERT_EQ(minimise(problem, box, {}, {}, p).ending, Ending::converged);
    problem.force(p, before);
    ASSERT_GT(count_active(box, p), 0u);
    ASSERT_GT(before.norm(), 2e-8 * at_first.norm());
    polish(problem, box, p);
    problem.force(p, after);
    EXPECT_LT(after.norm(), 1e-8 * at_first.norm()) << "phase " << phase;
    EXPECT_TRUE((p.array() >= box.lower.array()).all() && (p.array() <= box.upper.array()).all());
  }
}

// Both ends clamped; a strand hung up at its tip: each in balance.
TEST(GeneralOptimiser, CoversWhatTheSweepDoesNot) {
  Random random(51);
  Description d =
      der::describe(one(smooth_strand(random, 14, 0.2, 0.15)), rope(), {der::Clamp::edge, der::Clamp::edge});
  Strands both = Strands::create(d).value();
  Options options;
  options.gravity = down;
  const Result<Outcome> found = optimise(options, both.start(), both);
  ASSERT_TRUE(found);
  EXPECT_LT(found.value().strands[0].imbalance, 1e-6);
  EXPECT_EQ(found.value().strands[0].status, StrandStatus::balanced);
  EXPECT_GT(found.value().strands[0].newton_iterations, 0);
  EXPECT_LT(found.value().strands[0].newton_iterations, 20);  // 300, were the held edge at the tip free to change
  EXPECT_EQ(both.rest_state().strain[12], 0.0);

  d.clamps = {der::Clamps{}};
  Strands held = Strands::create(d, {der::Hold{0, -1, {true, true, true, false}}}).value();
  const Result<Outcome> hung = optimise(options, held.start(), held);
  ASSERT_TRUE(hung);
  EXPECT_LT(hung.value().strands[0].imbalance, 1e-6);
}

// Modes order as they must: naive, rest shape alone, penalty, full.
TEST(GeneralOptimiser, ModesLeaveLessAndLess) {
  std::vector<double> imbalance;
  for (const Mode mode : {Mode::naive, Mode::rest_shape, Mode::penalty, Mode::full, Mode::sweep}) {
    Strands strands = Strands::create(scene_strand(Vector3d::UnitX(), 1e9)).value();
    Options options;
    options.mode = mode, options.mu = 0.2, options.gravity = down;
    imbalance.push_back(optimise(options, strands.start(), strands).value().strands[0].imbalance);
  }
  EXPECT_NEAR(imbalance[0], 1.0, 1e-12);
  EXPECT_NEAR(imbalance[1], 0.55, 0.02);
  EXPECT_NEAR(imbalance[2], 0.25, 0.02);
  EXPECT_LT(imbalance[3], 1e-6);
  EXPECT_LT(imbalance[4], 1e-12);
}

}  // namespace
}  // namespace tendril::sagfree
