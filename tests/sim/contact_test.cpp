// Contact in the world: closed forms of friction, nothing that creeps or passes through, starts in overlap, and
// the same bits for any number of threads and after a restart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support/simulations.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/scene/scene.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::run_steps;
using support::simulation_of;

Vector3d centre(const Simulation& simulation) {
  Vector3d sum = Vector3d::Zero();
  const std::vector<Vector3d> x = simulation.positions();
  for (const Vector3d& p : x) sum += p;
  return sum / double(x.size());
}

// A straight rod of 2 mm radius that lies on a plane, along the fall line; the plane is tilted by tilting gravity.
std::string incline(double slope, double mu, int vertices, const std::string& speed = "0") {
  const double angle = std::atan(slope), g = 9.81;
  return fmt::format(R"(
[run]
duration = "2 s"
fps = 50
substeps = 4
gravity = [{}, {}, 0]
newton = "converge"
[[strands]]
name = "rod"
source = {{ generator = "horizontal", vertices = {}, length = "20 cm", origin = [0, "2 mm", 0] }}
material = {{ preset = "cotton-rope", radius = "2 mm" }}
clamp = "free"
[contact]
friction = {}
tolerance = 1e-11
[[colliders]]
name = "ground"
shape = {{ plane = true }}
motion = {{ move = [{}, 0, 0] }}
)",
                     g * std::sin(angle), -g * std::cos(angle), vertices, mu, speed);
}

TEST(Incline, SticksBelowTheLimit) {
  for (const int vertices : {2, 3, 7, 20}) {
    SCOPED_TRACE(vertices);
    const double mu = 0.3;
    Simulation s = simulation_of(incline(mu / (1.0 + 1e-3), mu, vertices));
    const Vector3d start = centre(s);
    const ContactTotals totals = run_steps(s, 200);
    EXPECT_LT((centre(s) - start).norm(), 1e-9);
    EXPECT_EQ(totals.over_tolerance, 0);
    EXPECT_GE(totals.contacts_max, 2u);
  }
}

TEST(Incline, SlidesAboveTheLimit) {
  for (const int vertices : {2, 7, 20})
    for (const double excess : {1e-3, 1.0}) {
      SCOPED_TRACE(fmt::format("{} vertices, excess {}", vertices, excess));
      const double slope = 0.3, mu = slope / (1.0 + excess), dt = 1.0 / 200.0;
      Simulation s = simulation_of(incline(slope, mu, vertices));
      const Vector3d start = centre(s);
      run_steps(s, 100);
      const double a = 9.81 * std::cos(std::atan(slope)) * (slope - mu), t = 0.5;
      const double moved = (centre(s) - start).x();
      EXPECT_NEAR(moved / (0.5 * a * t * (t + dt)), 1.0, excess == 1.0 ? 1e-6 : 1e-2);
    }
}

// A plane that slides away below a rod at rest carries it along until it has the plane's speed, after v/(mu g).
TEST(Incline, StopsAfterTheRightDistance) {
  const double mu = 0.2, speed = 0.5, dt = 1.0 / 200.0;
  Simulation s = simulation_of(incline(0.0, mu, 5, fmt::format("{}", -speed)));
  const Vector3d start = centre(s);
  run_steps(s, 200);
  const double time = 200 * dt;
  const double way = (centre(s) - start).x() + speed * time;  // against the plane
  EXPECT_NEAR(way, speed * speed / (2.0 * mu * 9.81), 2.0 * mu * 9.81 * dt / speed * way);
  EXPECT_NEAR(s.velocities().front().x(), -speed, 1e-9);
}

TEST(Ground, CarriesTheWeight) {
  for (const char* integrator : {"euler", "bdf2"}) {
    SCOPED_TRACE(integrator);
    std::string text = incline(0.0, 0.5, 9);
    text.replace(text.find("newton"), 0, fmt::format("integrator = \"{}\"\n", integrator));
    Simulation s = simulation_of(text);
    int usable = 0;
    for (int i = 0; i < 50; ++i) usable += s.step().value().usable;
    EXPECT_EQ(usable, 0);  // forces of contact are part of the balance
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& force : s.contact_forces()) sum += force;
    double mass = 0.0;
    for (const double m : s.world().parts[0].strands.masses()) mass += m;
    EXPECT_NEAR(sum.y(), mass * 9.81, 1e-5 * mass * 9.81);
    EXPECT_LT(std::hypot(sum.x(), sum.z()), 1e-6 * mass * 9.81);
  }
}

