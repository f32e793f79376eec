// How links of a chain get their lengths, as scenes may choose: our methods agree, rivals reach the lengths and not the
// balance of forces, SHAKE keeps energy, all with friction, and what does not go together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/simulations.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::error_of;
using support::simulation_of;

constexpr const char* ours[] = {"hybrid", "newton", "two-stage", "kkt"};
constexpr const char* others[] = {"fast", "pbd", "xpbd"};

// A limp rope that falls from level, or swings a little, with more keys.
std::string rope(const std::string& chain, const std::string& run = "", const std::string& more = "",
                 const char* generator = "horizontal") {
  return support::rope_scene(fmt::format("generator = \"{}\", vertices = 16, length = \"40 cm\"", generator), run,
                             fmt::format("chain = {{ bending = 0, {} }}\nclamp = \"point\"\n{}", chain, more));
}

std::string swinging_rope(const std::string& chain) { return rope(chain, "gravity = [1, -9.75, 0]", "", "vertical"); }

struct Course {
  double stretch = 0.0, residual = 0.0;  // the largest
  std::vector<Vector3d> end;
  std::vector<double> energy;  // after every step
};

Course course_of(const std::string& text, int steps) {
  Simulation s = simulation_of(text);
  Course course;
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = s.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    if (!taken) break;
    course.stretch = std::max(course.stretch, s.residuals().stretch);
    course.residual = std::max(course.residual, s.residuals().force);
    course.energy.push_back(s.energies().total());
  }
  course.end = s.positions();
  return course;
}

double distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double largest = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

TEST(ChainMethods, OursAgreeAndBalanceForces) {
  const Course reference = course_of(rope("method = \"hybrid\""), 120);
  for (const char* method : ours) {
    const Course course = course_of(rope(fmt::format("method = \"{}\"", method)), 120);
    EXPECT_LT(course.stretch, 1e-12) << method;
    EXPECT_LT(course.residual, 1e-3) << method;
    EXPECT_LT(distance(course.end, reference.end), 1e-4) << method;
  }
}

TEST(ChainMethods, OthersReachLengthsButNotTheBalanceOfForces) {
  EXPECT_LT(course_of(swinging_rope("method = \"hybrid\""), 120).residual, 1e-5);
  for (const char* method : others) {
    const Course course = course_of(swinging_rope(fmt::format("method = \"{}\"", method)), 120);
    EXPECT_LT(course.stretch, 1e-7) << method;
    EXPECT_GT(course.residual, 1e-3) << method;
  }
}

TEST(ChainMethods, ShakeKeepsEnergyWhereEulerLosesIt) {
  const auto change = [](const char* method) {
    const Course course = course_of(swinging_rope(fmt::format("method = \"{}\"", method)), 240);
    EXPECT_LT(course.stretch, 1e-7) << method;
    return std::abs(course.energy.back() - course.energy.front());
  };
  EXPECT_LT(change("shake"), 0.1 * change("hybrid"));
}

TEST(ChainMethods, AllTakeFriction) {
  const std::string ball = R"(
[contact]
friction = 0.4
[[colliders]]
name = "ball"
shape = { sphere = "8 cm", centre = [0.15, -0.12, 0] }
)";
  for (const char* method : {"hybrid", "two-stage", "kkt", "fast", "pbd", "xpbd", "shake"}) {
    Simulation s = simulation_of(rope(fmt::format("method = \"{}\"", method), "", ball));
    double stretch = 0.0, deepest = 0.0, force = 0.0;
    for (int i = 0; i < 180; ++i) {
      const Result<SimulationStep> taken = s.step();
      ASSERT_TRUE(taken) << method << ": " << taken.error().message();
      stretch = std::max(stretch, s.residuals().stretch);
    }
    EXPECT_LT(stretch, 1e-7) << method;
    for (const Vector3d& f : s.contact_forces()) force += f.norm();
    EXPECT_GT(force, 0.01) << method;  // [N], of a rope of 0.05 N
    for (const Vector3d& x : s.positions()) deepest = std::max(deepest, 0.082 - (x - Vector3d(0.15, -0.12, 0)).norm());
    EXPECT_LT(deepest, 2e-4) << method;
  }
}

// A few sweeps leave a rope stretched: the step is usable, and says so.
TEST(ChainMethods, SayWhenIterationsWereTooFew) {
  Simulation s = simulation_of(rope("method = \"pbd\", max_iterations = 5", "on_tolerance = \"accept\""));
  bool is_usable = false;
  double stretch = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    is_usable |= taken.value().usable > 0;
    stretch = std::max(stretch, s.residuals().stretch);
  }
  EXPECT_TRUE(is_usable);
  EXPECT_GT(stretch, 1e-4);
}

// By themselves, without contact and with one iteration of the run.
TEST(ChainMethods, DoWhatIsToBeDoneAboveTolerance) {
  const auto first_step = [](const char* what) {
    Simulation s =
        simulation_of(rope("method = \"pbd\", max_iterations = 5", fmt::format("on_tolerance = \"{}\"", what)));
    return s.step();
  };
  const Result<SimulationStep> accepted = first_step("accept"), retried = first_step("retry"),
                               stopped = first_step("stop");
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted.value().steps, 1);
  EXPECT_EQ(accepted.value().usable, 1);
  ASSERT_TRUE(retried);
  EXPECT_EQ(retried.value().steps, 3);  // the one that is taken back, and two halves
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message().find("rope, strand 0: iterations ended above the tolerance"), std::string::npos)
      << stopped.error().message();
}

TEST(ChainMethods, LessIsAskedOfWhoeverAsksForLess) {
  const Course tight = course_of(rope("method = \"pbd\""), 30),
               loose = course_of(rope("method = \"pbd\", tolerance = 1e-3"), 30);
  EXPECT_LT(tight.stretch, 1e-7);
  EXPECT_LT(loose.stretch, 1.1e-3);
  EXPECT_GT(loose.stretch, 1e-5);
}

TEST(ChainMethods, RefuseWhatTheyLack) {
  const auto message = [](const std::string& chain, const std::string& run = "") {
    std::string text = rope("", run);
    text.replace(text.find("chain = { bending = 0,  }"), 25, "chain = { " + chain + " }");
    return error_of(text);
  };
  EXPECT_NE(message("method = \"pbd\"").find("write bending = 0"), std::string::npos);
  EXPECT_NE(message("method = \"two-stage\"").find("write bending = 0"), std::string::npos);
  EXPECT_NE(message("bending = 0, method = \"fast\", slack = true").find("leave slack out"), std::string::npos);
  EXPECT_NE(message("bending = 0, method = \"fast\", compliance = 1e-4").find("leave compliance out"),
            std::string::npos);
  EXPECT_NE(message("bending = 0, method = \"shake\"", "integrator = \"bdf2\"").find("integrator = \"euler\""),
            std::string::npos);
  EXPECT_NE(message("method = \"sor\"").find("method"), std::string::npos);
  EXPECT_NE(message("tolerance = 0").find("tolerance"), std::string::npos);
  EXPECT_EQ(message("bending = 0, method = \"xpbd\", compliance = 1e-4"), "");
  EXPECT_EQ(message("method = \"kkt\", slack = true"), "");
}

}  // namespace
}  // namespace tendril
