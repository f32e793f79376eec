// Nothing passes through anything, however fast and thin: strands over strands, strands over bodies; and every accepted
// step of the contact examples is free of crossings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/temporary_folder.hpp"
#include "support/test_data.hpp"
#include "tendril/collide/continuous.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/contact/geometry.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

Simulation simulation_of(Result<Scene> scene) {
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  Result<Simulation> made = Simulation::create(std::move(scene.value()));
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return std::move(made.value());
}

std::vector<Vector3d> simulated_positions(const Simulation& simulation) {
  StrandGeometry geometry(simulation.world());
  geometry.set_positions(simulation.world(), simulation.state());
  return geometry.positions;
}

// The judge: all pairs of segments, each moved straight from the state before the last step to that after it.
std::size_t crossings_of_last_step(const Simulation& simulation) {
  StrandGeometry geometry(simulation.world());
  geometry.set_positions(simulation.world(), *simulation.last_step().before);
  collide::CrossingSearch search;
  std::vector<collide::StrandCrossing> crossings;
  EXPECT_TRUE(search.find(geometry.polylines(), simulated_positions(simulation), {{0.0, 0.0}, true}, crossings));
  return crossings.size();
}

struct Counted {
  ContactTotals contacts;
  std::size_t crossings = 0;  // by the judge, of whole steps
};

Counted run(Simulation& simulation, int steps) {
  Counted out;
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = simulation.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    if (!taken) break;
    out.contacts += taken.value().contacts;
    if (taken.value().steps == 1) out.crossings += crossings_of_last_step(simulation);
  }
  return out;
}

// A comb of hair that is swept through hanging hair at 6 m/s, 300 diameters per step. Both bend, and slide off.
TEST(FastStrands, DoNotPassThroughEachOther) {
  for (const double speed : {1.0, 6.0}) {
    SCOPED_TRACE(speed);
    Simulation s = simulation_of(parse_scene(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "hanging"
source = {{ generator = "vertical", count = 8, vertices = 17, length = "16 cm", origin = [0, 0, "-3.1 mm"], spacing = [0, 0, "1.1 mm"] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
[[strands]]
name = "comb"
source = {{ generator = "horizontal", count = 8, vertices = 13, length = "6 cm", axis = [0, 0, 1], origin = ["-2 cm", "-7.7 cm", "-3.3 cm"], spacing = ["-1.3 mm", "0.7 mm", 0] }}
material = {{ preset = "human-hair" }}
clamp = "edge"
motion = {{ move = [{}, 0, 0] }}
[contact]
friction = 0.3
)",
                                                         speed),
                                             "scene.toml"));
    const Counted counted = run(s, int(std::ceil(0.2 / speed * 240)));
    EXPECT_EQ(counted.contacts.crossings, 0);
    EXPECT_EQ(counted.crossings, 0u);
    EXPECT_GE(counted.contacts.contacts_max, 8u);
  }
}

// A wire of 1 mm that goes through a free hair at 20 m/s, 80 of its radii per step, takes it along.
TEST(FastBodies, DoNotPassThroughStrands) {
  for (const char* shape :
       {"capsule = \"1 mm\", length = \"10 cm\", axis = [0, 0, 1]",
        "cylinder = \"1 mm\", length = \"10 cm\", axis = [0, 0, 1]", "box = [\"2 mm\", \"2 mm\", \"10 cm\"]"}) {
    SCOPED_TRACE(shape);
    Simulation s = simulation_of(parse_scene(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
source = {{ generator = "vertical", vertices = 12, length = "10 cm", origin = [0, "5.1 cm", 0] }}
material = {{ preset = "human-hair" }}
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "wire"
shape = {{ {}, centre = ["-13 cm", 0, 0] }}
motion = {{ move = [20, 0, 0] }}
)",
                                                         shape),
                                             "scene.toml"));
    const Counted counted = run(s, 4);
    const double wire = -0.13 + 20.0 * s.time();
    double ahead = -1.0;
    for (const Vector3d& x : s.positions()) ahead = std::max(ahead, x.x());
    EXPECT_GT(ahead, wire);
    EXPECT_LT(counted.contacts.penetration_max, 1e-4);
  }
}

// A closed prism, as text of an .obj file that has `points` already.
std::string prism(const Vector3d& centre, const Vector3d& half, int points) {
  std::string out;
  for (const double z : {-1.0, 1.0})
    for (const auto& [x, y] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
      const Vector3d corner = centre + half.cwiseProduct(Vector3d(x, y, z));
      out += fmt::format("v {} {} {}\n", corner.x(), corner.y(), corner.z());
    }
  const int faces[6][4] = {{1, 4, 3, 2}, {5, 6, 7, 8}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 4, 8, 7}, {4, 1, 5, 8}};
  for (const auto& f : faces)
    out += fmt::format("f {} {} {} {}\n", points + f[0], points + f[1], points + f[2], points + f[3]);
  return out;
}

