// Chains of points as scenes have them: links that are exact in every step, holds that move, loads, compliance, slack,
// the order of the integrators, and what is kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/simulations.hpp"
#include "support/temporary_folder.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using support::far_ball;
using support::simulation_of;

// A rope of 24 points, with more keys in [run] and of the strands.
std::string rope(const std::string& run, const std::string& keys, double length = 1.0) {
  return support::rope_scene(fmt::format("generator = \"horizontal\", vertices = 24, length = {}", length), run, keys,
                             ", damping = \"20 ms\"");
}

double largest_stretch_over(Simulation& s, int steps) {
  double largest = 0.0;
  for (int i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = s.step();
    EXPECT_TRUE(taken) << (taken ? "" : taken.error().message());
    largest = std::max(largest, s.residuals().stretch);
  }
  return largest;
}

TEST(ChainModel, HasExactLinksInEveryCommittedStepOfHairWithFriction) {
  Simulation s = simulation_of(R"(
[run]
duration = "1 s"
fps = 50
substeps = 5
[[strands]]
name = "hair"
source = { generator = "wavy", count = 60, vertices = 12, length = "12 cm", head_radius = "9 cm" }
model = "chain"
motion = { sine = ["3 cm", 0, 0], frequency = "2 Hz" }
[contact]
friction = 0.4
[[colliders]]
name = "head"
shape = { sphere = "8.8 cm" }
follows = "hair"
)");
  EXPECT_LT(largest_stretch_over(s, 100), 1e-12);
}

