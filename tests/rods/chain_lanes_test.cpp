// Steps of chains in the lane groups of the rods: they end where the general path ends, with exact links, on every
// instruction set, with the same bits in any company, and leave what they cannot take.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/chain/lane_strands.hpp"
#include "tendril/rods/chain/one_step.hpp"

namespace tendril::chain {
namespace {

using namespace der::support;
using der::Clamp;

struct Hair {
  std::vector<Vector3d> points;
  der::Clamps clamps;
  der::Material material;
  std::vector<der::Load> loads;
};

// Of 3 to 22 points, with all roots that lanes take; some are damped, some are loaded.
std::vector<Hair> mixed(std::size_t count, std::optional<Clamp> root = {}) {
  Random random(11);
  std::vector<Hair> all;
  constexpr Clamp roots[] = {Clamp::edge, Clamp::point, Clamp::free};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = 3 + random.below(20);
    Hair one{smooth_strand(random, n, 0.01 * double(n), 0.2), {root.value_or(roots[i % 3]), Clamp::free}, hair(), {}};
    one.material.damping = i % 2 == 1 ? 2e-3 : 0.0;
    if (i % 4 == 3) one.loads.push_back({0, -1, {2e-7, 0.0, 1e-7}, 0.0});
    all.push_back(one);
  }
  return all;
}

// Chains in lanes, and all that their steps need.
struct Crowd {
  der::support::Simulation rods;
  Strands chains;
  LaneStrands lanes;
  Clamped before;
  Ends ends;
  LaneStepper stepper;

  static der::support::Simulation simulate(const std::vector<Hair>& strands, const std::vector<der::Hold>& holds,
                                           Isa isa) {
    der::Description d;
    d.damping.clear(), d.clamps.clear();
    const auto extend = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (const Hair& strand : strands) {
      const der::Description own = der::describe(one(strand.points), strand.material, strand.clamps);
      append(d.curves, strand.points);
      extend(d.semi_axis1, own.semi_axis1), extend(d.semi_axis2, own.semi_axis2), extend(d.density, own.density);
      extend(d.stretch_modulus, own.stretch_modulus), extend(d.bend_modulus, own.bend_modulus);
      extend(d.twist_modulus, own.twist_modulus);
      d.damping.push_back(strand.material.damping), d.clamps.push_back(strand.clamps);
    }
    return der::support::Simulation(d, holds, isa);
  }
  explicit Crowd(const std::vector<Hair>& strands, const std::vector<der::Hold>& holds = {}, Isa isa = active_isa(),
                 const Settings& settings = {})
      : rods(simulate(strands, holds, isa)),
        chains(Strands::create(rods.strands, settings).value()),
        lanes(rods.strands, chains),
        before(drawn_clamps(rods.strands)) {
    for (std::size_t s = 0; s < strands.size(); ++s)
      for (der::Load load : strands[s].loads) {
        load.strand = s;
        EXPECT_TRUE(rods.strands.add_load(load));
        EXPECT_TRUE(chains.add_load(load));
      }
  }

  // Roots swing and turn.
  static std::vector<Pose> roots_at(int step) {
    const double s = std::sin(0.3 * step);
    return {{Eigen::Quaterniond(Eigen::AngleAxisd(0.2 * s, Vector3d(1.0, 2.0, 0.5).normalized())),
             {5e-3 * s, 0.0, 2e-3 * s}}};
  }
  void drive(int step) {
    der::Drive drive;
    drive.root = roots_at(step);
    rods.strands.drive(drive, rods.state, rods.targets);
    read_ends(rods.strands, chains, rods.targets, drive.root, rods.positions(), before, ends);
  }
  int step_in_lanes(const der::StepOptions& options) {
    return stepper.step({rods.strands, chains, lanes, rods.targets, options, before, ends}, rods.state, rods.trial);
  }
  void commit(const der::StepOptions& options) {
    der::commit(rods.trial, options.dt, options.integrator == der::Integrator::bdf2, rods.state);
    before = ends;
  }