// A hair whose rounding alone is above the tolerance: it converges to that.
TEST(Ground, HairConvergesToItsRounding) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
newton = "converge"
[[strands]]
source = { generator = "horizontal", vertices = 11, length = "5 cm", origin = ["10 cm", "40 um", 0] }
material = { preset = "human-hair", radius = "40 um" }
clamp = "free"
[contact]
tolerance = 1e-8
[[colliders]]
shape = { plane = true }
)");
  for (int i = 0; i < 20; ++i) {
    const SimulationStep step = s.step().value();
    EXPECT_EQ(step.usable, 0) << i;
    EXPECT_LT(step.iterations, 20) << i;
  }
}

constexpr const char* crossed = R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "lower"
source = { points = [[[-0.1, 0, 0], [-0.05, 0, 0], [0, 0, 0], [0.05, 0, 0], [0.1, 0, 0]]] }
material = { preset = "cotton-rope", radius = "1 mm" }
clamp = { root = "edge", tip = "edge" }
[[strands]]
name = "upper"
source = { points = [[[0.013, 0.05, -0.1], [0.013, 0.05, -0.05], [0.013, 0.05, 0], [0.013, 0.05, 0.05], [0.013, 0.05, 0.1]]] }
material = { preset = "cotton-rope", radius = "1 mm" }
clamp = "free"
[contact]
friction = 0.6
)";

// A rope that falls across another one, at several of its own diameters per step, is caught.
TEST(Strands, DoNotPassThroughEachOther) {
  Simulation s = simulation_of(crossed);
  const ContactTotals totals = run_steps(s, 60);
  EXPECT_EQ(totals.crossings, 0);
  const std::vector<Vector3d> x = s.positions();
  EXPECT_GT(x[7].y(), x[2].y());
  EXPECT_GE(totals.contacts_max, 1u);
}

// What steps took that were not taken is in a sum of its own.
TEST(Strands, TimeOfRejectedStepsIsCounted) {
  Simulation s = simulation_of(std::string(crossed) + "\ntolerance = 1e-12\nmax_iterations = 1\n");
  ContactTotals totals;
  int retries = 0;
  for (int i = 0; i < 40; ++i) {
    const SimulationStep taken = s.step().value();
    totals += taken.contacts, retries += taken.steps > 1;
  }
  EXPECT_GT(retries, 0);
  EXPECT_GT(totals.rejected_seconds, 0.0);
}

TEST(Strands, SameBitsForAnyThreads) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 3, 7}) {
    set_thread_count(threads);
    Simulation s = simulation_of(crossed);
    run_steps(s, 40);
    if (threads == 1) hash = s.hash();
    EXPECT_EQ(s.hash(), hash) << threads;
  }
  set_thread_count(0);
}

TEST(Strands, RestartGoesOnWithTheSameBits) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tendril_contact_restart.h5";
  Simulation s = simulation_of(crossed);
  run_steps(s, 25);
  ASSERT_TRUE(s.save(file));
  Result<Simulation> loaded = Simulation::load(file);
  ASSERT_TRUE(loaded) << loaded.error().message();
  run_steps(s, 10), run_steps(loaded.value(), 10);
  EXPECT_EQ(loaded.value().hash(), s.hash());
  std::filesystem::remove(file);
}

// So much hair that its contacts are solved on nodes in single precision, and judged in double.
std::string hair_on_a_head(const std::string& solver, double tolerance) {
  return fmt::format(R"(
[run]
duration = "1 s"
fps = 50
substeps = 2
seed = 7
[contact]
tolerance = {}
friction = 0.3
solver = "{}"
[[strands]]
name = "hair"
source = {{ generator = "curly", count = 700, vertices = 25, length = "12 cm", curl_turns = 2, curl_radius = "4 mm", head_radius = [0.02, 0.026, 0.022] }}
material = {{ preset = "human-hair", radius = "0.2 mm" }}
clamp = "edge"
motion = {{ rotate = [0, 1, 0], angle = "10 deg", frequency = "2 Hz" }}
[[colliders]]
name = "head"
shape = {{ ellipsoid = [0.0195, 0.0255, 0.0215] }}
follows = "hair"
)",
                     tolerance, solver);
}