TEST(ChainModel, FollowsHoldsThatMoveWithExactLinks) {
  Simulation s = simulation_of(rope("", R"(
clamp = { root = "point", tip = "point" }
chain = { bending = 0.1 }
holds = [{ vertex = 10, motion = { sine = ["-10 cm", "5 cm", 0], frequency = "1 Hz" } }]
tip_motion = { sine = ["-30 cm", 0, 0], frequency = "1 Hz" })"));
  const Vector3d start = s.positions()[10];
  EXPECT_LT(largest_stretch_over(s, 60), 1e-12);
  const Vector3d gone = s.positions()[10] - start;
  EXPECT_GT(gone.y(), 0.02);
  EXPECT_NEAR(gone.x(), -2.0 * gone.y(), 1e-12);
}

// A hanging rope of n equal links swings at its lowest frequency, whatever hangs at its end.
TEST(ChainModel, SwingsAMillionTimesItsPointMass) {
  const double mass_of_point = 1000.0 * std::numbers::pi * 4e-6 / 23.0, load = 1e6 * mass_of_point;
  Simulation s = simulation_of(
      rope("gravity = [0, -9.81, 0]", "chain = { bending = 0 }\nclamp = \"point\"") +
      fmt::format("[[joints]]\nname = \"load\"\nstrands = \"rope\"\nconnector = {{ mass = {} }}\n", load));
  // From level to straight down takes K(1/sqrt 2) sqrt(L/g).
  const double quarter = 1.8540746773013719 * std::sqrt(1.0 / 9.81);
  EXPECT_LT(largest_stretch_over(s, int(quarter * 240.0)), 1e-12);
  EXPECT_NEAR(s.positions().back().x(), 0.0, 0.05);
  EXPECT_NEAR(s.positions().back().y(), -1.0, 0.01);
}

TEST(ChainModel, StretchesByItsCompliance) {
  // 1 N at the tip of 23 links of 1 mm/N each, hanging; the weight of the rope is left out.
  Simulation s = simulation_of(rope("gravity = [0, 0, 0]", R"(
chain = { compliance = "1 mm/N" }
loads = [{ vertex = -1, force = [1, 0, 0] }])"));
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(s.step());
  // c = a l^2 lam is |z|^2 = l^2 + 2 a l^2 T / |z|: by 1 % more than a T for strains of 2 %.
  EXPECT_NEAR(s.positions().back().x() - 1.0, 23e-3, 1e-3);
}

// Hanging straight from 23 edges that taper from 2 mm to 1 mm: each is longer by F l/(E A) of its own section.
TEST(ChainModel, StretchesAsItsMaterialDoes) {
  constexpr double force = 2.0, young = 1e8, density = 1000.0;
  Simulation s = simulation_of(fmt::format(R"(
[run]
gravity = [0, 0, 0]
duration = "10 s"
[[strands]]
name = "rope"
source = {{ generator = "horizontal", vertices = 24, length = 1 }}
model = "chain"
chain = {{ compliance = "material" }}
material = {{ radius = {{ root = "2 mm", tip = "1 mm" }}, young = {}, density = {}, damping = "20 ms" }}
loads = [{{ vertex = -1, force = [{}, 0, 0] }}])",
                                           young, density, force));
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(s.step());
  const std::vector<Vector3d> x = s.positions();
  for (std::size_t i = 1; i < 23; ++i) {                                     // the first edge is held
    const double radius = 0.002 - 0.001 * double(i) / 22.0, l = 1.0 / 23.0;  // the last edge has that of the tip
    const double strain = force / (young * std::numbers::pi * radius * radius);
    EXPECT_NEAR((x[i + 1] - x[i]).norm() / l - 1.0, strain, 0.02 * strain) << i;
  }
}

// Links that give way are drawn with what they carry: neither wavy hair nor a rope that hangs limp becomes longer.
TEST(ChainModel, KeepsItsShapeWithLinksThatGiveWay) {
  const std::string hair = "generator = \"wavy\", count = 8, vertices = 20, length = \"15 cm\", head_radius = \"9 cm\"";
  const std::string plumb = "generator = \"vertical\", vertices = 20, length = 1";
  const auto drift = [](const std::string& source, const std::string& keys) {
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "10 s"
[[strands]]
name = "hair"
source = {{ {} }}
model = "chain"
{}
)",
                                             source, keys));
    const std::vector<Vector3d> drawn = s.positions();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(s.step());
    double farthest = 0.0;
    const std::vector<Vector3d> x = s.positions();
    for (std::size_t k = 0; k < x.size(); ++k) farthest = std::max(farthest, (x[k] - drawn[k]).norm());
    return farthest;
  };
  const std::string free = "rest = \"sag-free\"\n", soft = "chain = { compliance = \"1 m/N\" }\n";
  EXPECT_LT(drift(hair, free + "chain = { compliance = \"material\" }"), 1e-10);
  EXPECT_LT(drift(hair, free + soft), 1e-10);
  EXPECT_GT(drift(hair, soft), 1e-4);  // by joints, too
  const std::string limp = "chain = { bending = 0, compliance = \"1 m/N\" }\n";
  EXPECT_LT(drift(plumb, free + limp), 1e-10);
  EXPECT_GT(drift(plumb, limp), 1e-4);
  EXPECT_LT(
      drift(plumb, free + "chain = { bending = 0, compliance = \"1 m/N\", method = \"xpbd\", tolerance = 1e-12 }"),
      1e-8);
}

// What is slack cannot stand up by itself, and is not said to.
TEST(ChainModel, IsNotBalancedWhereSlackLinksWouldHaveToPush) {
  const auto found = [](const char* slack, int way) {
    const Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
[[strands]]
name = "short"
source = {{ points = [[0, 0, 0], [0, {0}e-3, 0], [0, {1}e-3, 1e-3], [0, {2}e-3, 3e-3]] }}
model = "chain"
rest = "sag-free"
chain = {{ slack = {3} }}
)",
                                                   10 * way, 20 * way, 30 * way, slack));
    return s.world().parts[0].sag_free->strands[0].status;
  };
  using sagfree::StrandStatus;
  EXPECT_EQ(found("false", 1), StrandStatus::balanced);
  EXPECT_EQ(found("true", 1), StrandStatus::bounded);
  EXPECT_EQ(found("true", -1), StrandStatus::balanced);
}

// Limp strands are told to be balanced only where they are: not if they would have to stand, or links give way too far.
TEST(ChainModel, KnowsWhichLimpStrandsAreBalanced) {
  const auto found = [](int way, const char* compliance) {
    const Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
[[strands]]
name = "short"
source = {{ points = [[0, 0, 0], [0, {0}e-3, 0], [0, {1}e-3, 0], [0, {2}e-3, 0]] }}
model = "chain"
rest = "sag-free"
chain = {{ bending = 0, compliance = {3} }}
)",
                                                   10 * way, 20 * way, 30 * way, compliance));
    return s.world().parts[0].sag_free->strands[0].status;
  };
  using sagfree::StrandStatus;
  EXPECT_EQ(found(-1, "0"), StrandStatus::balanced);
  EXPECT_EQ(found(-1, "0.1"), StrandStatus::balanced);
  EXPECT_EQ(found(1, "0"), StrandStatus::unstable);
  EXPECT_EQ(found(1, "0.1"), StrandStatus::unstable);
  EXPECT_EQ(found(1, "1e6"), StrandStatus::bounded);
}

