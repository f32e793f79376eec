// Every strand model in the world: runs, contact, sag-free starts, guides, restarts, threads, and what each one
// refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "support/simulations.hpp"
#include "support/temporary_folder.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::simulation_of;
using support::take;

// Hair on a ball that is shaken: every part of the step is at work.
std::string shaken_ball(const std::string& model, const std::string& more = "") {
  return fmt::format(R"(
[run]
duration = "1 s"
fps = 50
substeps = 5
[[strands]]
name = "hair"
source = {{ generator = "wavy", count = 60, vertices = 12, length = "12 cm", head_radius = "9 cm" }}
model = "{}"
motion = {{ sine = ["3 cm", 0, 0], frequency = "2 Hz" }}
{}
[contact]
friction = 0.4
[[colliders]]
name = "head"
shape = {{ sphere = "8.8 cm" }}
follows = "hair"
)",
                     model, more);
}

class EveryModel : public testing::TestWithParam<const char*> {
 protected:
  std::string model() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(All, EveryModel, testing::Values("der", "der-inextensible", "superhelix", "corde", "chain"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryModel, IsShakenOnABallWithTheSameBitsForAnyThreads) {
  const auto hash_with = [&](int threads) {
    set_thread_count(threads);
    Simulation s = simulation_of(shaken_ball(model()));
    take(s, 60);
    set_thread_count(0);
    std::size_t touched = 0;
    for (const Vector3d& f : s.contact_forces()) touched += f.norm() > 0.0;
    EXPECT_GT(touched, 5u);
    for (const Vector3d& x : s.positions()) EXPECT_LT(x.norm(), 0.3);
    return s.hash();
  };
  const std::uint64_t one = hash_with(1);
  EXPECT_EQ(hash_with(2), one);
  EXPECT_EQ(hash_with(3), one);
}

TEST_P(EveryModel, GoesOnFromAFileWithTheSameBits) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("{}.h5", model());
  support::expect_to_go_on(shaken_ball(model()), 20, file);
  std::filesystem::remove(file);
}

TEST_P(EveryModel, GoesItsOwnWayAsACopy) {
  Simulation s = simulation_of(shaken_ball(model()));
  take(s, 20);
  Simulation copy = s;
  take(copy, 5);
  EXPECT_NE(copy.hash(), s.hash());
  take(s, 5);
  EXPECT_EQ(copy.hash(), s.hash());
}

// Hair that stands off a head sideways and is not to sag.
TEST_P(EveryModel, KeepsItsShapeFromASagFreeStart) {
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "hair"
source = {{ generator = "wavy", count = 20, vertices = 14, length = "6 cm" }}
model = "{}"
rest = "sag-free"
)",
                                           model()));
  const std::vector<Vector3d> start = s.positions();
  take(s, 120);
  const std::vector<Vector3d> end = s.positions();
  double moved = 0.0;
  for (std::size_t v = 0; v < start.size(); ++v) moved = std::max(moved, (end[v] - start[v]).norm());
  EXPECT_LT(moved, 1e-6 * 0.06);
}

TEST_P(EveryModel, CarriesFollowersAndShowsEnergies) {
  Simulation s = simulation_of(shaken_ball(model(), "guides = \"every 3\""));
  const double before = s.energies().kinetic;
  take(s, 25);
  EXPECT_EQ(before, 0.0);
  EXPECT_GT(s.energies().kinetic, 0.0);
  EXPECT_GT(s.energies().bend, 0.0);
  for (const Vector3d& x : s.positions()) EXPECT_TRUE(x.allFinite());
  // From here on it falls apart less than a step would move it by.
  EXPECT_LT(s.residuals().stretch, model() == "der" || model() == "corde" ? 0.1 : 1e-10);
}

