// Hair that has come to rest on a body stays: what friction holds does not creep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/simulations.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double head_radius = 0.1, dt = 1.0 / 240.0, gravity = 9.81;  // [m], [s], [m/s2]

// Free hairs across the top of a ball, some over others: nothing but friction holds them.
std::string hair_on_a_ball(double tolerance) {
  return fmt::format(R"(
[run]
duration = "10 s"
fps = 60
substeps = 4
[[strands]]
name = "hair"
source = {{ points = [
  [[-0.06, 0.1001, 0], [-0.04, 0.1001, 0], [-0.02, 0.1001, 0], [0, 0.1001, 0], [0.02, 0.1001, 0], [0.04, 0.1001, 0], [0.06, 0.1001, 0]],
  [[0.003, 0.1003, -0.06], [0.003, 0.1003, -0.04], [0.003, 0.1003, -0.02], [0.003, 0.1003, 0], [0.003, 0.1003, 0.02], [0.003, 0.1003, 0.04], [0.003, 0.1003, 0.06]],
  [[-0.045, 0.1005, -0.04], [-0.03, 0.1005, -0.027], [-0.015, 0.1005, -0.013], [0, 0.1005, 0], [0.015, 0.1005, 0.013], [0.03, 0.1005, 0.027], [0.045, 0.1005, 0.04]]] }}
material = {{ preset = "human-hair", radius = "50 um", damping = "20 ms" }}
clamp = "free"
[contact]
friction = 0.5
tolerance = {}
[[colliders]]
name = "head"
shape = {{ sphere = {} }}
)",
                     tolerance, head_radius);
}

// Of all vertices, over the next second: what still swings a little does not count as creep.
std::vector<Vector3d> mean_positions(Simulation& simulation) {
  constexpr int steps = 240;
  std::vector<Vector3d> mean(simulation.positions().size(), Vector3d::Zero());
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(simulation.step());
    const std::vector<Vector3d> x = simulation.positions();
    for (std::size_t v = 0; v < x.size(); ++v) mean[v] += x[v] / steps;
  }
  return mean;
}

// A solver may leave of each contact what its tolerance is of the speed without contact, and for what is at rest that
// is g dt: so fast may a contact slide that ought to stick. At 1e-6 that is 4e-7 of the ball's radius in a second.
TEST(HairAtRest, DoesNotCreepOnABall) {
  for (const double tolerance : {1e-4, 1e-6}) {
    SCOPED_TRACE(tolerance);
    Simulation s = support::simulation_of(hair_on_a_ball(tolerance));
    for (int i = 0; i < 4 * 240; ++i) ASSERT_TRUE(s.step());
    const std::vector<Vector3d> then = mean_positions(s);
    for (int i = 0; i < 3 * 240; ++i) ASSERT_TRUE(s.step());
    const std::vector<Vector3d> now = mean_positions(s);
    double creep = 0.0;  // [m/s], of the vertex that goes fastest
    for (std::size_t v = 0; v < now.size(); ++v) creep = std::max(creep, (now[v] - then[v]).norm() / 4.0);
    EXPECT_LT(creep, tolerance * gravity * dt);
    EXPECT_GT(then[3].y(), head_radius);  // it has not slid off
  }
}

}  // namespace
}  // namespace tendril