// The same wire as a part of a mesh that deforms: frames of files take it along 33 cm at a time, and make it thicker by
// a tenth. Another part stands still beside the strand, and is nearest to it at the start of the step that matters.
using FastMeshes = support::TemporaryFolder;
TEST_F(FastMeshes, DoNotPassThroughStrands) {
  for (const int frame : {0, 1}) {
    const double half = frame == 0 ? 1e-3 : 1.1e-3;
    std::ofstream(folder / fmt::format("wire_{:04}.obj", frame + 1))
        << prism({-0.13 + frame / 3.0, 0.0, -0.024}, {half, half, 0.025}, 0)
        << prism({0.0, 0.0, 0.006}, {1e-3, 0.06, 1e-3}, 8);
  }
  Simulation s = simulation_of(parse_scene(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
[[strands]]
source = { generator = "vertical", vertices = 12, length = "10 cm", origin = [0, "5.1 cm", 0] }
material = { preset = "human-hair" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "wire"
motion = { mesh = "wire_####.obj", fps = 60 }
)",
                                           folder / "scene.toml"));
  const Counted counted = run(s, 4);
  double ahead = -1.0;
  for (const Vector3d& x : s.positions()) ahead = std::max(ahead, x.x());
  EXPECT_GT(ahead, -0.13 + 20.0 * s.time());
  EXPECT_LT(counted.contacts.penetration_max, 1e-4);
}

// One example for part of its time: every step that is accepted is judged, pieces of sub-steps too.
class Example {
 public:
  Example(const std::string& name, const std::vector<std::string>& overrides)
      : world_(world_of(name, overrides)), state_(start(world_)), geometry_(world_) {}

  struct Judged {
    int steps = 0, pieces = 0;  // of these: shorter than a sub-step
    std::size_t crossings = 0, contacts = 0;
  };
  Judged run(double seconds) {
    Judged out;
    const auto substeps = int(seconds / world_.run.dt() + 0.5);
    geometry_.set_positions(world_, state_);
    work_.on_step = [&](const WorldState& taken, std::int64_t ticks) {
      ++out.steps, out.pieces += ticks < Clock::ticks_per_substep;
      out.crossings += crossings_to(taken);
      geometry_.set_positions(world_, taken);
    };
    for (int i = 0; i < substeps; ++i) {
      const SubstepReport taken = substep(world_, false, false, work_, state_);
      if (taken.stopped) return ADD_FAILURE() << taken.last.message(), out;
      out.contacts = std::max(out.contacts, taken.contacts.contacts_max);
    }
    return out;
  }

 private:
  static World world_of(const std::string& name, const std::vector<std::string>& overrides) {
    const std::filesystem::path file =
        std::filesystem::path(test_data("")) / ".." / ".." / "examples" / name / "scene.toml";
    Result<Scene> scene = read_scene(file, overrides);
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
    Result<World> world = make_world(scene.value());
    EXPECT_TRUE(world) << (world ? "" : world.error().message());
    return std::move(world.value());
  }

  // By the judge, of the step from where the geometry is: but for what counts as skin, and for what a
  // joint holds (docs/theory/coupling.md, The drift; docs/scene.md).
  std::size_t crossings_to(const WorldState& state) {
    StrandGeometry end(world_);
    end.set_positions(world_, state);
    std::vector<collide::StrandCrossing> found;
    EXPECT_TRUE(search_.find(geometry_.polylines(), end.positions, {{0.0, 0.0}, true}, found));
    return std::size_t(std::ranges::count_if(found, [&](const collide::StrandCrossing& crossing) {
      const collide::StrandPoint a = point(crossing.segments.first, crossing.crossing.s),
                                 b = point(crossing.segments.second, crossing.crossing.t);
      return !world_.joined.hold(a, b) && !is_skin(a) && !is_skin(b);
    }));
  }
  collide::StrandPoint point(std::uint32_t vertex, double along) const {
    const auto strand =
        std::uint32_t(std::ranges::upper_bound(geometry_.offsets, vertex) - geometry_.offsets.begin() - 1);
    return {strand, vertex - geometry_.offsets[strand], along};
  }
  // The clamped edge, and a quarter of the next one.
  bool is_skin(const collide::StrandPoint& at) const {
    const World::Part& part = world_.parts[geometry_.part[at.strand]];
    return part.settings.clamps.root == der::Clamp::edge && at.arc() <= 1.25;
  }

  const World world_;
  WorldState state_;
  WorldWorkspace work_;
  StrandGeometry geometry_;  // before the step in hand
  collide::CrossingSearch search_;
};

TEST(HeavyExamples, HaveNoCrossingInAnyAcceptedStep) {
  struct Case {
    const char* name;
    std::vector<std::string> overrides;
    double seconds;
    std::size_t contacts;  // at least so many at once
  };
  for (const Case& one : {Case{"shaken-head", {"strands.0.source.count=320", "strands.0.guides=\"every 4\""}, 0.6, 20},
                          Case{"rope-over-pole", {}, 0.6, 5}, Case{"mobile", {}, 1.0, 5}}) {
    SCOPED_TRACE(one.name);
    const Example::Judged judged = Example(one.name, one.overrides).run(one.seconds);
    EXPECT_EQ(judged.crossings, 0u);
    EXPECT_GE(judged.contacts, one.contacts);
  }
  // So fast that sub-steps have to be cut.
  const std::vector<std::string> wild = {
      "strands.0.source.count=400", "strands.0.source.vertices=30", "strands.0.guides=\"every 2\"",
      "strands.0.motion=[{ rotate = [0, 1, 0], angle = \"60 deg\", frequency = \"4 Hz\" }, { sine = [\"8 cm\", 0, "
      "0], frequency = \"3 Hz\" }]"};
  const Example::Judged judged = Example("shaken-head", wild).run(0.4);
  EXPECT_GT(judged.pieces, 0);
  EXPECT_EQ(judged.crossings, 0u);
  // Where strands do not meet the judge has something to say.
  const std::vector<std::string> alone = {"strands.0.source.count=320", "strands.0.guides=\"every 4\"",
                                          "contact.between_strands=false"};
  EXPECT_GT(Example("shaken-head", alone).run(0.3).crossings, 0u);
}

}  // namespace
}  // namespace tendril
