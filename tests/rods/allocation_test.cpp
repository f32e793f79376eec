// Steps in time do not allocate: drive, step and commit live on what the first ones have grown.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "rods/allocation_counter.hpp"
#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"

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
  const char* name;
  StepOptions options;
  int threads;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool air : {false, true}) {
    StepOptions options;
    if (air) options.air = {1.2, 1.0, 0.02}, options.wind = {1.0, 0.0, 0.0};
    StepOptions three = options, converge = options;
    three.newton = 3, converge.converge = true;
    all.push_back({air ? "EulerAir" : "Euler", options, 1});
    all.push_back({air ? "ThreeAir" : "Three", three, 1});
    all.push_back({air ? "ConvergeAir" : "Converge", converge, 1});
  }
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name) + (info.param.threads == 1 ? "OneThread" : "TwoThreads");
}

class Steps : public testing::TestWithParam<Case> {
 protected:
  ~Steps() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Allocation, Steps, testing::ValuesIn(cases()), case_name);

TEST_P(Steps, AllocateNothingAfterTheFirst) {
  set_thread_count(GetParam().threads);
  Random random(31);
  Curves curves;
  for (int i = 0; i < 200; ++i) append(curves, smooth_strand(random, 3 + random.below(38), 0.1, 0.2));
  Material material = hair();
  material.damping = 1e-3;
  Simulation s(describe(curves, material, {Clamp::edge, Clamp::free}), {{0, 1}, {7, 2, {true, false, false, true}}});
  Drive drive;
  drive.holds.resize(2), drive.hold_angles.resize(2);
  for (int i = 0; i < 20; ++i) {
    drive.root[0].translation.x() = 1e-4 * i;
    const long before = allocations;
    s.strands.drive(drive, s.state, s.targets);
    const StepReport report = s.step(GetParam().options);
    const long made = allocations - before;
    ASSERT_NE(report.outcome, Outcome::failed);
    if (i > 0) {
      EXPECT_EQ(made, 0) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace tendril::der

#endif