TEST(ChainModel, GoesSlackAndPullsAgain) {
  const auto shortest = [](const char* slack) {
    // Up and down with ten times the acceleration of gravity.
    Simulation s = simulation_of(rope("gravity = [9.81, 0, 0]", fmt::format(R"(
clamp = "point"
chain = {{ bending = 0, slack = {} }}
motion = {{ sine = ["30 cm", 0, 0], frequency = "3 Hz" }})",
                                                                            slack)));
    double least = 1.0;
    for (int i = 0; i < 120; ++i) {
      EXPECT_TRUE(s.step());
      EXPECT_LT(s.residuals().stretch, 1e-12);  // never longer
      const std::vector<Vector3d> x = s.positions();
      for (std::size_t k = 0; k + 1 < x.size(); ++k) least = std::min(least, (x[k + 1] - x[k]).norm() * 23.0);
    }
    return least;
  };
  EXPECT_LT(shortest("true"), 0.9);
  EXPECT_NEAR(shortest("false"), 1.0, 1e-12);
}

// A rope is let slack and pulled taut by two held points beside each other, which come nearer than their link is long.
TEST(ChainModel, GoesSlackBesideHoldsThatAreNear) {
  Simulation s = simulation_of(rope("on_tolerance = \"accept\"", R"(
clamp = "point"
chain = { bending = 0.1, slack = true }
holds = [{ vertex = 1, motion = { sine = ["-2 cm", 0, 0], frequency = "2 Hz" } }]
motion = { sine = ["-1 cm", 0, 0], frequency = "2 Hz" })"));
  for (int i = 0; i < 72; ++i) {
    const Result<SimulationStep> taken = s.step();
    ASSERT_TRUE(taken) << taken.error().message();
    const std::vector<Vector3d> x = s.positions();
    if ((x[1] - x[0]).norm() > 1.0 / 23.0) continue;  // at the end of a swing they are farther apart than it is long
    EXPECT_EQ(taken.value().usable, 0) << i;
    EXPECT_LT(s.residuals().stretch, 1e-12);
    EXPECT_LT(s.residuals().force, 1e-4);
  }
  EXPECT_LT(s.positions()[12].y(), -0.1);
}

// The tip of a swinging rope after 0.2 s against steps ten times as short.
TEST(ChainModel, ConvergesAsItsIntegratorDoes) {
  const auto tip = [](const char* integrator, int substeps) {
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 20
substeps = {}
integrator = "{}"
[[strands]]
name = "rope"
source = {{ generator = "horizontal", vertices = 8, length = 1 }}
model = "chain"
clamp = "point"
material = {{ radius = "2 mm", young = "1 MPa", poisson = 0.3, density = "1000 kg/m3" }}
)",
                                             substeps, integrator));
    for (int i = 0; i < 4 * substeps; ++i) EXPECT_TRUE(s.step());
    return s.positions().back();
  };
  for (const auto& [integrator, order] : {std::pair("euler", 1.0), std::pair("bdf2", 2.0)}) {
    const Vector3d exact = tip("bdf2", 1280);
    const double coarse = (tip(integrator, 80) - exact).norm(), fine = (tip(integrator, 160) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << integrator;
  }
}

