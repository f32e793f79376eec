// Every contact solver that a scene may name keeps strands out of bodies; where one is not for a problem, the step has
// another, and the run says so; and local solvers are a scene's choice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/simulations.hpp"
#include "support/temporary_folder.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::error_of;
using support::simulation_of;

// A rope falls across a pole, and hangs there over both sides.
std::string rope_over_pole(const std::string& contact) {
  return fmt::format(R"(
[run]
name = "pole"
duration = "0.25 s"
fps = 60
substeps = 4
[[strands]]
name = "rope"
source = {{ generator = "horizontal", vertices = 21, length = "40 cm", origin = ["-20 cm", "5.5 cm", 0] }}
material = {{ preset = "cotton-rope", radius = "2 mm", damping = "10 ms" }}
clamp = "free"
[contact]
{}
[[colliders]]
name = "pole"
shape = {{ cylinder = "5 cm", length = "20 cm", axis = [0, 0, 1] }}
)",
                     contact);
}

struct Fall {
  ContactTotals contacts;
  double deepest = 0.0;  // [m], of any vertex in the pole at any time
  double lowest = 0.0;   // [m], where the ends are
};

Fall fall(const std::string& contact, int steps = 60) {
  Fall out;
  Simulation s = simulation_of(rope_over_pole(contact));
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = s.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    if (!taken) break;
    out.contacts += taken.value().contacts;
    for (const Vector3d& x : s.positions()) out.deepest = std::max(out.deepest, 0.052 - std::hypot(x.x(), x.y()));
  }
  out.lowest = s.positions().front().y();
  return out;
}

// A named solver may leave an error; it may not leave the rope in the pole.
TEST(EveryContactSolver, KeepsTheRopeOnThePole) {
  for (const std::string_view name : contact::solver_names()) {
    SCOPED_TRACE(name);
    const bool smooth = name == "active-set";
    const Fall made =
        fall(fmt::format("solver = \"{}\"\n{}", name, smooth ? "law = \"frictionless\"" : "friction = 0.4"));
    EXPECT_LT(made.deepest, 1e-4);  // a twentieth of its radius
    EXPECT_LT(made.lowest, 0.0);    // it has bent over the pole
    EXPECT_EQ(made.contacts.crossings, 0);
    EXPECT_GT(made.contacts.contacts_max, 2u);
  }
}

TEST(EveryContactSolver, ButActiveSetTakesFriction) {
  const std::string refused = error_of(rope_over_pole("solver = \"active-set\""));
  EXPECT_NE(refused.find("active-set takes no friction"), std::string::npos) << refused;
  EXPECT_NE(refused.find("law = \"frictionless\""), std::string::npos) << refused;
  EXPECT_EQ(error_of(rope_over_pole("solver = \"active-set\"\nfriction = 0")), "");
  EXPECT_NE(error_of(rope_over_pole("solver = \"active-set\"\nfriction = { default = 0, \"rope/pole\" = 0.1 }")), "");
}

