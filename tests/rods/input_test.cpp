// What is refused and in which words, and what goes in and comes out again.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/rods.hpp"

namespace tendril::der {
namespace {

using namespace support;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// Three strands of 4, 5 and 6 vertices.
Description sound() {
  Curves curves;
  for (const std::size_t n : {4u, 5u, 6u}) append(curves, straight_strand(n, 0.1, Vector3d(1, 2, 2) / 3.0));
  return describe(curves, hair(), {});
}

std::string refusal(const Description& d, const std::vector<Hold>& holds = {}) {
  const Result<Strands> made = Strands::create(d, holds);
  return made ? "accepted" : made.error().message();
}

TEST(BadInput, IsNamedByStrandAndVertex) {
  struct Case {
    std::function<void(Description&)> spoil;
    const char* message;
  };
  const std::vector<Case> cases = {
      {[](Description&) {}, "accepted"},
      {[](Description& d) {
         d.curves.points.pop_back(), d.curves.offsets = {0, 4, 9, 14};
       },
       "radius: has 15 entries; 14 vertices need one each"},
      {[](Description& d) { d.curves.points[5] = d.curves.points[4]; },
       "strand 1, vertex 1: coincides with the vertex before it; edges must be longer than 1e-08 m"},
      {[](Description& d) { d.curves.points[5] = d.curves.points[4] + Vector3d(9e-9, 0, 0); },
       "strand 1, vertex 1: coincides with the vertex before it; edges must be longer than 1e-08 m"},
      {[](Description& d) { d.curves.points[8].y() = nan; }, "strand 1, vertex 4: position is not a finite number"},
      {[](Description& d) { d.curves.points[0].z() = -inf; }, "strand 0, vertex 0: position is not a finite number"},
      {[](Description& d) { d.curves.points[11] = 0.5 * (d.curves.points[9] + d.curves.points[10]); },
       "strand 2, vertex 1: folds back by 180 degrees; the curvature there is infinite"},
      {[](Description& d) { d.semi_axis1[1] = 0.0; }, "strand 0, vertex 1: radius is 0; it must be positive"},
      {[](Description& d) { d.semi_axis2[6] = -1e-3; }, "strand 1, vertex 2: radius is -0.001; it must be positive"},
      {[](Description& d) { d.semi_axis1[1] = nan; }, "strand 0, vertex 1: radius is not a finite number"},
      {[](Description& d) { d.semi_axis1[3] = 0.0; }, "accepted"},  // no edge starts at the tip
      {[](Description& d) { d.density[7] = -1300.0; }, "strand 1, vertex 3: density is -1300; it must be positive"},
      {[](Description& d) { d.density[7] = 0.0; }, "strand 1, vertex 3: density is 0; it must be positive"},
      {[](Description& d) { d.stretch_modulus[0] = 0.0; },
       "strand 0, vertex 0: stretch modulus is 0; it must be positive"},
      {[](Description& d) { d.bend_modulus[10] = inf; }, "strand 2, vertex 1: bend modulus is not a finite number"},
      {[](Description& d) { d.bend_modulus[9] = -1.0; }, "accepted"},  // no joint at the root
      {[](Description& d) { d.twist_modulus[13] = 0.0; },
       "strand 2, vertex 4: twist modulus is 0; it must be positive"},
      {[](Description& d) { d.twist_modulus.pop_back(); }, "twist modulus: has 14 entries; 15 vertices need one each"},
      {[](Description& d) { d.density.push_back(1.0); }, "density: has 16 entries; 15 vertices need one each"},
      {[](Description& d) { d.reference_length.assign(15, 0.01), d.reference_length[2] = 0.0; },
       "strand 0, vertex 2: reference length is 0; it must be positive"},
      {[](Description& d) { d.rest_strain.assign(15, 0.0), d.rest_strain[4] = -1.0; },
       "strand 1, vertex 0: rest strain must be above -1"},
      {[](Description& d) { d.rest_strain.assign(15, 0.0), d.rest_strain[4] = nan; },
       "strand 1, vertex 0: rest strain is not a finite number"},
      {[](Description& d) { d.rest_strain.assign(3, 0.0); }, "rest strain: has 3 entries; 15 vertices need one each"},
      {[](Description& d) { d.rest_curvature.assign(15, {}), d.rest_curvature[5][3] = nan; },
       "strand 1, vertex 1: rest curvature is not a finite number"},
      {[](Description& d) { d.rest_curvature.assign(14, {}); },
       "rest curvature: has 14 entries; 15 vertices need one each"},
      {[](Description& d) { d.rest_twist.assign(15, inf); }, "strand 0, vertex 1: rest twist is not a finite number"},
      {[](Description& d) { d.mass.assign(15, 1e-6), d.mass[14] = 0.0; },
       "strand 2, vertex 5: mass is 0; it must be positive"},
      {[](Description& d) { d.inertia.assign(15, -1.0); }, "strand 0, vertex 0: inertia is -1; it must be positive"},
      {[](Description& d) {
         d.damping = {0.0, -1e-3, 0.0};
       },
       "strand 1: damping is -0.001; it must be 0 s or more"},
      {[](Description& d) {
         d.damping = {0.0, 0.0};
       },
       "damping: has 2 entries; give one, or one for each of 3 strands"},
      {[](Description& d) { d.damping = {}; }, "damping: has 0 entries; give one, or one for each of 3 strands"},
      {[](Description& d) { d.clamps.resize(4); }, "clamps: has 4 entries; give one, or one for each of 3 strands"},
      {[](Description& d) { d.root_director = {Vector3d::UnitX()}; }, "accepted"},
      {[](Description& d) { d.root_director.assign(2, Vector3d::UnitX()); },
       "root director: has 2 entries; give one, or one for each of 3 strands"},
      {[](Description& d) {
         d.root_director = {Vector3d::UnitX(), Vector3d(1, 2, 2), Vector3d::UnitX()};
       },
       "strand 1: the root director lies along the first edge; it must point across"},
      {[](Description& d) { d.root_director = {Vector3d::Zero()}; },
       "strand 0: the root director is not a direction: it is zero or not finite"},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Description d = sound();
    cases[i].spoil(d);
    EXPECT_EQ(refusal(d), cases[i].message) << "case " << i;
  }
}

// The only joints of a strand of one edge are those of its point clamps.
TEST(BadInput, ModuliOfAPointClampOnASingleEdge) {
  Description d = describe(one(straight_strand(2, 0.1, Vector3d::UnitX())), hair(), {Clamp::point, Clamp::free});
  d.bend_modulus[1] = nan;
  EXPECT_EQ(refusal(d), "accepted");
  d.twist_modulus[0] = -1.0;
  EXPECT_EQ(refusal(d), "strand 0, vertex 0: twist modulus is -1; it must be positive and finite");
  d.clamps = {{Clamp::edge, Clamp::point}};
  EXPECT_EQ(refusal(d), "strand 0, vertex 1: bend modulus is nan; it must be positive and finite");
  d.clamps = {{Clamp::edge, Clamp::free}};
  EXPECT_EQ(refusal(d), "accepted");
}

TEST(BadInput, TooFewVerticesOrNoStrands) {
  Curves curves;
  append(curves, straight_strand(3, 0.1, Vector3d::UnitX()));
  append(curves, {Vector3d::Zero()});
  EXPECT_EQ(refusal(describe(curves, hair(), {})), "strand 1: has 1 vertex; a strand needs 2 or more");
  EXPECT_EQ(refusal(describe(Curves{}, hair(), {})), "strands: there are none; give at least one strand");
}

// 0.05 degrees short of a full fold is refused, a degree short of it is a pose like any other.
TEST(BadInput, FoldBackIsTheLastTwentiethOfADegree) {
  for (const double degrees : {179.0, 179.95}) {
    const double a = degrees * pi / 180.0;
    const Curves curves = one({{0, 0, 0}, {0.1, 0, 0}, {0.1 + 0.1 * std::cos(a), 0.1 * std::sin(a), 0}});
    EXPECT_EQ(refusal(describe(curves, hair(), {})),
              degrees > 179.5 ? "strand 0, vertex 1: folds back by 180 degrees; the curvature there is infinite"
                              : "accepted");
  }
}

TEST(BadInput, HoldsAndLoadsMustNameWhatThereIs) {
  const Description d = sound();
  EXPECT_EQ(refusal(d, {{3, 0}}), "hold 0: names strand 3; there are 3");
  EXPECT_EQ(refusal(d, {{0, 2}, {1, 5}}), "hold 1: names vertex 5 of strand 1, which has 5");
  EXPECT_EQ(refusal(d, {{0, -5}}), "hold 0: names vertex -5 of strand 0, which has 4");
  EXPECT_EQ(refusal(d, {{0, -1, {false, false, false, true}}}),
            "hold 0: holds the twist of the last vertex, where no edge starts");
  EXPECT_EQ(refusal(d, {{0, -2}, {2, 5}}), "accepted");
  EXPECT_EQ(refusal(d, {{1, 1}}), "hold 0: holds x of vertex 1 of strand 1, which a clamp holds");
  EXPECT_EQ(refusal(d, {{1, 1, {false, false, false, true}}}), "accepted");
  EXPECT_EQ(refusal(d, {{1, 0, {false, false, false, true}}}),
            "hold 0: holds t of vertex 0 of strand 1, which a clamp holds");
  Strands strands = std::move(Strands::create(d).value());
  const auto load_refusal = [&](const Load& load) {
    const Status status = strands.add_load(load);
    return status ? std::string("accepted") : status.error().message();
  };
  EXPECT_EQ(load_refusal({7, 0}), "load: names strand 7; there are 3");
  EXPECT_EQ(load_refusal({0, 4}), "load: names vertex 4 of strand 0, which has 4");
  EXPECT_EQ(load_refusal({2, -7}), "load: names vertex -7 of strand 2, which has 6");
  EXPECT_EQ(load_refusal({2, -1, {0.0, nan, 0.0}, 0.0}), "load: is not a finite number");
  EXPECT_EQ(load_refusal({2, -1, Vector3d::Zero(), inf}), "load: is not a finite number");
}

TEST(BadInput, SettersRefuseAndLeaveTheStateAlone) {
  Simulation s(sound());
  const std::uint64_t before = hash(s.strands, s.state);
  std::vector<Vector3d> x = s.positions(), v(15, Vector3d::Zero()), a = s.directors();
  std::vector<double> theta(15, 0.0);
  const auto message = [](const Status& status) { return status ? std::string("accepted") : status.error().message(); };
  std::vector<Vector3d> short_list(x.begin(), x.end() - 1);
  EXPECT_EQ(message(set_positions(s.strands, short_list, s.state)),
            "positions: 14 were given; 15 vertices need one each");
  EXPECT_EQ(message(set_velocities(s.strands, short_list, s.state)),
            "velocities: 14 were given; 15 vertices need one each");
  EXPECT_EQ(message(set_thetas(s.strands, std::vector<double>(16), s.state)),
            "thetas: 16 were given; 15 vertices need one each");
  EXPECT_EQ(message(set_theta_velocities(s.strands, std::vector<double>(1), s.state)),
            "theta velocities: 1 were given; 15 vertices need one each");
  EXPECT_EQ(message(set_directors(s.strands, a, std::vector<double>(14), s.state)),
            "reference twists: 14 were given; 15 vertices need one each");
  x[6] = x[5];
  EXPECT_EQ(message(set_positions(s.strands, x, s.state)),
            "strand 1, vertex 2: coincides with the vertex before it; edges must be longer than 1e-08 m");
  v[2].x() = nan;
  EXPECT_EQ(message(set_velocities(s.strands, v, s.state)), "strand 0, vertex 2: velocity is not a finite number");
  theta[6] = inf;
  EXPECT_EQ(message(set_thetas(s.strands, theta, s.state)), "strand 1, vertex 2: theta is not a finite number");
  EXPECT_EQ(message(set_theta_velocities(s.strands, theta, s.state)),
            "strand 1, vertex 2: theta velocity is not a finite number");
  a[10] *= 1.1;
  EXPECT_EQ(message(set_directors(s.strands, a, std::vector<double>(15), s.state)),
            "strand 2, vertex 1: the director must be a unit vector across its edge");
  EXPECT_EQ(hash(s.strands, s.state), before);
}

// What is set is what is read, in the user's order, on every set.
TEST(State, ComesBackAsItWasSet) {
  for (const Isa isa : available_sets()) {
    Random random(61);
    Curves curves;
    for (int i = 0; i < 11; ++i) append(curves, smooth_strand(random, 2 + random.below(9), 0.1, 0.2));
    Simulation s(describe(curves, hair(), {Clamp::free, Clamp::free}), {}, isa);
    const std::size_t n = s.strands.vertex_count();
    std::vector<Vector3d> x = s.positions(), v(n);
    std::vector<double> theta(n), spin(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += 1e-4 * random_vector(random), v[i] = random_vector(random);
      theta[i] = random.uniform(-9.0, 9.0), spin[i] = random.uniform(-9.0, 9.0);
    }
    ASSERT_TRUE(set_positions(s.strands, x, s.state));
    ASSERT_TRUE(set_velocities(s.strands, v, s.state));
    ASSERT_TRUE(set_thetas(s.strands, theta, s.state));
    ASSERT_TRUE(set_theta_velocities(s.strands, spin, s.state));
    EXPECT_EQ(s.positions(), x);
    EXPECT_EQ(s.velocities(), v);
    for (std::size_t strand = 0; strand < s.strands.size(); ++strand)
      for (std::size_t i = s.strands.offset(strand); i + 1 < s.strands.offset(strand + 1); ++i) {
        EXPECT_EQ(s.thetas()[i], theta[i]);
        EXPECT_EQ(s.theta_velocities()[i], spin[i]);
        EXPECT_NEAR(s.directors()[i].dot((x[i + 1] - x[i]).normalized()), 0.0, 1e-15);
        EXPECT_NEAR(s.directors()[i].norm(), 1.0, 1e-12);
      }
  }
}

// m1 of the first edge points where it is told to, whatever the lane and the clamp; the others follow untwisted.
TEST(State, StartsFromTheRootDirector) {
  for (const Isa isa : available_sets())
    for (const Clamp clamp : {Clamp::free, Clamp::edge, Clamp::point}) {
      Random random(64);
      Curves curves;
      std::vector<Vector3d> wanted;
      for (int i = 0; i < 7; ++i) {
        append(curves, smooth_strand(random, 3 + random.below(5), 0.1, 0.2));
        wanted.push_back(5.0 * random_vector(random));
      }
      Description d = describe(curves, hair(), {clamp, Clamp::free});
      d.root_director = wanted;
      Simulation s(d, {}, isa);
      for (std::size_t strand = 0; strand < 7; ++strand) {
        const auto x = curves.strand(strand);
        const Vector3d t = (x[1] - x[0]).normalized();
        const Vector3d across = (wanted[strand] - wanted[strand].dot(t) * t).normalized();
        EXPECT_NEAR((s.directors()[curves.offsets[strand]] - across).norm(), 0.0, 1e-14);
      }
      for (const double turn : s.reference_twists()) EXPECT_NEAR(turn, 0.0, 1e-14);
    }
}

// Directors may be any gauge; reference twists follow from them on the branch nearest to what is asked for.
TEST(State, TakesDirectorsWithTheirTurns) {
  Random random(62);
  Simulation s(describe(one(smooth_strand(random, 6, 0.1, 0.2)), hair(), {Clamp::free, Clamp::free}));
  const std::vector<Vector3d> x = s.positions();
  std::vector<Vector3d> a = s.directors();
  std::vector<double> wanted(6, 0.0);
  for (std::size_t i = 1; i < 5; ++i) {
    a[i] = Eigen::AngleAxisd(0.3 * double(i), (x[i + 1] - x[i]).normalized()) * a[i];
    wanted[i] = 0.3 + 2.0 * pi * double(i);
  }
  ASSERT_TRUE(set_directors(s.strands, a, wanted, s.state));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT((s.directors()[i] - a[i]).norm(), 1e-15);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(s.reference_twists()[i], wanted[i], 1e-12);
}

// Explicit rest data: each kind of strain is the one that was asked for.
TEST(RestState, GivenExplicitlyIsInUse) {
  for (const Isa isa : available_sets()) {
    Random random(63);
    Description d = describe(one(smooth_strand(random, 7, 0.1, 0.2)), hair(), {Clamp::free, Clamp::free});
    const Simulation drawn(d, {}, isa);
    EXPECT_EQ(drawn.energies(Vector3d::Zero()).elastic(), 0.0);  // the drawn pose is at rest to the last bit
    d.reference_length = drawn.strands.reference_lengths();
    d.rest_strain.assign(7, 0.01);
    d.rest_curvature = drawn.strands.rest_curvatures();
    d.rest_twist = drawn.strands.rest_twists();
    for (std::size_t i = 1; i < 6; ++i) d.rest_curvature[i][1] += 0.1, d.rest_twist[i] += 0.2;
    const Simulation given(d, {}, isa);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(given.strands.rest_strains()[i], 0.01);
      EXPECT_EQ(given.strands.reference_lengths()[i], d.reference_length[i]);
    }
    for (std::size_t i = 1; i < 6; ++i) {
      EXPECT_EQ(given.strands.rest_curvatures()[i], d.rest_curvature[i]);
      EXPECT_EQ(given.strands.rest_twists()[i], d.rest_twist[i]);
    }
    const Energies energy = energies(given.rod(), Vector3d::Zero());
    const Rod rod = given.rod();
    double stretch = 0.0, bend = 0.0, twist = 0.0;
    for (int k = 0; k + 1 < 7; ++k) {
      using P = ParameterLayout;
      stretch += 0.5 * rod.parameter(k, P::stretch) * 1e-4 * d.reference_length[std::size_t(k)] / 1.01;
      if (k > 0) bend += 0.5 * rod.parameter(k, P::bend2) * 0.01, twist += 0.5 * rod.parameter(k, P::twist) * 0.04;
    }
    EXPECT_NEAR(energy.stretch, stretch, 1e-12 * stretch);
    EXPECT_NEAR(energy.bend, bend, 1e-11 * bend);
    EXPECT_NEAR(energy.twist, twist, 1e-12 * twist);
  }
}

TEST(RestState, MayBeChangedAndComesBack) {
  for (const Isa isa : available_sets()) {
    Random random(64);
    Curves curves;
    for (int i = 0; i < 5; ++i) append(curves, smooth_strand(random, 4 + random.below(4), 0.1, 0.2));
    Simulation s(describe(curves, hair(), {}), {}, isa);
    const std::size_t n = s.strands.vertex_count();
    RestState rest = s.strands.rest_state();
    for (std::size_t v = 0; v < n; ++v) {
      rest.strain[v] = random.uniform(-0.01, 0.01), rest.twist[v] = random.uniform(-1.0, 1.0);
      rest.curvature[v] = {0.0, 0.0, 0.1 * double(v), 0.0};
      rest.stretch_modulus[v] *= random.uniform(0.5, 2.0);
      rest.bend_modulus[v] *= random.uniform(0.5, 2.0), rest.twist_modulus[v] *= random.uniform(0.5, 2.0);
    }
    ASSERT_TRUE(s.strands.set_rest(rest));
    for (std::size_t strand = 0; strand < s.strands.size(); ++strand)
      for (std::size_t v = s.strands.offset(strand); v + 1 < s.strands.offset(strand + 1); ++v) {
        EXPECT_EQ(s.strands.rest_strains()[v], rest.strain[v]);
        if (v == s.strands.offset(strand)) continue;
        EXPECT_EQ(s.strands.rest_twists()[v], rest.twist[v]);
        EXPECT_EQ(s.strands.rest_curvatures()[v], rest.curvature[v]);
      }
    // As if it had been there from the start.
    Description same = s.strands.description();
    const Simulation fresh(same, {}, isa);
    EXPECT_NEAR(fresh.energies(Vector3d::Zero()).elastic(), s.energies(Vector3d::Zero()).elastic(),
                1e-12 * s.energies(Vector3d::Zero()).elastic());
    rest.strain[3] = -2.0;
    const Status refused = s.strands.set_rest(rest);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), "strand 0, vertex 3: rest strain must be above -1");
  }
}

TEST(Mass, IsThatOfTheMaterialOrAsGiven) {
  Random random(65);
  Description d = describe(one(smooth_strand(random, 7, 0.1, 0.2)), hair(), {});
  const Simulation s(d);
  const std::vector<double> masses = s.strands.masses();
  double length = 0.0, mass = 0.0;
  for (std::size_t i = 0; i + 1 < 7; ++i) length += (d.curves.points[i + 1] - d.curves.points[i]).norm();
  for (const double m : masses) mass += m;
  EXPECT_NEAR(mass, 1300.0 * pi * 40e-6 * 40e-6 * length, 1e-14 * mass);
  EXPECT_NEAR(masses[0], 0.5 * 1300.0 * pi * 40e-6 * 40e-6 * (d.curves.points[1] - d.curves.points[0]).norm(),
              1e-14 * mass);
  d.mass.assign(7, 2e-6);
  EXPECT_EQ(Simulation(d).strands.masses(), d.mass);
}

}  // namespace
}  // namespace tendril::der