  // Where the general path leads from here.
  std::vector<Vector3d> step_in_general(const der::StepOptions& options, std::vector<Vector3d>& v) {
    Motion motion;
    motion.x = rods.positions(), motion.v = rods.velocities();
    Surroundings around;
    around.dt = options.dt, around.gravity = options.gravity, around.previous_dt = rods.state.previous_dt;
    if (der::effective_step(options, rods.state).ratio > 0.0) {
      motion.x_before.resize(motion.x.size()), motion.v_before.resize(motion.x.size());
      der::gather_previous(rods.strands, rods.state, motion.x_before, motion.v_before);
    }
    std::vector<std::size_t> all(chains.size());
    for (std::size_t s = 0; s < all.size(); ++s) all[s] = s;
    std::vector<Vector3d> x(motion.x.size());
    v.resize(x.size());
    OneStep general;
    EXPECT_EQ(general.step_some(all, chains, before, ends, around, motion, x, v).outcome, tendril::Outcome::converged);
    return x;
  }
};

std::vector<der::StepOptions> both_integrators() {
  der::StepOptions euler, bdf2;
  bdf2.integrator = der::Integrator::bdf2;
  return {euler, bdf2};
}

class StepsInLanes : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Sets, StepsInLanes, testing::ValuesIn(available_sets()), set_name);

TEST_P(StepsInLanes, EndWhereTheGeneralPathEndsWithExactLinks) {
  for (const der::StepOptions& options : both_integrators()) {
    Crowd crowd(mixed(13), {}, GetParam());
    std::vector<Vector3d> v;
    for (int i = 1; i <= 30; ++i) {
      crowd.drive(i);
      const std::vector<Vector3d> x = crowd.step_in_general(options, v);
      crowd.step_in_lanes(options);
      EXPECT_TRUE(crowd.stepper.left().empty());
      crowd.commit(options);
      const std::vector<Vector3d> own = crowd.rods.positions(), speed = crowd.rods.velocities();
      for (std::size_t k = 0; k < x.size(); ++k) {
        ASSERT_LT((own[k] - x[k]).norm(), 1e-10) << "vertex " << k << ", step " << i;  // links of 1 cm
        ASSERT_LT((speed[k] - v[k]).norm(), 1e-10 / options.dt * 1.5) << "vertex " << k << ", step " << i;
      }
      EXPECT_LT(largest_stretch(crowd.chains, own), 1e-13);
    }
  }
}

TEST_P(StepsInLanes, ComeAsNearAsTheyAreTold) {
  Settings near, far;
  near.tolerance = 1e-13, far.tolerance = 1e-4;
  Crowd exact(mixed(13), {}, GetParam(), near), rough(mixed(13), {}, GetParam(), far);
  exact.drive(1), rough.drive(1);
  const int many = exact.step_in_lanes({}), few = rough.step_in_lanes({});
  EXPECT_TRUE(exact.stepper.left().empty() && rough.stepper.left().empty());
  EXPECT_LT(few, many);
  exact.commit({}), rough.commit({});
  const std::vector<Vector3d> x = exact.rods.positions(), y = rough.rods.positions();
  double apart = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) apart = std::max(apart, (x[k] - y[k]).norm());
  EXPECT_GT(apart, 0.0);
  EXPECT_LT(apart, 1e-4 * 0.01);  // links of 1 cm
}

TEST_P(StepsInLanes, CarryFramesAsTheGeneralPathDoes) {
  Crowd crowd(mixed(9), {}, GetParam());
  for (int i = 1; i <= 10; ++i) crowd.drive(i), crowd.step_in_lanes({}), crowd.commit({});
  const std::vector<Vector3d> x = crowd.rods.positions(), directors = crowd.rods.directors();
  std::vector<Vector3d> expected(x.size());
  for (std::size_t s = 0; s < crowd.chains.size(); ++s) {
    const std::size_t first = crowd.chains.offset(s), n = crowd.chains.vertices(s);
    crowd.chains.transport(s, std::span(x).subspan(first, n), crowd.before, std::span(expected).subspan(first, n));
    for (std::size_t k = first; k + 1 < first + n; ++k) {
      EXPECT_LT((directors[k] - expected[k]).norm(), 1e-11);
      EXPECT_NEAR(directors[k].norm(), 1.0, 1e-14);
    }
  }
}

// Of all numbers that a strand has in its lane.
std::vector<double> bits_of(const Crowd& crowd, std::size_t strand) {
  using Layout = der::StateLayout;
  const der::Strands::Place place = crowd.rods.strands.place(strand);
  const int lanes = crowd.rods.strands.lanes();
  std::vector<double> out;
  for (std::size_t i = 0; i < crowd.rods.strands.vertices(strand); ++i)
    for (int c = 0; c < Layout::components; ++c)
      out.push_back(crowd.rods.state
                        .current[place.group][der::state_at(place.first + int(i), c, lanes, std::size_t(place.lane))]);
  return out;
}

