// Joints between points beside contact, and ropes with loads over a pole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/simulations.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::run_steps;
using support::simulation_of;

// A rope with a load of up to 40 000 times the mass of a point falls onto a pole, slides over it and winds up, in steps
// of 1/240 s. What is linear in a step is far from where its links lead; it is resolved again there, and the rope stays
// on the pole.
TEST(LoadedRope, StaysOnAPoleWhateverHangsAtIt) {
  for (const char* model : {"chain", "der-inextensible"})
    for (const double load : {0.5, 5.0, 20.0}) {
      SCOPED_TRACE(fmt::format("{}, {} kg", model, load));
      Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
[[strands]]
name = "rope"
source = {{ generator = "horizontal", vertices = 30, length = "50 cm" }}
model = "{}"
material = {{ radius = "3 mm", young = "5 MPa", density = 1000, damping = "10 ms" }}
clamp = "point"
[[joints]]
strands = "rope"
connector = {{ mass = {} }}
[contact]
friction = 0.4
[[colliders]]
name = "pole"
shape = {{ cylinder = "3 cm", axis = [0, 0, 1], length = "1 m", centre = [0.25, -0.1, 0] }}
)",
                                               model, load));
      const ContactTotals totals = run_steps(s, 240);
      EXPECT_LT(totals.penetration_max, 0.0003);  // a tenth of its radius
      EXPECT_EQ(totals.crossings, 0);
      EXPECT_LT(s.residuals().stretch, 1e-12);
    }
}

// An open ring whose ends are an edge apart is drawn together, not flung about, and lies on a pole.
TEST(Joints, DrawTogetherWhatWasDrawnApart) {
  for (const char* model : {"der", "der-inextensible", "chain"}) {
    SCOPED_TRACE(model);
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
[[strands]]
name = "ring"
source = {{ generator = "ring", vertices = 40, radius = "10 cm" }}
model = "{}"
clamp = "free"
material = {{ radius = "1 mm", young = "10 MPa", density = 1000, damping = "5 ms" }}
[contact]
friction = 0.3
[[joints]]
a = {{ strands = "ring", strand = 0, vertex = 0 }}
b = {{ strands = "ring", strand = 0, vertex = -1 }}
[[colliders]]
name = "pole"
shape = {{ cylinder = "2 cm", axis = [0, 0, 1], length = "1 m" }}
)",
                                             model));
    double fastest = 0.0;
    for (int i = 0; i < 60; ++i) {
      support::take(s, 1);
      for (const Vector3d& v : s.velocities()) fastest = std::max(fastest, v.norm());
      EXPECT_LT(s.residuals().stretch, 0.05);
    }
    EXPECT_LT(fastest, 5.0);  // 2.5 m/s by falling for a quarter of a second
    EXPECT_LT((s.positions().front() - s.positions().back()).norm(), 1e-4);
    EXPECT_GT(s.positions().front().y(), 0.0);
  }
}

TEST(Joints, KeepPointsTogether) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "rope"
source = { generator = "horizontal", count = 2, vertices = 9, length = "20 cm", spacing = [0, 0, "5 cm"] }
material = { preset = "cotton-rope" }
clamp = "point"
[[joints]]
a = { strand = 0, vertex = -1 }
b = { strand = 1, vertex = 4 }
[[joints]]
a = { strand = 1, vertex = -1 }
)");
  const Vector3d held = s.positions()[17];
  run_steps(s, 1);
  run_steps(s, 120);
  const std::vector<Vector3d> x = s.positions();
  EXPECT_LT((x[8] - x[13]).norm(), 1e-5);
  EXPECT_LT((x[17] - held).norm(), 1e-5);
}

// A body that moves into a vertex that is pinned in the world asks for what the joint forbids: the joint has its way,
// and no step is above tolerance for it.
TEST(Joints, ToTheWorldWinAgainstBodies) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
[[strands]]
source = { generator = "horizontal", vertices = 9, length = "20 cm", origin = [0, 0.5, 0] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "ball"
shape = { sphere = "1 cm", centre = [0.1, 0.485, 0] }
motion = { sine = [0, "5 mm", 0], frequency = "2 Hz" }
[[joints]]
a = { strand = 0, vertex = 4 }
)");
  const Vector3d pinned = s.positions()[4];
  const ContactTotals totals = run_steps(s, 60);
  EXPECT_LT((s.positions()[4] - pinned).norm(), 1e-6);
  EXPECT_EQ(totals.over_tolerance, 0);
  EXPECT_EQ(totals.rounds, totals.steps);
}

// What a joint holds together does not push itself apart, and a ring closes.
TEST(Joints, LiveWithContact) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
[[strands]]
name = "rope"
source = { points = [[[0, 0.5, 0], [0.05, 0.5, 0], [0.1, 0.5, 0], [0.15, 0.5, 0]], [[0.1, 0.5, -0.1], [0.1, 0.5, -0.05], [0.1, 0.5, 0], [0.1, 0.5, 0.05]], [[0.5, 0, 0], [0.6, 0, 0], [0.6, 0, 0.1], [0.5, 0, 0.1], [0.5, 0, 0.02], [0.5, 0, 0.0001]]] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
shape = { plane = true, centre = [0, -0.1, 0] }
[[joints]]
a = { strand = 0, vertex = 2 }
b = { strand = 1, vertex = 2 }
[[joints]]
a = { strand = 2, vertex = 0 }
b = { strand = 2, vertex = -1 }
)");
  const ContactTotals totals = run_steps(s, 120);
  const std::vector<Vector3d> x = s.positions();
  EXPECT_LT((x[2] - x[6]).norm(), 1e-4);
  EXPECT_LT((x[8] - x[13]).norm(), 1e-4);
  EXPECT_EQ(totals.crossings, 0);
  EXPECT_LT(double(totals.over_tolerance), 0.1 * double(totals.steps));
}

}  // namespace
}  // namespace tendril
