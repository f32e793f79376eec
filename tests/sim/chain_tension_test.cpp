// What pulls in the links of chains, as scenes tell it: hanging, under loads and wrenches, over a pole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/simulations.hpp"
#include "tendril/sim/tensions.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::far_ball;
using support::simulation_of;

// A rope of ten links, 0.1 m each, that hangs down.
std::string hanging(const char* integrator, const std::string& more, const std::string& model = "chain") {
  std::string text = support::rope_scene("generator = \"vertical\", vertices = 11, length = \"1 m\"",
                                         fmt::format("integrator = \"{}\"", integrator), more);
  return text.replace(text.find("chain"), 5, model);
}

constexpr double weight_of_link = 1000.0 * std::numbers::pi * 4e-6 * 0.1 * 9.81;

std::vector<double> pulls(const Simulation& s) { return tensions(s.world(), 0, s.last_step(), s.state()); }

TEST(ChainTension, TellsWhatPullsInItsLinks) {
  for (const char* integrator : {"euler", "bdf2"}) {
    Simulation s = simulation_of(hanging(integrator, "[[joints]]\nconnector = { mass = \"2 kg\" }\n"));
    EXPECT_TRUE(std::isnan(pulls(s)[0]));  // nothing has moved yet
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(s.step());
    const std::vector<double> pull = pulls(s);
    for (int link = 0; link < 10; ++link)
      EXPECT_NEAR(pull[std::size_t(link)], 2.0 * 9.81 + (9.5 - link) * weight_of_link, 1e-9) << integrator;
  }
}

TEST(ChainTension, FindsWhatPullsOnceInAFrame) {
  Simulation s = simulation_of(hanging("euler", ""));
  ASSERT_TRUE(s.step());
  FoundTensions found;
  const std::vector<double>* const first = &found.of_part(s.world(), 0, s.last_step(), s.state());
  const double* const numbers = first->data();
  EXPECT_EQ(*first, pulls(s));
  std::vector<float> channel(10);
  gather_tensions(s.world(), s.last_step(), s.state(), found, channel);
  for (std::size_t k = 0; k < channel.size(); ++k) EXPECT_EQ(channel[k], float(numbers[k]));
  EXPECT_EQ(&found.of_part(s.world(), 0, s.last_step(), s.state()), first);
  EXPECT_EQ(first->data(), numbers);
}

// A wrench acts in one step, and in what is measured at its end.
TEST(ChainTension, TellsWhatPullsUnderAWrench) {
  const std::string probe = "[[probes]]\nname = \"pull\"\nkind = \"tension\"\nstrands = \"rope\"\nvertex = 4\n";
  for (const char* contact : {"", far_ball}) {
    Simulation s = simulation_of(hanging("euler", probe + contact));
    const auto expect_at_tip = [&](double force) {
      const std::vector<double> pull = pulls(s);
      for (int link = 0; link < 10; ++link)
        EXPECT_NEAR(pull[std::size_t(link)], force + (9.5 - link) * weight_of_link, 1e-9) << contact;
      EXPECT_EQ(s.probe("pull").value()[1], pull[4]);
      EXPECT_LT(s.residuals().force, 1e-6) << contact;
    };
    ASSERT_TRUE(s.apply_wrench({"rope", 0, -1, {0.0, -1.0, 0.0}, Vector3d::Zero()}));
    ASSERT_TRUE(s.step());
    expect_at_tip(1.0);
    ASSERT_TRUE(s.apply_wrench({"rope", 0, -1, Vector3d::Zero(), Vector3d::UnitY()}));
    EXPECT_FALSE(s.step());  // chains have no twist
    expect_at_tip(1.0);
    ASSERT_TRUE(s.step());
    expect_at_tip(0.0);
  }
}

TEST(ChainTension, IsBalancedUnderAWrenchAsRodsAre) {
  for (const char* model : {"chain", "der-inextensible", "der"})
    for (const char* contact : {"", far_ball}) {
      Simulation s = simulation_of(hanging("euler", contact, model));
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(s.apply_wrench({"rope", 0, -1, {1e-3, 0.0, 0.0}, Vector3d::Zero()}));
        ASSERT_TRUE(s.step());
        EXPECT_LT(s.residuals().force, 1e-3) << model << contact;
      }
    }
}

// Newton's second law of all that is beyond a link, whatever touches it: a limp rope that falls over a rough pole. It
// holds up to what the step says that is left unbalanced at each point.
TEST(ChainTension, TellsWhatPullsOverAPole) {
  Simulation s = simulation_of(support::rope_scene("generator = \"horizontal\", vertices = 24, length = 1", "", R"(
clamp = "point"
chain = { bending = 0 }
[contact]
friction = 0.3
tolerance = 1e-8
[[colliders]]
name = "pole"
shape = { cylinder = "10 cm", axis = [0, 0, 1], length = "1 m", centre = [0.4, -0.2, 0] }
)",
                                                   ", damping = \"20 ms\""));
  const std::vector<double> masses = s.world().parts[0].strands.masses();
  const double h = s.world().run.dt(), weight = 9.81 * 1000.0 * std::numbers::pi * 4e-6;  // of all of it, 1 m
  double pushed = 0.0, left = 0.0;
  for (int i = 0; i < 150; ++i) {
    const std::vector<Vector3d> before = s.velocities();
    support::take(s, 1);
    const std::vector<Vector3d> x = s.positions(), after = s.velocities(), contact = s.contact_forces();
    const std::vector<double> pull = pulls(s);
    double load = 0.0;
    for (std::size_t k = 0; k < 24; ++k) load = std::max(load, masses[k] * (9.81 + before[k].norm() / h));
    left = 23.0 * load * s.residuals().force + 1e-9 * weight;
    Vector3d beyond = Vector3d::Zero();  // momentum that is gained there, less what gravity and contact bring
    for (std::size_t k = 23; k-- > 0;) {
      beyond += masses[k + 1] * ((after[k + 1] - before[k + 1]) / h + 9.81 * Vector3d::UnitY()) - contact[k + 1];
      const Vector3d along = (x[k] - x[k + 1]).normalized();
      ASSERT_LT((beyond - pull[k] * along).norm(), left) << "step " << i << ", link " << k;
      pushed = std::max(pushed, contact[k + 1].norm());
    }
  }
  EXPECT_GT(pushed, 0.05 * weight);
  EXPECT_LT(left, 1e-4 * weight);
}

// Any tension along it does, so none is told; what hangs beside it is.
TEST(ChainTension, TellsNoTensionOfALineBetweenHeldPoints) {
  std::string points;
  for (int i = 0; i < 12; ++i)
    points += fmt::format("{}[{}, {}, {}]", i > 0 ? ", " : "", 0.037 * i, -0.021 * i, 0.013 * i);
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
[[strands]]
name = "rope"
source = {{ points = [{}] }}
model = "chain"
clamp = {{ root = "point", tip = "point" }}
chain = {{ bending = 0 }}
[[probes]]
name = "pull"
kind = "tension"
)",
                                           points));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(s.step());
  const std::vector<double> pull = pulls(s);
  for (std::size_t k = 0; k < 11; ++k) EXPECT_TRUE(std::isnan(pull[k])) << pull[k];
  EXPECT_TRUE(std::isnan(s.probe("pull").value()[1]));
  EXPECT_TRUE(std::isfinite(s.residuals().force));
}

}  // namespace
}  // namespace tendril
