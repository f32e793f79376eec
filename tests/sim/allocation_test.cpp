// A sub-step of the world, with motions, holds, loads and retries, does not allocate once the first has grown all it
// needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "rods/allocation_counter.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/sim/step.hpp"

#ifdef TENDRIL_COUNTS_ALLOCATIONS

namespace tendril {
namespace {

constexpr const char* text = R"(
[run]
frames = 6
air = { density = "1.2 kg/m3" }
[[strands]]
name = "hair"
source = { generator = "curly", count = 40, vertices = 20 }
motion = [{ sine = [0.01, 0, 0], frequency = "4 Hz" }, { rotate = [0, 1, 0], angle = "10 deg", frequency = "2 Hz" }]
[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 9, length = "0.3 m" }
material = { preset = "cotton-rope" }
)";

struct Case {
  const char *name, *integrator;
  int threads;
  int growing;  // sub-steps; BDF2 needs one more for its history
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class WorldSubstep : public testing::TestWithParam<Case> {
 protected:
  ~WorldSubstep() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Allocation, WorldSubstep,
                         testing::Values(Case{"EulerOneThread", "run.integrator='euler'", 1, 1},
                                         Case{"EulerTwoThreads", "run.integrator='euler'", 2, 1},
                                         Case{"Bdf2OneThread", "run.integrator='bdf2'", 1, 2},
                                         Case{"Bdf2TwoThreads", "run.integrator='bdf2'", 2, 2}),
                         case_name);

TEST_P(WorldSubstep, AllocatesNothingAfterTheFirst) {
  set_thread_count(GetParam().threads);
  for (const char* newton : {"run.newton=1", "run.newton=2", "run.newton='converge'"}) {
    const Result<Scene> scene = parse_scene(text, "scene.toml", {newton, GetParam().integrator});
    ASSERT_TRUE(scene) << scene.error().message();
    const World world = make_world(scene.value()).value();
    WorldState state = start(world);
    WorldWorkspace work;
    // On a busy machine the second thread may come late: then it goes on until that has worked, too.
    const auto all_took_part = [&] {
      return std::ranges::none_of(work.strands.threads,
                                  [](const der::GroupScratch& scratch) { return scratch.slots.empty(); });
    };
    for (int i = 0; i < 12 || (i < 2000 && !all_took_part()); ++i) {
      const long before = support::allocations;
      const SubstepReport report = substep(world, false, true, work, state);
      const long made = support::allocations - before;
      ASSERT_FALSE(report.stopped);
      if (i >= GetParam().growing) {
        EXPECT_EQ(made, 0) << newton << ", sub-step " << i;
      }
    }
    EXPECT_EQ(work.strands.threads.size(), std::size_t(GetParam().threads));
    EXPECT_TRUE(all_took_part());
  }
}

// Models of strands, in lanes and out of them, with all that links and joints of chains may do.
struct ModelCase {
  const char *name, *keys;
};
void PrintTo(const ModelCase& c, std::ostream* out) { *out << c.name; }

class ModelSubstep : public testing::TestWithParam<ModelCase> {
 protected:
  ~ModelSubstep() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(
    Allocation, ModelSubstep,
    testing::Values(ModelCase{"Chain", "model = 'chain'"},  //
                    ModelCase{"LimpChain", "model = 'chain'\nchain = { bending = 0 }"},
                    ModelCase{"HeldChain", "model = 'chain'\nchain = { bending = 0 }\nholds = [{ vertex = 9 }]"},
                    ModelCase{"HeldBentChain", "model = 'chain'\nholds = [{ vertex = 9 }]"},
                    ModelCase{"CompliantChain", "model = 'chain'\nchain = { compliance = 1e-3 }"},
                    ModelCase{"SlackChain", "model = 'chain'\nchain = { slack = true }"},
                    ModelCase{"Tree", "model = 'chain'\nparent = [{ strand = 1, of = 0, vertex = 7 }]"},
                    ModelCase{"ChainByPbd", "model = 'chain'\nchain = { bending = 0, method = 'pbd' }"},
                    ModelCase{"ChainByBand", "model = 'chain'\nchain = { bending = 0, method = 'kkt' }"},
                    ModelCase{"Inextensible", "model = 'der-inextensible'"},
                    ModelCase{"SuperHelix", "model = 'superhelix'"}, ModelCase{"Corde", "model = 'corde'"}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(ModelSubstep, AllocatesNothingAfterTheFirst) {
  set_thread_count(1);
  const bool is_tree = std::string_view(GetParam().keys).find("parent") != std::string_view::npos;
  const std::string source = is_tree ? R"({ points = [[[0, 0, 0], [0, -0.01, 0], [0, -0.02, 0], [0, -0.03, 0],
  [0, -0.04, 0], [0, -0.05, 0], [0, -0.06, 0], [0, -0.07, 0], [0, -0.08, 0]],
  [[0, -0.07, 0], [0.01, -0.07, 0], [0.02, -0.07, 0], [0.03, -0.07, 0]]] })"
                                     : "{ generator = 'curly', count = 40, vertices = 20 }";
  const Result<Scene> scene =
      parse_scene("[run]\nframes = 6\n[[strands]]\nname = 'hair'\nsource = " + source +
                      "\nmotion = { sine = [0.01, 0, 0], frequency = '4 Hz' }\n" + GetParam().keys + "\n",
                  "scene.toml", {});
  ASSERT_TRUE(scene) << scene.error().message();
  const World world = make_world(scene.value()).value();
  WorldState state = start(world);
  WorldWorkspace work;
  for (int i = 0; i < 12; ++i) {
    const long before = support::allocations;
    const SubstepReport report = substep(world, false, true, work, state);
    const long made = support::allocations - before;
    ASSERT_FALSE(report.stopped);
    if (i > 1) {
      EXPECT_EQ(made, 0) << "sub-step " << i;
    }
  }
}

}  // namespace
}  // namespace tendril

#endif