// An overlap is pushed apart, and `path` is not for problems with pushes: all the same the rope comes out as it does
// otherwise, and the report says who solved what.
using ReplacedSolver = support::TemporaryFolder;
TEST_F(ReplacedSolver, IsToldInTheReport) {
  std::string text = rope_over_pole("solver = \"path\"\nfriction = 0.4");
  text.replace(text.find("5.5 cm"), 6, "5.0 cm");  // 2 mm inside
  Result<Scene> scene = parse_scene(text, "scene.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  RunOptions options;
  options.out = folder / "run";
  const Result<RunReport> ran = run(scene.value(), options);
  ASSERT_TRUE(ran) << ran.error().message();
  const RunReport& report = ran.value();
  EXPECT_GT(report.contacts->replaced_solves, 0);
  EXPECT_LT(report.contacts->deepest_end, 0.5 * report.contacts->deepest_start);
  const auto is_told = [](const std::string& note) {
    return note.find("none for the solver 'path'") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(report.notes, is_told), 1);
  RunReport read;
  ASSERT_TRUE(from_json(to_json(report), read));
  EXPECT_EQ(read.contacts->replaced_solves, report.contacts->replaced_solves);
}

// Of Gauss-Seidel: the exact ones of the literature lead where the closed form does, the pyramid of four sides does
// not, and says so.
TEST(LocalSolver, IsTheChoiceOfTheScene) {
  const auto by = [](const std::string& local) {
    return fall("solver = \"gs\"\nfriction = 0.4\ntolerance = 1e-6\n" + local);
  };
  const Fall closed = by("local = \"closed-form\""), enumerated = by("local = \"enum\""),
             pyramid = by("local = \"4sides\"\nfail_safe = false");
  EXPECT_EQ(by("").lowest, closed.lowest);
  EXPECT_NEAR(enumerated.lowest, closed.lowest, 1e-5);
  EXPECT_NE(enumerated.lowest, closed.lowest);
  EXPECT_EQ(closed.contacts.over_tolerance, 0);
  EXPECT_EQ(enumerated.contacts.over_tolerance, 0);
  EXPECT_GT(pyramid.contacts.over_tolerance, 0);
  EXPECT_GT(pyramid.contacts.unsolved, 0);
}

TEST(LocalSolver, HasAFailSafeUnlessTheSceneSaysNo) {
  const auto by = [](const std::string& rest) {
    return fall("solver = \"gs\"\nlocal = \"4sides\"\nfriction = 0.4\n" + rest).contacts;
  };
  EXPECT_GT(by("").rescued, 0);
  EXPECT_EQ(by("").unsolved, 0);
  EXPECT_EQ(by("fail_safe = false").rescued, 0);
}

TEST(LocalSolver, IsRefusedWhereItHasNoEffect) {
  const std::string unknown = error_of(rope_over_pole("solver = \"gs\"\nlocal = \"newton\""));
  for (const std::string_view name : contact::local_method_names())
    EXPECT_NE(unknown.find(fmt::format("'{}'", name)), std::string::npos) << unknown;
  EXPECT_NE(error_of(rope_over_pole("local = \"mfb\"")).find("local is for solver = \"gs\""), std::string::npos);
  EXPECT_NE(error_of(rope_over_pole("solver = \"gs\"\nfail_safe = false")).find("which local names"),
            std::string::npos);
}

// Few sweeps leave large errors; that is no jam.
TEST(FewIterations, AreNoJam) {
  const Fall made = fall("solver = \"gs\"\nmax_iterations = 1\nfriction = 0.4");
  EXPECT_GT(made.contacts.error_max, 1e-2);
  EXPECT_EQ(made.contacts.jammed, 0);
}

// Two plates that close on a rod in less than its thickness: no impulse keeps the three apart.
using Jammed = support::TemporaryFolder;
TEST_F(Jammed, StrandAndBodyAreNamedInTheNotes) {
  Result<Scene> scene = parse_scene(R"(
[run]
name = "press"
duration = "0.1 s"
fps = 60
substeps = 4
[[strands]]
name = "cord"
source = { points = [[[0.5, 0.002, 0], [0.55, 0.002, 0], [0.6, 0.002, 0]]] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[[strands]]
name = "rod"
source = { generator = "horizontal", count = 2, vertices = 5, length = "10 cm", origin = [0, "2 mm", 0], spacing = [0, 0, "5 cm"] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "table"
shape = { plane = true }
[[colliders]]
name = "press"
shape = { box = ["20 cm", "2 cm", "4 cm"], centre = ["5 cm", "1.405 cm", "5 cm"] }
motion = { move = [0, "-1 cm/s", 0] }
)",
                                    "scene.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  RunOptions options;
  options.out = folder / "run";
  const Result<RunReport> ran = run(scene.value(), options);
  ASSERT_TRUE(ran) << ran.error().message();
  const RunReport& report = ran.value();
  ASSERT_TRUE(report.contacts->jam);
  EXPECT_EQ(report.contacts->jam->place.find("rod, strand 1, vertex "), 0u) << report.contacts->jam->place;
  EXPECT_GT(report.contacts->jam->speed, 1e-3);
  EXPECT_LE(report.contacts->jammed_steps, report.steps);
  EXPECT_LT(report.contacts->jam->speed, 0.01 + 9.81 / 240.0);  // that of the press, and of its fall in a step
  // It is neither flung out nor let go: it lies on the table, and the press goes into it.
  for (const FrameRecord& frame : report.frames) EXPECT_LT(frame.energies.kinetic, 1e-9);
  EXPECT_NEAR(report.contacts->penetration_max, 0.1 * 0.01 - 0.05e-3, 0.1e-3);
  const auto is_told = [&](const std::string& note) { return note.find(report.contacts->jam->place) != note.npos; };
  EXPECT_EQ(std::ranges::count_if(report.notes, is_told), 1);
  RunReport read;
  ASSERT_TRUE(from_json(to_json(report), read));
  ASSERT_TRUE(read.contacts->jam);
  EXPECT_EQ(read.contacts->jam->place, report.contacts->jam->place);
  EXPECT_EQ(read.contacts->jammed_steps, report.contacts->jammed_steps);
}

// A press that closes on ropes and opens again: whatever the model, they are not thrown, neither while nothing can be
// done nor when it can be.
TEST(JammedRopes, GiveWayAndComeOutGently) {
  for (const char* model : {"der", "der-inextensible", "corde", "chain"}) {
    SCOPED_TRACE(model);
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "rope"
source = {{ generator = "horizontal", count = 3, vertices = 9, length = "10 cm", origin = [0, "1 mm", 0], spacing = [0, "0.1 mm", "6 mm"] }}
model = "{}"
material = {{ preset = "cotton-rope", radius = "1 mm" }}
clamp = "free"
[contact]
friction = 0.4
[[colliders]]
name = "table"
shape = {{ plane = true }}
[[colliders]]
name = "press"
shape = {{ box = ["6 cm", "2 cm", "4 cm"], centre = ["5 cm", "1.25 cm", 0] }}
motion = {{ keys = [{{ time = 0 }}, {{ time = "0.2 s", shift = [0, "-1.5 mm", 0] }}, {{ time = "0.4 s", shift = [0, "3 mm", 0] }}] }}
)",
                                             model));
    ContactTotals totals;
    double fastest = 0.0;
    for (int i = 0; i < 200; ++i) {
      const Result<SimulationStep> taken = s.step();
      ASSERT_TRUE(taken) << taken.error().message();
      totals += taken.value().contacts;
      for (const Vector3d& v : s.velocities()) fastest = std::max(fastest, v.norm());
    }
    EXPECT_GT(totals.jammed_steps, 10);
    EXPECT_LT(fastest, 0.1);                                                 // three times as fast as the press opens
    for (const Vector3d& x : s.positions()) EXPECT_NEAR(x.y(), 1e-3, 1e-4);  // on the table again
  }
}

}  // namespace
}  // namespace tendril