TEST_P(StepsInLanes, HaveTheSameBitsInAnyCompanyAndForAnyThreads) {
  const std::vector<Hair> strands = mixed(23);
  for (const der::StepOptions& options : both_integrators()) {
    const auto run = [&](const std::vector<Hair>& some) {
      Crowd crowd(some, {}, GetParam());
      for (int i = 1; i <= 12; ++i) crowd.drive(i), crowd.step_in_lanes(options), crowd.commit(options);
      return crowd;
    };
    set_thread_count(1);
    const Crowd all = run(strands);
    set_thread_count(3);
    const Crowd shared = run(strands);
    set_thread_count(0);
    for (std::size_t s = 0; s < strands.size(); ++s) {
      EXPECT_EQ(bits_of(all, s), bits_of(run({strands[s]}), 0)) << "strand " << s;
      EXPECT_EQ(bits_of(all, s), bits_of(shared, s)) << "strand " << s;
    }
  }
}

TEST(StepsInLanesOfSome, LeaveStrandsThatAreHeldElsewhere) {
  std::vector<Hair> strands = mixed(10, Clamp::edge);
  strands[2].clamps.tip = Clamp::edge, strands[7].clamps.tip = Clamp::point;
  const int inside = int(strands[4].points.size()) / 2 + 1;
  Crowd crowd(strands, {{4, inside, {true, true, true, false}}});
  crowd.drive(0);
  crowd.step_in_lanes({});
  const std::vector<std::size_t> left(crowd.stepper.left().begin(), crowd.stepper.left().end());
  EXPECT_EQ(left, (std::vector<std::size_t>{2, 4, 7}));
}

// Among them what stands beyond a tip that is clamped at its point, and is no point.
TEST(StepsInLanesOfSome, KeepAllThatStrandsHaveThatAreLeft) {
  Random random(3);
  std::vector<Hair> strands;
  for (int i = 0; i < 16; ++i) {
    const std::size_t n = i % 4 == 1 ? 11 : 12;
    strands.push_back({smooth_strand(random, n, 0.12, 0.2), {Clamp::edge, Clamp::free}, hair(), {}});
    if (i % 4 == 1) strands.back().clamps.tip = Clamp::point;
  }
  Crowd crowd(strands);
  const auto lanes = std::size_t(crowd.rods.strands.lanes());
  crowd.drive(0);
  crowd.step_in_lanes({});
  const auto left = crowd.stepper.left();
  EXPECT_EQ(left.size(), 4u);
  std::size_t skipped = 0;
  for (std::size_t g = 0; g < crowd.rods.strands.groups().size(); ++g) {
    const auto before = crowd.rods.state.current[g], after = crowd.rods.trial.current[g];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (std::ranges::find(left, crowd.rods.strands.groups()[g].strands[lane]) == left.end()) continue;
      ++skipped;
      for (std::size_t at = lane; at < before.size(); at += lanes) EXPECT_EQ(after[at], before[at]) << at;
    }
  }
  EXPECT_GE(skipped, left.size());
}

TEST(StepsInLanesOfSome, LeaveAStrandWithANumberThatIsNone) {
  Crowd crowd(mixed(11));
  const der::Strands::Place place = crowd.rods.strands.place(5);
  const auto tip = place.first + int(crowd.rods.strands.vertices(5)) - 1;
  crowd.rods.state.current[place.group][der::state_at(tip, der::StateLayout::velocity, crowd.rods.strands.lanes(),
                                                      std::size_t(place.lane))] =
      std::numeric_limits<double>::quiet_NaN();
  crowd.drive(0);
  crowd.step_in_lanes({});
  EXPECT_EQ((std::vector<std::size_t>(crowd.stepper.left().begin(), crowd.stepper.left().end())),
            std::vector<std::size_t>{5});
}

// A hair that stands on its head, in one line with gravity: its slope is zero, and it is no minimum.
TEST(StepsInLanesOfSome, LeaveAStrandThatIsBalancedOnItsRoot) {
  Hair standing{straight_strand(20, 0.2, {0.0, 1.0, 0.0}), {Clamp::point, Clamp::free}, hair(), {}};
  standing.material.young = 1.0;
  Crowd crowd({standing});
  crowd.rods.strands.drive({}, crowd.rods.state, crowd.rods.targets);
  read_ends(crowd.rods.strands, crowd.chains, crowd.rods.targets, std::vector<Pose>{Pose{}}, crowd.rods.positions(),
            crowd.before, crowd.ends);
  der::StepOptions slow;
  slow.dt = 0.1;
  crowd.step_in_lanes(slow);
  EXPECT_EQ(crowd.stepper.left().size(), 1u);
}

}  // namespace
}  // namespace tendril::chain