// Nothing holds it: an arc that was set turning by its ends turns on as a whole, in its shape.
TEST(ChainModel, TurnsFreelyAsAWhole) {
  std::string points;
  for (int k = 0; k < 20; ++k) {
    const double angle = std::numbers::pi * k / 19.0;
    points += fmt::format("{}[{}, {}, 0]", k == 0 ? "" : ", ", 0.2 * std::cos(angle), 0.2 * std::sin(angle));
  }
  Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 16
gravity = [0, 0, 0]
[[strands]]
name = "arc"
source = {{ points = [{}] }}
model = "chain"
clamp = "free"
material = {{ radius = "2 mm", young = "100 MPa", poisson = 0.3, density = "1000 kg/m3", damping = "1 ms" }}
)",
                                           points));
  const auto centre = [&] {
    const std::vector<Vector3d> x = s.positions();
    Vector3d sum = -0.5 * (x.front() + x.back());  // ends have half of the mass
    for (const Vector3d& point : x) sum += point;
    return sum;
  };
  const Vector3d start = centre();
  const auto across = [&] { return Vector3d(s.positions().back() - s.positions().front()); };
  const double apart = across().norm();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(s.apply_wrench({"arc", 0, 0, {0.0, 0.02, 0.0}, Vector3d::Zero()}));
    ASSERT_TRUE(s.apply_wrench({"arc", 0, -1, {0.0, -0.02, 0.0}, Vector3d::Zero()}));
    ASSERT_TRUE(s.step());
  }
  const double kinetic = s.energies().kinetic;
  const Vector3d before = across();
  double most_turned = 0.0;
  for (int i = 0; i < 860; ++i) {
    ASSERT_TRUE(s.step());
    most_turned = std::max(most_turned, std::acos(before.normalized().dot(across().normalized())));
  }
  EXPECT_GT(most_turned, 1.0);
  EXPECT_NEAR(across().norm(), apart, 0.03 * apart);
  EXPECT_LT(s.energies().kinetic, 1.001 * kinetic);
  EXPECT_GT(s.energies().kinetic, 0.6 * kinetic);  // Euler takes some
  EXPECT_LT((centre() - start).norm(), 1e-3);
}

// A limp thread in a level wind hangs at the angle at which drag and weight balance, as rods that stretch hardly do.
TEST(ChainModel, HangsInTheWindAsRodsDo) {
  const auto tip = [](const char* model) {
    Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "4 s"
fps = 60
substeps = 2
wind = [2, 0, 0]
air = {{ density = 1.2 }}
[[strands]]
name = "thread"
source = {{ generator = "vertical", vertices = 20, length = "20 cm" }}
model = "{}"
clamp = "point"
material = {{ radius = "0.1 mm", young = "1 MPa", stretch_young = "100 MPa", poisson = 0.3, density = "1000 kg/m3" }}
)",
                                             model));
    for (int i = 0; i < 480; ++i) EXPECT_TRUE(s.step());
    return s.positions().back();
  };
  const Vector3d rod = tip("der"), chain = tip("chain");
  EXPECT_GT(rod.x(), 0.05);
  EXPECT_LT((rod - chain).norm(), 2e-3);
}

// Drawn to its shape, it comes to rest as rods do.
TEST(ChainModel, IsDrawnToItsShape) {
  const auto drop = [](const char* keys) {
    Simulation s = simulation_of(rope("", std::string("clamp = \"point\"\n") + keys));
    for (int i = 0; i < 480; ++i) EXPECT_TRUE(s.step());
    return -s.positions().back().y();
  };
  const double free = drop(""), drawn = drop("attraction = { frequency = \"3 Hz\", damping = 1 }");
  EXPECT_GT(free, 0.5);
  EXPECT_LT(drawn, 0.1);
  EXPECT_NEAR(drawn, 9.81 / std::pow(2.0 * std::numbers::pi * 3.0, 2), 0.02);  // g / (2 pi f)^2, less what bends
}

// With contact, which nothing touches, all strands go the general path; without it they go in lanes.
TEST(ChainModel, GoesInLanesWhereTheGeneralPathGoes) {
  const auto end = [](const std::string& strands, const char* contact, int steps) {
    Simulation s = simulation_of("[run]\nduration = \"1 s\"\nfps = 240\nsubsteps = 1\n" + strands + contact);
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(s.step());
    EXPECT_LT(s.residuals().stretch, 1e-13);
    EXPECT_LT(s.residuals().force, 1e-4);
    return s.positions();
  };
  const auto compare = [&](const std::string& strands, int steps) {
    const std::vector<Vector3d> lanes = end(strands, "", steps);
    const std::vector<Vector3d> general = end(strands, far_ball, steps);
    for (std::size_t v = 0; v < lanes.size(); ++v) EXPECT_LT((lanes[v] - general[v]).norm(), 1e-9) << v;
  };
  compare(R"(
[[strands]]
name = "hair"
source = { generator = "wavy", count = 11, vertices = 16, length = "8 cm", head_radius = "30 cm" }
model = "chain"
motion = { sine = ["2 cm", 0, 0], frequency = "2 Hz" }
)",
          20);
  // The second one stands in line with gravity, which is no minimum: lanes leave it.
  compare(R"(
[[strands]]
name = "threads"
source = { points = [[[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[1, 0, 0], [1, 1e-4, 0], [1, 2e-4, 0], [1, 3e-4, 0]]] }
model = "chain"
clamp = "point"
chain = { bending = 0 }
)",
          1);
}

