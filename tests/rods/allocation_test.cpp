// Steps in time do not allocate: drive, step and commit live on what the first ones have grown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <ostream>
#include <string>

#include "rods/allocation_counter.hpp"
#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/corde/one_step.hpp"
#include "tendril/rods/superhelix/one_step.hpp"

#ifdef TENDRIL_COUNTS_ALLOCATIONS

namespace tendril::der {
namespace {

using namespace support;
using tendril::support::allocations;

TEST(AllocationCounter, SeesNewAndMalloc) {
  const long before = allocations;
  void* volatile a = std::malloc(10);
  void* volatile b = ::operator new(10, std::align_val_t(64));
  EXPECT_GE(allocations - before, 2);
  std::free(a);
  ::operator delete(b, std::align_val_t(64));
}

struct Case {
  std::string name;
  StepOptions options;
  int threads;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int threads : {1, 2})
    for (const Integrator integrator : {Integrator::euler, Integrator::bdf2})
      for (const bool air : {false, true}) {
        StepOptions options;
        options.integrator = integrator;
        if (air) options.air = {1.2, 1.0, 0.02}, options.wind = {1.0, 0.0, 0.0};
        StepOptions three = options, converge = options;
        three.newton = 3, converge.converge = true;
        const std::string scheme = integrator == Integrator::bdf2 ? "Bdf2" : "Euler", medium = air ? "Air" : "";
        all.push_back({scheme + "Once" + medium, options, threads});
        all.push_back({scheme + "Three" + medium, three, threads});
        all.push_back({scheme + "Converge" + medium, converge, threads});
      }
  return all;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name << ", " << c.threads << " threads"; }
std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name + (info.param.threads == 1 ? "OneThread" : "TwoThreads");
}

class Steps : public testing::TestWithParam<Case> {
 protected:
  ~Steps() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Allocation, Steps, testing::ValuesIn(cases()), case_name);

// BDF2 grows for a step longer: the first keeps the state that it replaces, so the second makes another for its trial.
TEST_P(Steps, AllocateNothingAfterTheFirst) {
  set_thread_count(GetParam().threads);
  Random random(31);
  Curves curves;
  for (int i = 0; i < 200; ++i) append(curves, smooth_strand(random, 3 + random.below(38), 0.1, 0.2));
  Material material = hair();
  material.damping = 1e-3;
  Simulation s(describe(curves, material, {Clamp::edge, Clamp::free}), {{0, 2}, {7, 2, {true, false, false, true}}});
  Drive drive;
  drive.holds.resize(2), drive.hold_angles.resize(2);
  const int warm_up = GetParam().options.integrator == Integrator::bdf2 ? 1 : 0;
  // On a busy machine the second thread may come late: then it goes on until that has worked, too.
  const auto all_took_part = [&] {
    return std::ranges::none_of(s.work.threads, [](const GroupScratch& scratch) { return scratch.slots.empty(); });
  };
  for (int i = 0; i < 20 || (i < 2000 && !all_took_part()); ++i) {
    drive.root[0].translation.x() = 1e-4 * i;
    const long before = allocations;
    s.strands.drive(drive, s.state, s.targets);
    const StepReport report = s.step(GetParam().options);
    const long made = allocations - before;
    ASSERT_NE(report.outcome, Outcome::failed);
    if (i > warm_up) {
      EXPECT_EQ(made, 0) << "step " << i;
    }
  }
  EXPECT_EQ(s.work.threads.size(), std::size_t(GetParam().threads));
  EXPECT_TRUE(all_took_part());
}

// The models that come after rods: a whole step through the one-step contract, on the memory of the first.
Description some_hairs() {
  Random random(32);
  Curves curves;
  for (int i = 0; i < 30; ++i) append(curves, smooth_strand(random, 8 + random.below(20), 0.1, 0.1));
  Material material = hair();
  material.damping = 1e-3;
  return describe(curves, material, {Clamp::edge, Clamp::free});
}

TEST(SuperHelixSteps, AllocateNothingAfterTheFirst) {
  set_thread_count(1);
  const Result<superhelix::Strands> made = superhelix::Strands::create(some_hairs());
  ASSERT_TRUE(made);
  const superhelix::Strands& strands = made.value();
  superhelix::State state = strands.start(), trial;
  superhelix::Workspace work;
  std::vector<Pose> targets;
  Pose pose;
  for (int i = 0; i < 10; ++i) {
    pose.translation.x() = 1e-4 * i;
    const long before = allocations;
    strands.drive(std::span(&pose, 1), targets);
    const superhelix::StepOptions options;
    ASSERT_NE(superhelix::step(strands, targets, options, state, work, trial).outcome, Outcome::failed);
    state.swap(trial);
    if (i > 1) {
      EXPECT_EQ(allocations - before, 0) << "step " << i;
    }
  }
  set_thread_count(0);
}

TEST(CordeSteps, AllocateNothingAfterTheFirst) {
  set_thread_count(1);
  const Result<corde::Strands> made = corde::Strands::create(some_hairs());
  ASSERT_TRUE(made);
  const corde::Strands& strands = made.value();
  corde::State state = strands.start(), trial;
  corde::Workspace work;
  std::vector<corde::Target> targets;
  Pose pose;
  for (int i = 0; i < 10; ++i) {
    pose.translation.x() = 1e-4 * i;
    const long before = allocations;
    strands.drive(std::span(&pose, 1), targets);
    const corde::StepOptions options;
    ASSERT_NE(corde::step(strands, targets, options, state, work, trial).outcome, Outcome::failed);
    state.swap(trial);
    if (i > 1) {
      EXPECT_EQ(allocations - before, 0) << "step " << i;
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace tendril::der

#endif
