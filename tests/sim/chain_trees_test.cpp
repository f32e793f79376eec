// Chains that hang on each other as scenes have them: links and places that are exact in every step, a rope that is cut
// in two and tied together again, with contact and without, and what scenes may not ask for.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/simulations.hpp"
#include "support/temporary_folder.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/sim/tensions.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::error_of;
using support::far_ball;
using support::simulation_of;
using support::take;

constexpr double edge = 0.05;  // [m]

// A rope of 12 edges along x, in one piece or cut at an inner vertex.
std::string rope_points(int cut) {
  std::string out = "[[";
  for (int i = 0; i <= 12; ++i) {
    const std::string point = fmt::format("[{}, 0, 0]", edge * i);
    out += (i > 0 ? ", " : "") + point;
    if (i == cut) out += "], [" + point;
  }
  return out + "]]";
}

std::string scene(const std::string& points, const std::string& keys, const std::string& more = "") {
  return support::rope_scene("points = " + points, "", "chain = { bending = 0 }\n" + keys + "\n" + more);
}

// Positions of the whole rope, those at the cut once.
std::vector<Vector3d> whole(const Simulation& s, int cut) {
  std::vector<Vector3d> x = s.positions();
  if (cut > 0) x.erase(x.begin() + cut + 1);
  return x;
}

double farthest(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  EXPECT_EQ(a.size(), b.size());
  double far = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) far = std::max(far, (a[i] - b[i]).norm());
  return far;
}

TEST(ChainTree, OfACutRopeIsTheRope) {
  for (const int cut : {1, 5, 11}) {
    Simulation one = simulation_of(scene(rope_points(-1), "")),
               two = simulation_of(scene(rope_points(cut), "parent = \"touching\""));
    for (int k = 0; k < 6; ++k) {
      take(one, 20), take(two, 20);
      EXPECT_LT(farthest(whole(one, -1), whole(two, cut)), 1e-6 * edge) << "cut at " << cut << ", " << k;
    }
    EXPECT_LT(two.residuals().stretch, 1e-12);
  }
}

TEST(ChainTree, OfACutRopeIsTheRopeOverAPoleToo) {
  const std::string pole = R"(
[contact]
friction = 0.3
tolerance = 1e-6
[[colliders]]
name = "pole"
shape = { cylinder = "5 cm", axis = [0, 0, 1], length = "1 m", centre = [0.25, -0.06, 0] }
)";
  const int cut = 7;
  Simulation one = simulation_of(scene(rope_points(-1), "", pole)),
             two = simulation_of(scene(rope_points(cut), "parent = \"touching\"", pole));
  double apart = 0.0, way = 0.0;
  const std::vector<Vector3d> start = whole(one, -1);
  for (int k = 0; k < 6; ++k) {
    take(one, 20), take(two, 20);
    apart = std::max(apart, farthest(whole(one, -1), whole(two, cut)));
    way = std::max(way, farthest(whole(one, -1), start));
    EXPECT_LT(two.residuals().stretch, 1e-12);
    EXPECT_EQ((two.positions()[cut] - two.positions()[cut + 1]).norm(), 0.0);
  }
  EXPECT_GT(way, 4.0 * edge);  // it has fallen, and lies on the pole
  const std::vector<double> pull = tensions(one.world(), 0, one.last_step(), one.state()),
                            same = tensions(two.world(), 0, two.last_step(), two.state());
  const double most = *std::ranges::max_element(pull);
  EXPECT_GT(most, 0.0);
  for (int k = 0; k < 12; ++k)
    EXPECT_NEAR(same[std::size_t(k < cut ? k : k + 1)], pull[std::size_t(k)], 1e-2 * most) << "link " << k;
  EXPECT_LT(apart, 1e-2 * edge);
}

// A mobile: three strands of which two begin where others have vertices.
const std::string mobile =
    "[[[0,0,0],[0,-0.1,0],[0,-0.2,0],[0,-0.3,0],[0,-0.4,0]],"
    "[[0,-0.2,0],[0.1,-0.25,0],[0.2,-0.3,0],[0.3,-0.35,0]],"
    "[[0.2,-0.3,0],[0.2,-0.4,0],[0.2,-0.5,0]]]";

