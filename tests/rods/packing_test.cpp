// A strand does not notice its company: lanes, padding, order, threads and scratch memory leave no trace in its bits,
// and every instruction set agrees with plain doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"

namespace tendril::der {
namespace {

using namespace support;

struct RestoreThreads {
  ~RestoreThreads() { set_thread_count(0); }
};

// One strand with all that belongs to it.
struct Strand {
  std::vector<Vector3d> points;
  Material material;
  Clamps clamps;
  std::vector<Hold> holds;
  std::vector<Load> loads;
};

struct Mode {
  const char* name;
  StepOptions options;
};
std::vector<Mode> modes() {
  StepOptions euler, three, converged, bdf2, air;
  for (StepOptions* o : {&euler, &three, &converged, &bdf2, &air}) o->dt = 1.0 / 240.0;
  three.newton = 3;
  converged.converge = true;
  bdf2.integrator = Integrator::bdf2;
  air.air = {1.2, 1.0, 0.02}, air.wind = {2.0, 0.5, -1.0}, air.converge = true;
  return {{"euler", euler}, {"three iterations", three}, {"converged", converged}, {"bdf2", bdf2}, {"air", air}};
}

// Lengths from 2 to 40 vertices, round and flat, damped and not, all clamps, some with holds and loads.
std::vector<Strand> mixed_strands(Random& random, std::size_t count, std::optional<std::size_t> vertices = {}) {
  std::vector<Strand> all;
  for (std::size_t i = 0; i < count; ++i) {
    Strand s;
    const std::size_t n = vertices.value_or(2 + random.below(39));
    s.points = smooth_strand(random, n, 0.004 * double(n), 0.25);
    if (i % 5 == 2) s.material.aspect = 0.7;
    if (i % 3 == 1) s.material.damping = 1e-3;
    const Clamps clamps[] = {{Clamp::edge, Clamp::free},  {Clamp::point, Clamp::free}, {Clamp::free, Clamp::free},
                             {Clamp::edge, Clamp::point}, {Clamp::free, Clamp::edge},  {Clamp::point, Clamp::point}};
    s.clamps = clamps[i % 6];
    if (n > 5 && i % 4 == 0) s.holds.push_back({0, 3, {true, false, false, true}});
    if (n > 5 && i % 7 == 3) s.loads.push_back({0, 2, {1e-7, 0.0, -2e-7}, 1e-12});
    all.push_back(s);
  }
  return all;
}

Simulation together(const std::vector<Strand>& strands, Isa isa) {
  Description d;
  d.damping.clear(), d.clamps.clear();
  std::vector<Hold> holds;
  const auto extend = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t i = 0; i < strands.size(); ++i) {
    const Description one_of = describe(one(strands[i].points), strands[i].material, strands[i].clamps);
    append(d.curves, strands[i].points);
    extend(d.semi_axis1, one_of.semi_axis1), extend(d.semi_axis2, one_of.semi_axis2);
    extend(d.density, one_of.density), extend(d.stretch_modulus, one_of.stretch_modulus);
    extend(d.bend_modulus, one_of.bend_modulus), extend(d.twist_modulus, one_of.twist_modulus);
    d.damping.push_back(strands[i].material.damping), d.clamps.push_back(strands[i].clamps);
    for (Hold hold : strands[i].holds) hold.strand = i, holds.push_back(hold);
  }
  Simulation s(d, holds, isa);
  for (std::size_t i = 0; i < strands.size(); ++i)
    for (Load load : strands[i].loads) {
      load.strand = i;
      EXPECT_TRUE(s.strands.add_load(load));
    }
  return s;
}

// All numbers of a strand's state.
std::vector<double> bits_of(const Strands& strands, const State& state, std::size_t strand) {
  const Strands::Place place = strands.place(strand);
  std::vector<double> out;
  const auto w = std::size_t(strands.lanes());
  for (std::size_t i = 0; i < strands.vertices(strand) * StateLayout::components; ++i)
    out.push_back(state.current[place.group][(std::size_t(place.first) * StateLayout::components + i) * w +
                                             std::size_t(place.lane)]);
  return out;
}

// Shakes the roots a little, so that clamps and holds have somewhere to go.
Drive shaken_roots(int step) {
  Drive drive;
  const double s = std::sin(0.3 * step);
  const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(0.05 * s, Vector3d(1, 1, 0).normalized())), {1e-3 * s, 0, 0}};
  drive.root = {pose}, drive.tip = {pose};
  return drive;
}