// Super-helices have their roots clamped.
TEST(Models, WithFreeRootsStickAndSlideOnAnIncline) {
  const auto way = [](const char* model, double mu) {
    const double angle = std::atan(0.3), g = 9.81;
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "2 s"
fps = 60
substeps = 4
gravity = [{}, {}, 0]
[[strands]]
name = "strand"
source = {{ generator = "horizontal", vertices = 8, length = "20 cm", origin = [0, "2 mm", 0] }}
model = "{}"
material = {{ preset = "cotton-rope", radius = "2 mm" }}
clamp = "free"
[contact]
friction = {}
tolerance = 1e-10
[[colliders]]
name = "ground"
shape = {{ plane = true }}
)",
                                             g * std::sin(angle), -g * std::cos(angle), model, mu));
    const double start = s.positions().front().x();
    take(s, 120);
    return s.positions().front().x() - start;
  };
  const double t = 0.5, h = 1.0 / 240.0, cosine = std::cos(std::atan(0.3));
  for (const char* model : {"der", "der-inextensible", "corde", "chain"}) {
    SCOPED_TRACE(model);
    EXPECT_LT(std::abs(way(model, 0.3 * 1.001)), 1e-9);
    EXPECT_NEAR(way(model, 0.15), 0.5 * 9.81 * cosine * 0.15 * t * (t + h), 1e-5);
  }
}

// A rope that lies over a pole with a weight on it from the first step on: without the pole its end would fall by links
// in a step.
TEST_P(EveryModel, HoldsATautRopeFromTheFirstStep) {
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
name = "rope"
source = {{ generator = "horizontal", vertices = 30, length = "20 cm", origin = ["-10 cm", "11 mm", 0] }}
rest_shape = "straight"
model = "{}"
material = {{ radius = "1 mm", young = "1 MPa", stretch_young = "100 MPa", density = "1000 kg/m3", poisson = 0.3, damping = "5 ms" }}
loads = [{{ vertex = -1, force = [0.2, -0.1, 0] }}]
[contact]
friction = 0.3
[[colliders]]
name = "pole"
shape = {{ cylinder = "1 cm", length = 1, axis = [0, 0, 1] }}
)",
                                           model()));
  double fastest = 0.0;
  for (int i = 0; i < 60; ++i) {
    take(s, 1);
    for (const Vector3d& v : s.velocities()) fastest = std::max(fastest, v.norm());
  }
  EXPECT_LT(fastest, 20.0);  // m/s: it falls round, but is not shot away
  EXPECT_LT(s.velocities().back().norm(), 1.0);
  EXPECT_LT((s.positions().back() - s.positions().front()).norm(), 0.21);
}

// The same load and the same wrench do the same.
TEST_P(EveryModel, TakesLoadsAndWrenches) {
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
name = "rod"
source = {{ generator = "horizontal", vertices = 12, length = "20 cm" }}
model = "{}"
material = {{ preset = "cotton-rope", radius = "2 mm", damping = "20 ms" }}
loads = [{{ vertex = -1, force = [0, 0, 0.001] }}]
)",
                                           model()));
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(s.apply_wrench({"rod", 0, -1, {0.0, 0.001, 0.0}, Vector3d::Zero()}));
    take(s, 1);
  }
  const Vector3d tip = s.positions().back();
  EXPECT_GT(tip.y(), 1e-5);
  EXPECT_NEAR(tip.y(), tip.z(), 0.02 * tip.z());  // the same force for the same time
  ASSERT_TRUE(s.scale_stiffness(2.0));
  ASSERT_TRUE(s.set_damping(0.1));
  take(s, 1);
}

