// A sub-step of the world, with motions, holds, loads and retries, does not allocate once the first has grown all it
// needs.
#include <gtest/gtest.h>

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

TEST(WorldSubstep, AllocatesNothingAfterTheFirst) {
  set_thread_count(1);
  for (const char* newton : {"run.newton=1", "run.newton=2", "run.newton='converge'"}) {
    const Result<Scene> scene = parse_scene(text, "scene.toml", {newton});
    ASSERT_TRUE(scene) << scene.error().message();
    const World world = make_world(scene.value()).value();
    WorldState state = start(world);
    WorldWorkspace work;
    for (int i = 0; i < 12; ++i) {
      const long before = support::allocations;
      const SubstepReport report = substep(world, false, true, work, state);
      const long made = support::allocations - before;
      ASSERT_FALSE(report.stopped);
      if (i > 0) {
        EXPECT_EQ(made, 0) << newton << ", sub-step " << i;
      }
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace tendril

#endif