void run_shaken(const StepOptions& options, int steps, Simulation& s) {
  for (int i = 1; i <= steps; ++i) {
    Drive drive = shaken_roots(i);
    drive.holds.assign(s.strands.holds().size(), drive.root[0]);
    drive.hold_angles.assign(s.strands.holds().size(), 0.02 * i);
    const StepReport report = s.step(options, drive);
    ASSERT_NE(report.outcome, Outcome::failed)
        << "step " << i << ", strand " << report.strand << ": " << text(report.trouble);
  }
}

class EverySet : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Packing, EverySet, testing::ValuesIn(available_sets()), set_name);

// Runs strands together, in another order, and each alone.
void expect_same_bits(const std::vector<Strand>& strands, const StepOptions& options, Isa isa, Random& random) {
  constexpr int steps = 8;
  Simulation all = together(strands, isa);
  run_shaken(options, steps, all);
  std::vector<std::size_t> order(strands.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.below(i + 1)]);
  std::vector<Strand> shuffled;
  for (const std::size_t i : order) shuffled.push_back(strands[i]);
  Simulation other = together(shuffled, isa);
  run_shaken(options, steps, other);
  for (std::size_t i = 0; i < strands.size(); ++i) {
    Simulation alone = together({strands[order[i]]}, isa);
    run_shaken(options, steps, alone);
    const std::vector<double> bits = bits_of(alone.strands, alone.state, 0);
    EXPECT_EQ(bits, bits_of(all.strands, all.state, order[i])) << "strand " << order[i] << " in its group";
    EXPECT_EQ(bits, bits_of(other.strands, other.state, i)) << "strand " << order[i] << " in another order";
  }
}

TEST_P(EverySet, StrandsOfOneLengthHaveTheSameBitsAloneAndInAnyOrder) {
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    Random random(20);
    std::vector<Strand> strands = mixed_strands(random, 19, 17);
    for (Strand& s : strands) s.clamps = {};  // a point clamp makes a strand longer by its ghost
    expect_same_bits(strands, mode.options, GetParam(), random);
  }
}

TEST_P(EverySet, StrandsOfManyLengthsHaveTheSameBitsAloneAndInAnyOrder) {
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    Random random(21);
    expect_same_bits(mixed_strands(random, 37), mode.options, GetParam(), random);
  }
}

TEST_P(EverySet, PositionsComeBackInTheUsersOrder) {
  Random random(22);
  const std::vector<Strand> strands = mixed_strands(random, 23);
  const Simulation s = together(strands, GetParam());
  const std::vector<Vector3d> x = s.positions();
  for (std::size_t i = 0; i < strands.size(); ++i)
    for (std::size_t v = 0; v < strands[i].points.size(); ++v)
      EXPECT_EQ(x[s.strands.offset(i) + v], strands[i].points[v]);
}

// The sets may differ by round-off. Converged steps stop at the first iterate within the rounding noise of the
// residual, 1e-6 of a hair's load, and that may be one iteration apart: they are held to what such a residual moves.
TEST_P(EverySet, FollowsThePlainDoublesOverManySteps) {
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    Random random(23);
    std::vector<Strand> strands;
    for (int i = 0; i < 9; ++i) strands.push_back({smooth_strand(random, 30, 0.2, 0.3), hair(), {}, {}, {}});
    strands[4].material.aspect = 0.6;
    Simulation ours = together(strands, GetParam()), plain = together(strands, Isa::reference);
    StepOptions options = mode.options;
    options.dt = 1e-3;
    ours.run(options, 30), plain.run(options, 30);
    const std::vector<Vector3d> x = ours.positions(), y = plain.positions(), v = ours.velocities(),
                                u = plain.velocities(), a = ours.directors(), b = plain.directors();
    const std::vector<double> turn = ours.thetas(), plain_turn = plain.thetas();
    double moved = 0.0, off = 0.0, off_speed = 0.0, off_frame = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      off = std::max(off, (x[i] - y[i]).norm()), off_speed = std::max(off_speed, (v[i] - u[i]).norm());
      off_frame = std::max({off_frame, std::abs(turn[i] - plain_turn[i]), (a[i] - b[i]).norm()});
      moved = std::max(moved, (y[i] - plain.strands.description().curves.points[i]).norm());
    }
    EXPECT_GT(moved, 2e-3);
    const double unit = options.converge ? 1e-10 : 1e-12;
    EXPECT_LT(off, unit);
    EXPECT_LT(off_speed, 100.0 * unit);
    EXPECT_LT(off_frame, 100.0 * unit);
  }
}