// A rope hangs from the middle of another one, whose far end is joined to the world: whatever the model, points that
// are joined stay together, and the joint carries what hangs below it. (Super-helices have their roots clamped: a rod
// hangs on that one.)
TEST_P(EveryModel, IsHeldByJoints) {
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "bridge"
source = {{ points = [[[0, 0, 0], [0.04, 0, 0], [0.08, 0, 0], [0.12, 0, 0], [0.16, 0, 0], [0.2, 0, 0], [0.24, 0, 0], [0.28, 0, 0], [0.32, 0, 0]]] }}
model = "{0}"
material = {{ preset = "cotton-rope", damping = "20 ms" }}
clamp = "point"
[[strands]]
name = "hanging"
source = {{ points = [[[0.16, 0, 0], [0.16, -0.04, 0], [0.16, -0.08, 0], [0.16, -0.12, 0], [0.16, -0.16, 0]]] }}
model = "{1}"
material = {{ preset = "cotton-rope", damping = "20 ms" }}
clamp = "free"
[[joints]]
a = {{ strands = "hanging", strand = 0, vertex = 0 }}
b = {{ strands = "bridge", strand = 0, vertex = 4 }}
[[joints]]
a = {{ strands = "bridge", strand = 0, vertex = -1 }}
)",
                                           model(), model() == "superhelix" ? "der" : model()));
  for (int i = 0; i < 240; ++i) {
    take(s, 1);
    const std::vector<Vector3d> x = s.positions();
    ASSERT_LT((x[9] - x[4]).norm(), 2e-4) << i;  // of 32 cm
    ASSERT_LT((x[8] - Vector3d(0.32, 0.0, 0.0)).norm(), 2e-4) << i;
  }
  double mass = 0.0;
  for (const double m : s.world().parts[1].strands.masses()) mass += m;
  EXPECT_NEAR(s.contact_forces()[9].y(), 9.81 * mass, 0.15 * 9.81 * mass);  // it still swings a little
  EXPECT_LT(s.positions()[13].y(), -0.14);
}

TEST(Models, RefuseWhatTheyLack) {
  const auto message = [](const std::string& model, const std::string& run, const std::string& set) {
    const Result<Scene> scene = parse_scene(fmt::format(R"([run]
frames = 2
{}
[[strands]]
source = {{ generator = "horizontal", vertices = 12, length = "20 cm" }}
model = "{}"
{}
)",
                                                        run, model, set),
                                            "scene.toml");
    return scene ? std::string() : scene.error().message();
  };
  EXPECT_NE(message("superhelix", "newton = 3", "").find("takes one linear solve per step"), std::string::npos);
  EXPECT_NE(message("corde", "integrator = \"bdf2\"", "").find("has no BDF2"), std::string::npos);
  EXPECT_NE(message("corde", "mode = \"static\"", "").find("has no statics"), std::string::npos);
  EXPECT_NE(message("superhelix", "", "clamp = \"free\"").find("has its root clamped"), std::string::npos);
  EXPECT_NE(message("corde", "", "clamp = { tip = \"point\" }").find("has its tip free"), std::string::npos);
  EXPECT_NE(message("superhelix", "", "holds = [{ vertex = 3 }]").find("has no holds"), std::string::npos);
  EXPECT_NE(message("der", "", "helix = { bend1 = 3 }").find("model = \"superhelix\""), std::string::npos);
  EXPECT_NE(message("superhelix", "", "curvature = \"2d-averaged\"").find("leave curvature out"), std::string::npos);
  EXPECT_EQ(message("superhelix", "mode = \"static\"", "helix = { bend1 = 3, bend2 = 3, twist = 1 }"), "");
  EXPECT_NE(message("der", "", "chain = { slack = true }").find("model = \"chain\""), std::string::npos);
  EXPECT_NE(message("chain", "mode = \"static\"", "").find("has no statics"), std::string::npos);
  EXPECT_NE(message("chain", "newton = 3", "").find("takes one linear solve per step"), std::string::npos);
  EXPECT_EQ(message("chain", "integrator = \"bdf2\"", "chain = { bending = 0, compliance = \"1 mm/N\", slack = true }"),
            "");
  EXPECT_EQ(message("chain", "", "clamp = { root = \"point\", tip = \"point\" }\nholds = [{ vertex = 5 }]"), "");
  EXPECT_EQ(message("der-inextensible", "integrator = \"bdf2\"", "clamp = { tip = \"point\" }"), "");
  EXPECT_EQ(message("der-inextensible", "", "inextensible = { method = \"fast\" }"), "");
  EXPECT_NE(message("der", "", "inextensible = { method = \"fast\" }").find("model = \"der-inextensible\""),
            std::string::npos);
}

}  // namespace
}  // namespace tendril