TEST(Hair, OnNodesHasTheSameBitsForAnyThreads) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Simulation s = simulation_of(hair_on_a_head("auto", 1e-3));
    const ContactTotals totals = run_steps(s, 6);
    if (threads == 1) hash = s.hash();
    EXPECT_EQ(s.hash(), hash) << threads;
    EXPECT_GE(totals.contacts_max, 1000u);
    EXPECT_GE(totals.coarse_solves, 6);
    EXPECT_EQ(totals.refined_solves, 0);
    EXPECT_EQ(totals.over_tolerance, 0);
    EXPECT_EQ(totals.crossings, 0);
    EXPECT_LE(totals.error_max, 1e-3);
  }
  set_thread_count(0);
}

// With the same tolerance it is as near to where a tight one leads as the general problem gets.
TEST(Hair, OnNodesEndsWhereTheGeneralProblemDoes) {
  const auto ends = [](const std::string& solver, double tolerance, bool on_nodes) {
    Simulation s = simulation_of(hair_on_a_head(solver, tolerance));
    EXPECT_EQ(run_steps(s, 4).coarse_solves > 0, on_nodes);
    return s.positions();
  };
  const std::vector<Vector3d> exact = ends("apgd", 1e-5, false);
  const auto off = [&](const std::vector<Vector3d>& x) {
    double sum = 0.0;
    for (std::size_t v = 0; v < x.size(); ++v) sum += (x[v] - exact[v]).squaredNorm();
    return std::sqrt(sum);
  };
  EXPECT_LT(off(ends("auto", 1e-3, true)), 2.0 * off(ends("apgd", 1e-3, false)));
}

// A rope laid over a rough cylinder hangs there, and does not creep.
TEST(Cylinder, RopeDoesNotCreep) {
  Simulation s = simulation_of(R"(
[run]
duration = "10 s"
fps = 60
substeps = 4
[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 41, length = "40 cm", origin = ["-19 cm", "5.2 cm", 0] }
material = { preset = "cotton-rope", radius = "1 mm", damping = "10 ms" }
clamp = "free"
[contact]
friction = 0.8
tolerance = 1e-9
[[colliders]]
name = "pole"
shape = { cylinder = "5 cm", length = "20 cm", axis = [0, 0, 1] }
)");
  run_steps(s, 1200);
  const std::vector<Vector3d> then = s.positions();
  const ContactTotals totals = run_steps(s, 480);
  const std::vector<Vector3d> now = s.positions();
  double moved = 0.0;
  for (std::size_t v = 16; v < 25; ++v) moved = std::max(moved, (now[v] - then[v]).norm());  // the tails still swing
  EXPECT_LT(moved, 1e-6);
  EXPECT_LT(totals.penetration_max, 1e-6);
  EXPECT_LT(now.front().y(), 0.0);  // both ends hang down
  EXPECT_LT(now.back().y(), 0.0);
}

// A rod that is drawn 4 mm deep in the ground comes out without a jump, as fast as it may and in time.
TEST(Overlap, IsPushedOutGently) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
source = { generator = "horizontal", vertices = 5, length = "10 cm", origin = [0, "-3 mm", 0] }
material = { preset = "cotton-rope", radius = "1 mm" }
clamp = "free"
[contact]
tolerance = 1e-11
[[colliders]]
name = "ground"
shape = { plane = true }
)");
  double before = centre(s).y(), fastest = 0.0;
  ContactTotals totals;
  for (int i = 0; i < 120; ++i) {
    totals += run_steps(s, 1);
    EXPECT_GE(centre(s).y(), before - 1e-9);
    before = centre(s).y();
    for (const Vector3d& v : s.velocities()) fastest = std::max(fastest, v.norm());
  }
  EXPECT_LE(fastest, 0.05 + 1e-6);
  EXPECT_NEAR(before, 1e-3, 1e-5);
  EXPECT_EQ(totals.inside_start, 5u);
  EXPECT_NEAR(totals.deepest_start, 4e-3, 1e-9);
  EXPECT_LT(totals.penetration_max, 1e-12);
}

