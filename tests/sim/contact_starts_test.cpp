// Grooms that start inside bodies and inside each other, and what is drawn badly: runs start, push out gently, say what
// they met, and go on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "support/simulations.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::simulation_of;
using support::try_simulation;

constexpr double head = 0.09;  // [m]

// Straight hair that lies across a ball of 9 cm, 4.6 mm deep in the middle, strands a quarter of their diameter apart.
// Without weight the drawn shape is in balance.
std::string strands_in_a_ball() {
  std::string points;
  for (int s = 0; s < 3; ++s) {
    points += s == 0 ? "[" : ", [";
    for (int k = 0; k < 16; ++k)
      points += fmt::format("{}[{}, {}, {}]", k == 0 ? "" : ", ", -0.045 + 0.006 * k, head - 4.6e-3, 2e-5 * s);
    points += "]";
  }
  return fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
name = "hair"
source = {{ points = [{}] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
[contact]
friction = 0.3
[[colliders]]
name = "head"
shape = {{ sphere = {} }}
)",
                     points, head);
}

// Over the weight of a strand times the radius of the head.
double largest_energy(const Simulation& simulation) {
  const std::vector<Vector3d> v = simulation.velocities();
  const std::vector<std::size_t> offsets = simulation.offsets();
  const std::vector<double> mass = simulation.world().parts[0].strands.masses();
  double largest = 0.0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    double energy = 0.0, all = 0.0;
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k)
      energy += 0.5 * mass[k] * v[k].squaredNorm(), all += mass[k];
    largest = std::max(largest, energy / (all * 9.81 * head));
  }
  return largest;
}

double deepest(const Simulation& simulation) {
  double depth = 0.0;
  for (const Vector3d& x : simulation.positions()) depth = std::max(depth, head + 40e-6 - x.norm());
  return depth;
}

TEST(DeepStart, ComesOutGentlyAndInTime) {
  Simulation s = simulation_of(strands_in_a_ball());
  EXPECT_NEAR(deepest(s), 4.64e-3, 2e-4);
  ContactTotals totals;
  double energy = 0.0, depth = deepest(s);
  for (int i = 0; i < 120; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    totals += taken.value().contacts;
    energy = std::max(energy, largest_energy(s));
    EXPECT_LE(deepest(s), depth + 1e-7) << i;
    depth = deepest(s);
  }
  EXPECT_LT(energy, 1e-3);
  EXPECT_LT(depth, 8e-6);  // a tenth of a hair
  EXPECT_GE(totals.inside_start, 3u * 6u);
  EXPECT_NEAR(totals.deepest_start, 4.64e-3, 2e-4);
  EXPECT_GT(totals.strand_overlap_max, 5e-5);
  EXPECT_LT(totals.regrowth_max, 1e-6);
  EXPECT_LT(totals.penetration_max, 1e-5);
  EXPECT_EQ(totals.crossings, 0);
}

// A coarse solver leaves more of what is asked than what has come out may go back: each round asks for more, and few
// rounds are taken.
TEST(DeepStart, DoesNotGoBackWithACoarseTolerance) {
  std::string scene = strands_in_a_ball();
  const auto put = [&](const std::string& before, const std::string& text) {
    scene.insert(scene.find(before), text + "\n");
  };
  put("[[colliders]]", "tolerance = 0.003");
  put("[contact]", R"(motion = { sine = [0, "3 cm", 0], frequency = "3 Hz" })");
  scene += "follows = \"hair\"\n";
  Simulation s = simulation_of(scene);
  ContactTotals totals;
  for (int i = 0; i < 240; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    totals += taken.value().contacts;
  }
  EXPECT_LT(totals.regrowth_max, 0.01 * 40e-6);
  EXPECT_LT(totals.rounds, 4 * totals.steps);
  EXPECT_GT(totals.inside_start, 0u);
}

// Between two boxes that are closer than it is thick: no impulse can do what both overlaps ask for. It stays where it
// is, the law holds, and so does everything beside it.
TEST(DeepStart, StaysWhereTheSceneHoldsIt) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "hair"
source = { points = [[[0, 0, 0], [0.01, 0, 0], [0.02, 0, 0], [0.03, 0, 0], [0.04, 0, 0], [0.05, 0, 0]]] }
material = { preset = "human-hair" }
rest = "sag-free"
clamp = "edge"
[contact]
friction = 0.3
[[colliders]]
name = "below"
shape = { box = ["10 cm", "1 cm", "1 cm"], centre = [0.075, -0.00502, 0] }
[[colliders]]
name = "above"
shape = { box = ["10 cm", "1 cm", "1 cm"], centre = [0.075, 0.00502, 0] }
)");
  const std::vector<Vector3d> start = s.positions();
  ContactTotals totals;
  for (int i = 0; i < 40; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    totals += taken.value().contacts;
  }
  EXPECT_GT(totals.deepest_start, 1e-5);
  EXPECT_EQ(totals.over_tolerance, 0);
  EXPECT_GT(totals.overlaps_left_max, 0u);
  double moved = 0.0;
  for (std::size_t v = 0; v < start.size(); ++v) moved = std::max(moved, (s.positions()[v] - start[v]).norm());
  EXPECT_LT(moved, 2e-5);  // some of the 20 um that it is inside
}