TEST(ChainModel, SaysWhatItDoesNotTake) {
  const auto message = [](const std::string& keys) { return support::error_of(rope("", keys)); };
  EXPECT_NE(message("holds = [{ vertex = 5, components = \"x\" }]").find("held as a whole"), std::string::npos);
  EXPECT_NE(message("loads = [{ vertex = 5, torque = 1 }]").find("have no twist"), std::string::npos);
  EXPECT_NE(message("chain = { bending = -1 }").find("bending"), std::string::npos);
  EXPECT_NE(message("chain = { compliance = \"1 m\" }").find("compliance"), std::string::npos);
  EXPECT_NE(
      message("chain = { compliance = \"materiel\" }").find("neither 'material' nor a compliance such as \"1 mm/N\""),
      std::string::npos);
  EXPECT_NE(message("[[joints]]\nname = \"a\"\nstrands = \"rope\"\nconnector = { mass = 1, cylinder = { radius = 0.1, "
                    "length = 0.1 } }")
                .find("has a size"),
            std::string::npos);
}

using ChainModelFile = support::TemporaryFolder;

TEST_F(ChainModelFile, GoesOnWithTheSameBits) {
  for (const char* contact : {"", far_ball})
    for (const char* run : {"", "integrator = \"bdf2\""})
      support::expect_to_go_on(rope(run, contact), 20, folder / "rope.h5");
  for (const char* method : {"newton", "kkt", "two-stage", "fast", "pbd", "xpbd", "shake"})
    support::expect_to_go_on(rope("", fmt::format("chain = {{ bending = 0, method = \"{}\" }}", method)), 20,
                             folder / "rope.h5");
}

// Beside a strand whose links are a hundred times as long, in lanes and out of them.
TEST(ChainModel, HasTheSameBitsInAnyCompany) {
  const auto points = [](double edge) {
    std::string out;
    for (int i = 0; i < 12; ++i)
      out += fmt::format("{}[{}, {}, 0]", i > 0 ? ", " : "[", edge * i, 0.3 * edge * (i % 2));
    return out + "]";
  };
  for (const char* chain :
       {"bending = 1", "bending = 0", "bending = 0, method = \"two-stage\"", "bending = 0, method = \"kkt\"",
        "bending = 0, method = \"fast\"", "bending = 0, method = \"pbd\"", "bending = 0.2, compliance = 1e-4",
        "bending = 0.2, slack = true"})
    for (const char* clamp : {"\"point\"", "{ root = \"point\", tip = \"point\" }"})
      for (const char* contact : {"", far_ball}) {
        const auto end = [&](const std::string& strands) {
          Simulation s = simulation_of(fmt::format(R"(
[run]
duration = "1 s"
fps = 240
substeps = 1
on_tolerance = "accept"
[[strands]]
source = {{ points = [{}] }}
model = "chain"
clamp = {}
chain = {{ {} }}
material = {{ radius = "1 mm", young = "1 MPa", poisson = 0.3, density = "1000 kg/m3" }}
{})",
                                                   strands, clamp, chain, contact));
          for (int i = 0; i < 12; ++i) EXPECT_TRUE(s.step());
          return s.positions();
        };
        const std::vector<Vector3d> alone = end(points(0.01)), shared = end(points(0.01) + ", " + points(1.0));
        for (std::size_t v = 0; v < alone.size(); ++v)
          EXPECT_EQ(alone[v], shared[v]) << chain << clamp << contact << ", vertex " << v;
      }
}

}  // namespace
}  // namespace tendril