TEST(ChainTree, FallsAsOneBodyWhereNothingHoldsIt) {
  Simulation s = simulation_of(scene(mobile, "parent = \"touching\"\nclamp = \"free\""));
  const auto centre = [&] {
    Vector3d sum = Vector3d::Zero();
    double mass = 0.0;
    const World& world = s.world();
    const std::vector<double> masses = world.parts[0].strands.masses();
    for (std::size_t v = 0; v < masses.size(); ++v) sum += masses[v] * s.positions()[v], mass += masses[v];
    return Vector3d(sum / mass);
  };
  const Vector3d start = centre();
  constexpr int steps = 60;
  take(s, steps);
  const double h = 1.0 / 240.0, fallen = 0.5 * 9.81 * h * h * steps * (steps + 1);  // of Euler
  EXPECT_LT((centre() - start - Vector3d(0.0, -fallen, 0.0)).norm(), 1e-10);
}

TEST(ChainTree, KeepsItsPlacesToTheLastBitWithFrictionAndShaking) {
  Simulation s =
      simulation_of(scene(mobile, R"(parent = [{ strand = 1, of = 0, vertex = 2 }, { strand = 2, of = 1, vertex = -2 }]
motion = { sine = ["15 cm", 0, "5 cm"], frequency = "1.5 Hz" })",
                          R"(
[contact]
friction = 0.4
[[colliders]]
name = "ball"
shape = { sphere = "6 cm", centre = [0.1, -0.4, 0] }
)"));
  std::size_t contacts = 0;
  for (int k = 0; k < 120; ++k) {
    take(s, 1);
    EXPECT_EQ((s.positions()[2] - s.positions()[5]).norm(), 0.0);
    EXPECT_EQ((s.positions()[7] - s.positions()[9]).norm(), 0.0);
    EXPECT_LT(s.residuals().stretch, 1e-12);
    contacts += s.state().contact.contacts.size();
  }
  EXPECT_GT(contacts, 20u);
}

TEST(ChainTree, HasJointsLinksThatGiveWayAndSlackOnes) {
  for (const char* chain : {"chain = { bending = 1 }", "chain = { bending = 0.5, compliance = \"1e-4 m/N\" }",
                            "chain = { bending = 0, slack = true }"}) {
    std::string text = scene(mobile, "parent = \"touching\"");
    text.replace(text.find("chain = { bending = 0 }"), 23, chain);
    Simulation s = simulation_of(text);
    take(s, 60);
    EXPECT_LT(s.residuals().force, 1e-5) << chain;
    EXPECT_EQ((s.positions()[7] - s.positions()[9]).norm(), 0.0) << chain;
  }
}

// A quarter of a circle on a stub falls about its hinge and keeps its shape.
TEST(ChainTree, TurnsAboutItsHingeAsItIsBent) {
  std::string points = "[[[0, 0.02, 0], [0, 0.01, 0], [0, 0, 0]], [";
  for (int i = 0; i <= 12; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / 12.0;
    points +=
        fmt::format("{}[{:.6f}, {:.6f}, 0]", i > 0 ? ", " : "", 0.1 * (1.0 - std::cos(angle)), 0.1 * std::sin(angle));
  }
  points += "]]";
  std::string text = scene(points, "parent = \"touching\"\nclamp = \"edge\"");
  text.replace(text.find("chain = { bending = 0 }"), 23, "chain = { bending = 1 }");
  text.replace(text.find("young = \"1 MPa\""), 15, "young = \"20 MPa\"");
  Simulation s = simulation_of(text);
  const auto chord = [&] { return (s.positions().back() - s.positions()[3]).norm(); };
  const double drawn = chord();
  take(s, 72);
  EXPECT_LT(s.positions().back().y(), -0.05);
  EXPECT_NEAR(chord(), drawn, 0.1 * drawn);
}

TEST(ChainTree, PutsRootsInPlaceInAnyOrder) {
  const std::string points =
      "[[[0,0,0],[0,-0.1,0],[0,-0.2,0]], [[0.00005,-0.1,0],[0.1,-0.1,0],[0.2,-0.1,0]],"
      "[[0.00005,-0.1,0],[0.1,-0.2,0],[0.2,-0.3,0]]]";
  Simulation s =
      simulation_of(scene(points, "parent = [{ strand = 2, of = 1, vertex = 0 }, { strand = 1, of = 0, vertex = 1 }]"));
  EXPECT_EQ((s.positions()[3] - s.positions()[1]).norm(), 0.0);
  EXPECT_EQ((s.positions()[6] - s.positions()[1]).norm(), 0.0);
}