// Wholly inside: there is nowhere to be pushed to at once; it starts, moves outwards and is counted.
TEST(DeepStart, WhollyInsideABody) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
[[strands]]
source = { generator = "horizontal", vertices = 8, length = "5 cm", origin = ["-2 cm", "1 cm", 0] }
material = { preset = "human-hair" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
shape = { box = ["20 cm", "10 cm", "20 cm"] }
)");
  ContactTotals totals;
  for (int i = 0; i < 60; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    totals += taken.value().contacts;
  }
  EXPECT_EQ(totals.inside_start, 8u);
  EXPECT_NEAR(totals.deepest_start, 0.04, 1e-3);
  EXPECT_LT(totals.deepest_end, totals.deepest_start);
  EXPECT_LT(totals.regrowth_max, 1e-6);
}

// Thousands of strands on top of each other have no side to be pushed to.
TEST(CoincidentStrands, ByTheThousandAreToldAndGoOn) {
  std::string one = "[[0, 0, 0], [0.01, 0, 0], [0.02, 0, 0], [0.03, 0, 0]]", all = one;
  for (int s = 1; s < 2000; ++s) all += ", " + one;
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
[[strands]]
source = {{ points = [{}, [[0, -0.005, -0.01], [0.01, -0.005, -0.005], [0.01, -0.005, 0.005], [0.01, -0.005, 0.02]]] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
[contact]
friction = 0.3
)",
                                           all));
  ASSERT_EQ(s.world().notes.size(), 1u);
  EXPECT_EQ(s.world().notes[0],
            "1999 of 2001 strands were drawn exactly on another one: these do not touch each other");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(s.step());
}

class BadMeshes : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A rod that falls on what the text of an .obj says.
  Result<Simulation> on(const std::string& obj) {
    std::ofstream(folder_ / "body.obj") << obj;
    return try_simulation(R"(
[run]
duration = "1 s"
[[strands]]
source = { generator = "horizontal", vertices = 6, length = "10 cm", origin = ["-5 cm", "1 cm", 0.01] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[[colliders]]
name = "body"
shape = { mesh = "body.obj" }
)",
                          folder_ / "scene.toml");
  }
  // Lowest point of the rod after a second.
  static double rest(Simulation& s) {
    for (int i = 0; i < 120; ++i) EXPECT_TRUE(s.step());
    double low = 1.0;
    for (const Vector3d& x : s.positions()) low = std::min(low, x.y());
    return low;
  }

  // A box of 40 x 20 x 40 cm with its top at y = 0.
  static constexpr const char* corners =
      "v -0.2 -0.2 -0.2\nv 0.2 -0.2 -0.2\nv 0.2 -0.2 0.2\nv -0.2 -0.2 0.2\n"
      "v -0.2 0 -0.2\nv 0.2 0 -0.2\nv 0.2 0 0.2\nv -0.2 0 0.2\n";
  static constexpr const char* sides =
      "f 1 2 3\nf 1 3 4\nf 1 6 2\nf 1 5 6\nf 2 7 3\nf 2 6 7\nf 3 8 4\nf 3 7 8\nf 4 5 1\nf 4 8 5\n";
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / "tendril_bad_meshes";
};

TEST_F(BadMeshes, TrianglesTurnedAtRandomAreTurnedBack) {
  Result<Simulation> s = on(std::string(corners) +
                            "f 1 2 3\nf 1 4 3\nf 1 6 2\nf 1 6 5\nf 2 7 3\nf 2 6 7\nf 3 4 8\nf 3 7 8\nf 4 5 1\nf 4 5 8\n"
                            "f 5 7 6\nf 5 7 8\n");
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s.value().world().notes.size(), 1u);
  EXPECT_EQ(s.value().world().notes[0], "body: its mesh: 5 triangles turned round");
  EXPECT_NEAR(rest(s.value()), 2e-3, 1e-4);
}

TEST_F(BadMeshes, InsideOutIsTurned) {
  Result<Simulation> s = on(std::string(corners) +
                            "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"
                            "f 5 6 7\nf 5 7 8\n");
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s.value().world().notes.size(), 1u);
  EXPECT_EQ(s.value().world().notes[0], "body: its mesh: 12 triangles turned round");
  EXPECT_NEAR(rest(s.value()), 2e-3, 1e-4);
}

TEST_F(BadMeshes, WithoutAreaIsLeftOut) {
  Result<Simulation> s = on(std::string(corners) + sides + "f 5 7 6\nf 5 8 7\nf 1 1 2\nf 5 5 5\n");
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s.value().world().notes.size(), 1u);
  EXPECT_EQ(s.value().world().notes[0], "body: its mesh: 2 triangles without area left out");
  EXPECT_NEAR(rest(s.value()), 2e-3, 1e-4);
}

TEST_F(BadMeshes, OpenOnesAreTold) {
  Result<Simulation> s = on(std::string(corners) + "f 5 7 6\nf 5 8 7\n");
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s.value().world().notes.size(), 1u);
  EXPECT_EQ(s.value().world().notes[0], "body: its mesh: 4 open edges");
  EXPECT_NEAR(rest(s.value()), 2e-3, 1e-4);
}

TEST_F(BadMeshes, WithoutAnyAreaAreRefused) {
  const Result<Simulation> s = on("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("none of its triangles has an area"), std::string::npos) << s.error().message();
}

TEST_F(BadMeshes, WithWhatIsNoNumberAreRefused) {
  const Result<Simulation> s = on("v 0 nan 0\nv 1 0 0\nv 2 0 1\nf 1 2 3\n");
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("body.obj"), std::string::npos) << s.error().message();
}

}  // namespace
}  // namespace tendril
