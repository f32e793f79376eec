// Air: drag per cylinder segment, (rho/2) C_n d l |u_n| u_n across and (rho/2) C_t pi d l |u_t| u_t along the strand.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rods.hpp"

namespace tendril::der {
namespace {

using namespace support;

const Air air = {1.2, 1.1, 0.03};
constexpr double length = 0.1, radius = 40e-6, density = 1300.0;
constexpr double mass = density * pi * radius * radius * length;

Simulation free_rod(const Vector3d& along, Isa isa, double aspect = 1.0) {
  Material m = hair();
  m.aspect = aspect;
  return Simulation(describe(one(straight_strand(9, length, along)), m, {Clamp::free, Clamp::free}), {}, isa);
}

TEST(Drag, BalancesTheWeightAtTerminalVelocity) {
  for (const Isa isa : available_sets()) {
    StepOptions options;
    options.air = air;
    Simulation across = free_rod(Vector3d::UnitX(), isa), flat = free_rod(Vector3d::UnitX(), isa, 0.5),
               upright = free_rod(Vector3d::UnitY(), isa);
    for (Simulation* s : {&across, &flat, &upright}) s->run(options, 6000);
    const double half = 0.5 * air.density * 2.0 * radius * length;
    const double fall = std::sqrt(mass * 9.81 / (half * air.normal)),
                 slip = std::sqrt(mass * 9.81 / (half * air.tangential * pi));
    // A flat section of half the height has half the weight, and shows the air its mean diameter.
    const double flat_fall = std::sqrt(0.5 * mass * 9.81 / (0.75 * half * air.normal));
    for (const Vector3d& v : across.velocities()) EXPECT_LT((v - Vector3d(0, -fall, 0)).norm(), 1e-7 * fall);
    for (const Vector3d& v : flat.velocities()) EXPECT_LT((v - Vector3d(0, -flat_fall, 0)).norm(), 1e-7 * flat_fall);
    for (const Vector3d& v : upright.velocities()) EXPECT_LT((v - Vector3d(0, -slip, 0)).norm(), 1e-7 * slip);
    EXPECT_GT(slip, 2.0 * fall);
  }
}

// Quadratic drag: the slip falls as u / (1 + u t c), and the step with the drag matrix of its start is exact for that.
TEST(Drag, CarriesAFreeStrandToTheSpeedOfTheWind) {
  for (const bool converge : {false, true}) {
    Simulation s = free_rod(Vector3d::UnitX(), active_isa());
    StepOptions options;
    options.gravity.setZero(), options.air = air, options.wind = {0.0, 2.0, -1.5}, options.converge = converge;
    s.run(options, 240);
    const double rate = 0.5 * air.density * air.normal * 2.0 * radius * length / mass, speed = 2.5;
    const Vector3d expected = options.wind * (1.0 - 1.0 / (1.0 + rate * speed * 1.0));
    for (const Vector3d& v : s.velocities()) EXPECT_LT((v - expected).norm(), 1e-9 * speed);
    s.run(options, 24000);
    for (const Vector3d& v : s.velocities()) EXPECT_LT((v - options.wind).norm(), 0.01 * speed);
  }
}

TEST(Drag, PushesAnObliqueRodByItsTwoCoefficients) {
  for (const Isa isa : available_sets()) {
    const Vector3d along = Vector3d(1, 2, -1).normalized(), wind(0.3, -0.7, 1.1);
    Simulation s = free_rod(along, isa);
    StepOptions options;
    options.dt = 1e-8;  // a push, not yet a motion
    options.gravity.setZero(), options.air = air, options.wind = wind;
    s.run(options, 1);
    const Vector3d tangential = wind.dot(along) * along, normal = wind - tangential;
    const Vector3d force = 0.5 * air.density * 2.0 * radius * length *
                           (air.normal * normal.norm() * normal + pi * air.tangential * tangential.norm() * tangential);
    for (const Vector3d& v : s.velocities())
      EXPECT_LT((v / options.dt - force / mass).norm(), 1e-5 * force.norm() / mass);
  }
}

TEST(Drag, NeverAddsEnergyWithoutWind) {
  for (const bool converge : {false, true}) {
    Random random(81);
    Description d = describe(one(smooth_strand(random, 20, 0.2, 0.3)), hair(), {Clamp::free, Clamp::free});
    d.rest_curvature.assign(20, {});
    Simulation s(d), vacuum(d);
    std::vector<Vector3d> velocity;
    for (int i = 0; i < 20; ++i) velocity.push_back(Vector3d(1.0, 0.0, 0.0) + 0.1 * random_vector(random));
    ASSERT_TRUE(set_velocities(s.strands, velocity, s.state));
    ASSERT_TRUE(set_velocities(vacuum.strands, velocity, vacuum.state));
    StepOptions options;
    options.dt = 1e-3, options.gravity.setZero(), options.converge = converge;
    vacuum.run(options, 100);
    options.air = air;
    double energy = s.energies(Vector3d::Zero()).total();
    for (int i = 0; i < 100; ++i) {
      s.run(options, 1);
      const double now = s.energies(Vector3d::Zero()).total();
      if (converge) {
        EXPECT_LT(now, energy * (1.0 + 1e-6)) << "step " << i;
      }
      energy = now;
    }
    EXPECT_LT(energy, 0.9 * vacuum.energies(Vector3d::Zero()).total());
  }
}

// Held vertices take their share of the drag to the clamp: it must not show in the motion of the rest.
TEST(Drag, ActsOnClampedStrandsToo) {
  Simulation s(describe(one(straight_strand(12, length, -Vector3d::UnitY())), hair(), {}));
  StepOptions options;
  options.air = air, options.wind = {3.0, 0.0, 0.0};
  s.run(options, 2400);
  EXPECT_GT(s.positions().back().x(), 0.02);  // blown aside
  EXPECT_LT(s.velocities().back().norm(), 1e-4);
  EXPECT_EQ(s.positions()[1], Vector3d(0.0, -length / 11.0, 0.0));
}

}  // namespace
}  // namespace tendril::der