// Several mobiles beside each other, each with a strand that hangs alone.
std::string mobiles(int count) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) {
    const auto point = [&](double x, double y) { return fmt::format("[{:.6f}, {:.6f}, {}]", x, y, 0.5 * i); };
    const auto strand = [&](std::initializer_list<std::string> points) {
      out += (out.size() > 1 ? ", [" : "[") + fmt::format("{}", fmt::join(points, ", ")) + "]";
    };
    strand({point(0, 0), point(0, -0.1), point(0, -0.2), point(0, -0.3)});
    strand({point(0, -0.2), point(0.1, -0.25), point(0.2, -0.3 - 0.01 * i)});
    strand({point(1, 0), point(1.1, 0.02), point(1.2, 0), point(1.3, 0.02), point(1.4, 0)});
  }
  return out + "]";
}

TEST(ChainTree, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const char* contact : {"", far_ball}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 3}) {
      set_thread_count(threads);
      Simulation s = simulation_of(scene(mobiles(7), "parent = \"touching\"", contact));
      take(s, 30);
      hashes.push_back(s.hash());
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]) << contact;
  }
}

// Without contact strands that hang alone go in lanes, and trees of the same set the general path.
TEST(ChainTree, GoesBesideLanesWhereTheGeneralPathGoes) {
  for (const char* keys :
       {"parent = \"touching\"", "parent = \"touching\"\nmotion = { sine = [\"5 cm\", 0, 0], frequency = \"2 Hz\" }"}) {
    Simulation lanes = simulation_of(scene(mobiles(3), keys)),
               general = simulation_of(scene(mobiles(3), keys, far_ball));
    take(lanes, 24), take(general, 24);
    EXPECT_LT(farthest(lanes.positions(), general.positions()), 1e-7 * edge) << keys;
    EXPECT_GT(farthest(lanes.positions(), simulation_of(scene(mobiles(3), keys)).positions()), 0.01);
    EXPECT_LT(lanes.residuals().stretch, 1e-12);
    EXPECT_LT(lanes.residuals().force, 1e-4);
    EXPECT_EQ((lanes.positions()[2] - lanes.positions()[4]).norm(), 0.0);
  }
}

using ChainTreeFile = support::TemporaryFolder;

TEST_F(ChainTreeFile, GoesOnWithTheSameBits) {
  for (const char* contact : {"", far_ball})
    support::expect_to_go_on(scene(mobiles(3), "parent = \"touching\"", contact), 20, folder / "trees.h5");
}

TEST(ChainTree, SaysWhatItCannotBe) {
  const auto with = [](const std::string& keys) { return error_of(scene(mobile, keys)); };
  EXPECT_NE(with("parent = [{ strand = 1, of = 0, vertex = 3 }]").find("begins 0.1 m from vertex 3 of strand 0"),
            std::string::npos);
  EXPECT_NE(with("parent = [{ strand = 1, of = 1 }]").find("names the strand itself"), std::string::npos);
  EXPECT_NE(with("parent = [{ strand = 1, of = 7 }]").find(":30: strand 7 does not exist"), std::string::npos);
  EXPECT_NE(with("parent = [{ of = 0 }]").find("strand = 1"), std::string::npos);
  EXPECT_NE(with("parent = \"touching\"\nrest = \"sag-free\"").find("sag-free"), std::string::npos);
  EXPECT_NE(with("parent = \"touching\"\nguides = \"every 2\"").find("guides"), std::string::npos);
  EXPECT_NE(with("parent = \"touching\"\nholds = [{ strand = 0, vertex = 3 }]").find("vertex 3 is held"),
            std::string::npos);
  EXPECT_NE(with("parent = \"touching\"\nholds = [{ strand = 1, vertex = 0 }]").find("vertex of another strand"),
            std::string::npos);
  EXPECT_NE(error_of(scene(rope_points(-1), "parent = \"touching\"")).find("no strand begins at a vertex"),
            std::string::npos);
  std::string rods = scene(mobile, "parent = \"touching\"");
  rods.replace(rods.find("chain = { bending = 0 }"), 23, "");
  rods.replace(rods.find("\"chain\""), 7, "\"der\"");
  EXPECT_NE(error_of(rods).find("[[joints]]"), std::string::npos);
}

}  // namespace
}  // namespace tendril