// Not a number in one lane: the step fails and names the strand, and its neighbours are as they would be without it.
TEST_P(EverySet, AStrandThatExplodesLeavesItsNeighboursAlone) {
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    Random random(24);
    std::vector<Strand> strands;
    for (int i = 0; i < 17; ++i) strands.push_back({smooth_strand(random, 20, 0.1, 0.2), hair(), {}, {}, {}});
    Simulation calm = together(strands, GetParam()), wild = together(strands, GetParam());
    calm.run(mode.options, 2), wild.run(mode.options, 2);
    const std::size_t bad = 5;
    const Strands::Place place = wild.strands.place(bad);
    const auto w = std::size_t(wild.strands.lanes());
    wild.state.current[place.group][std::size_t(7 * StateLayout::components + StateLayout::velocity) * w +
                                    std::size_t(place.lane)] = std::numeric_limits<double>::quiet_NaN();
    const std::uint64_t before = hash(wild.strands, wild.state);
    const StepReport report = wild.step(mode.options);
    EXPECT_EQ(report.outcome, Outcome::failed);
    EXPECT_EQ(report.trouble, Trouble::not_finite);
    EXPECT_EQ(report.strand, bad);
    EXPECT_EQ(report.troubled, 1u);
    EXPECT_EQ(hash(wild.strands, wild.state), before) << "a failed step must not touch the state";
    if (std::string(mode.name) != "euler") continue;  // iterations of a group end when one of its strands has failed
    ASSERT_EQ(calm.try_step(mode.options).outcome, Outcome::converged);
    for (std::size_t i = 0; i < strands.size(); ++i)
      if (i != bad) {
        EXPECT_EQ(bits_of(calm.strands, calm.trial, i), bits_of(wild.strands, wild.trial, i)) << "strand " << i;
      }
  }
}

TEST_P(EverySet, HashIsTheSameForEveryThreadCount) {
  const RestoreThreads restore;
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 3}) {
      set_thread_count(threads);
      Random random(26);
      Simulation s = together(mixed_strands(random, 61), GetParam());
      run_shaken(mode.options, 6, s);
      hashes.push_back(hash(s.strands, s.state));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
}

void poison(std::span<double> stream) {
  std::fill(stream.begin(), stream.end(), std::numeric_limits<double>::quiet_NaN());
}

TEST_P(EverySet, WorkspaceMayBePoisonedBetweenSteps) {
  for (const Mode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    Random random(27);
    const std::vector<Strand> strands = mixed_strands(random, 13);
    Simulation clean = together(strands, GetParam()), dirty = together(strands, GetParam());
    for (int i = 0; i < 6; ++i) {
      ASSERT_NE(clean.step(mode.options).outcome, Outcome::failed);
      ASSERT_NE(dirty.step(mode.options).outcome, Outcome::failed);
      for (GroupScratch& t : dirty.work.threads)
        for (Stream* stream : {&t.slots, &t.increment, &t.target_velocity, &t.iterate, &t.trial, &t.residual,
                               &t.parameters, &t.strains, &t.drag, &t.tension, &t.next_tension})
          poison(*stream);
      poison(dirty.trial.current.all());
      dirty.work.groups.assign(1, StepReport{Outcome::failed, Trouble::fold_back, 3, 4, 5, 6, 7.0});
    }
    EXPECT_EQ(hash(clean.strands, clean.state), hash(dirty.strands, dirty.state));
    dirty.work = {}, dirty.trial = {};
    ASSERT_NE(clean.step(mode.options).outcome, Outcome::failed);
    ASSERT_NE(dirty.step(mode.options).outcome, Outcome::failed);
    EXPECT_EQ(hash(clean.strands, clean.state), hash(dirty.strands, dirty.state));
  }
}

// What tells states apart must do so: one bit anywhere, or two strands exchanged.
TEST(StateHash, SeesEveryValue) {
  Random random(28);
  Simulation s = together({{smooth_strand(random, 5, 0.1, 0.2), hair(), {}, {}, {}},
                           {smooth_strand(random, 5, 0.1, 0.2), hair(), {}, {}, {}}},
                          Isa::reference);
  const std::uint64_t before = hash(s.strands, s.state);
  for (double& value : s.state.current.all()) {
    const double saved = value;
    value = std::nextafter(value, 2.0);
    EXPECT_NE(hash(s.strands, s.state), before);
    value = saved;
  }
  EXPECT_EQ(hash(s.strands, s.state), before);
}

// A repeated lane is scratch: filling up a group counts for nothing in reports and energies.
TEST(RepeatedLanes, CountOnce) {
  Random random(29);
  const std::vector<Strand> strand = {{smooth_strand(random, 20, 0.1, 0.2), hair(), {}, {}, {}}};
  std::vector<double> energy;
  for (const Isa isa : available_sets()) {
    Simulation s = together(strand, isa);
    s.run({}, 5);
    energy.push_back(s.energies({0.0, -9.81, 0.0}).total());
  }
  for (const double e : energy) EXPECT_NEAR(e, energy[0], 1e-10 * std::abs(energy[0]));
}

}  // namespace
}  // namespace tendril::der