// Two strands at the same place from the root on: nothing can be done about their roots, and steps go on as they are.
TEST(Strands, ThatCoincideDoNotStopTheRun) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
[[strands]]
source = { points = [[[0, 0, 0], [0.01, 0, 0], [0.02, 0, 0], [0.03, 0, 0]], [[0, 0, 0], [0.01, 0, 0], [0.02, 0, 0], [0.03, 0, 0]]] }
material = { preset = "human-hair" }
clamp = "edge"
[contact]
friction = 0.3
)");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(s.step().value().retries, 0) << i;
}

// A floor that is an animated mesh and goes down with the rod on it, then up: it neither holds it back nor lets it in.
TEST(Meshes, ThatMoveCarryTheRod) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tendril_contact_floor";
  std::filesystem::create_directories(folder);
  const double heights[] = {0.0, -0.02, -0.02, 0.01};  // [m], at 10 frames per second
  for (int frame = 0; frame < 4; ++frame)
    std::ofstream(folder / fmt::format("floor_{:04}.obj", frame + 1))
        << fmt::format("v -1 {0} -1\nv -1 {0} 1\nv 1 {0} 1\nv 1 {0} -1\nf 1 2 3\nf 1 3 4\n", heights[frame]);
  Result<Scene> scene = parse_scene(R"(
[run]
duration = "0.4 s"
[[strands]]
source = { generator = "horizontal", vertices = 6, length = "10 cm", origin = [0, "2 mm", 0.01] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.5
tolerance = 1e-8
[[colliders]]
name = "floor"
motion = { mesh = "floor_####.obj", fps = 10 }
)",
                                    folder / "scene.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  Simulation s = std::move(Simulation::create(std::move(scene.value())).value());
  ContactTotals totals;
  for (int i = 0; i < 72; ++i) {  // then the floor stops, and throws it
    totals += run_steps(s, 1);
    const double t = 10.0 * s.time(), floor = std::lerp(heights[int(t)], heights[std::min(3, int(t) + 1)], t - int(t));
    if (i > 40) {
      EXPECT_NEAR(centre(s).y(), floor + 2e-3, 2e-4) << i;
    }
  }
  EXPECT_LT(totals.penetration_max, 1e-6);
  std::filesystem::remove_all(folder);
}

TEST(Scene, SaysWhatIsWrongWithContact) {
  const std::string base = R"(
[run]
frames = 1
[[strands]]
name = "hair"
source = { generator = "curly", count = 2 }
)";
  const auto message = [&](const std::string& rest) {
    const Result<Scene> scene = parse_scene(base + rest, "scene.toml");
    return scene ? std::string() : scene.error().message();
  };
  EXPECT_EQ(message("[contact]\nlaw = \"coulomb\"\n"), "");
  EXPECT_NE(message("[contact]\nfriction = { \"hair/haed\" = 0.3 }\n").find("no collider named 'haed'"),
            std::string::npos);
  EXPECT_NE(message("[contact]\nfriction = -1\n").find("from 0 to"), std::string::npos);
  EXPECT_NE(message("[contact]\nlaw = \"frictionless\"\nfriction = 0.2\n").find("law = \"coulomb\""),
            std::string::npos);
  EXPECT_NE(message("[[colliders]]\nname = \"hair\"\nshape = { sphere = 1 }\n").find("earlier"), std::string::npos);
  EXPECT_NE(message("[[colliders]]\nshape = { sphere = 1, box = [1, 1, 1] }\n").find("exactly one"), std::string::npos);
  EXPECT_NE(message("[[colliders]]\nshape = { ellipsoid = [1, 0, 1] }\n").find("semi-axes"), std::string::npos);
  EXPECT_NE(message("[[colliders]]\nshape = { mesh = \"none.obj\" }\n").find("none.obj"), std::string::npos);
  EXPECT_NE(message("[[colliders]]\nshape = { sphere = 1 }\nfollows = \"hare\"\n").find("no strands named 'hare'"),
            std::string::npos);
  EXPECT_NE(message("[[joints]]\na = { strand = 0 }\nb = { strand = 0 }\n").find("same vertex"), std::string::npos);
}

}  // namespace
}  // namespace tendril
