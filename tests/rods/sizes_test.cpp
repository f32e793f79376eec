// From two vertices to five thousand, from hair to cable: every step stays finite and every edge keeps its length.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rods.hpp"

namespace tendril::der {
namespace {

using namespace support;

bool finite(const State& state) {
  return std::ranges::all_of(state.current.all(), [](double v) { return std::isfinite(v); });
}

std::vector<Clamps> all_clamps() {
  std::vector<Clamps> all;
  for (const Clamp root : {Clamp::free, Clamp::edge, Clamp::point})
    for (const Clamp tip : {Clamp::free, Clamp::edge, Clamp::point}) all.push_back({root, tip});
  return all;
}

std::vector<StepOptions> all_options() {
  StepOptions euler, three, converge, bdf2;
  three.newton = 3, converge.converge = true, bdf2.integrator = Integrator::bdf2;
  converge.air = {1.2, 1.0, 0.02};
  return {euler, three, converge, bdf2};
}

TEST(ShortStrand, LivesWithEveryClamp) {
  for (const Isa isa : available_sets())
    for (const Material& material : {hair(), cable()})
      for (const std::size_t n : {2u, 3u, 4u})
        for (const Clamps& clamps : all_clamps())
          for (const StepOptions& options : all_options()) {
            SCOPED_TRACE(testing::Message() << isa_name(isa) << ", " << n << " vertices, clamps " << int(clamps.root)
                                            << int(clamps.tip) << ", newton " << options.newton);
            Simulation s(describe(one(straight_strand(n, 0.01 * double(n), Vector3d::UnitX())), material, clamps), {},
                         isa);
            s.run(options, 30);
            ASSERT_TRUE(finite(s.state));
            EXPECT_LT(largest_stretch(s.strands, s.targets, s.state), 0.05);
            const double fall = s.positions()[n - 1].y();
            // A free strand falls, one with both vertices of its only edge held cannot.
            if (clamps.root == Clamp::free && clamps.tip == Clamp::free && options.air.density == 0.0) {
              EXPECT_NEAR(fall, -0.5 * 9.81 * 0.125 * 0.125, 0.1 * 0.08);
            }
            if (n == 2 && (clamps.root == Clamp::edge || clamps.tip == Clamp::edge)) {
              EXPECT_EQ(fall, 0.0);
            }
          }
}

// Free fall is exact in a linearly implicit step: y_n = -g dt^2 n (n + 1) / 2, and the strand keeps its shape but for
// what the rounding of positions does to a stiff thin hair (1e-6 of its weight as a force).
TEST(FreeStrand, FallsAsGalileoSaid) {
  for (const std::size_t n : {2u, 3u, 17u}) {
    Random random(51);
    Simulation s(describe(one(smooth_strand(random, n, 0.1, 0.3)), hair(), {Clamp::free, Clamp::free}));
    const std::vector<Vector3d> start = s.positions();
    const StepOptions options;
    s.run(options, 60);
    const double fall = -9.81 * options.dt * options.dt * 60.0 * 61.0 / 2.0;
    for (std::size_t i = 0; i < n; ++i) EXPECT_LT((s.positions()[i] - start[i] - Vector3d(0, fall, 0)).norm(), 3e-9);
    EXPECT_LT(s.energies(Vector3d::Zero()).elastic(), 1e-20);
  }
}

// The three scales of hair, rope and cable, with lengths that make them swing, fall or hardly move.
TEST(Units, StayFiniteAndUnstretched) {
  struct Case {
    Material material;
    double length, stretch;
  };
  // Hair in one Newton iteration stretches by the square of the angle that an edge turns in a step; the others less.
  for (const auto& [material, length, stretch] :
       {Case{hair(), 0.25, 0.02}, Case{rope(), 2.0, 0.05}, Case{cable(), 10.0, 0.02}})
    for (const StepOptions& options : all_options()) {
      Random random(52);
      Curves curves;
      for (int i = 0; i < 5; ++i) append(curves, smooth_strand(random, 40, length, 0.1));
      Simulation s(describe(curves, material, {}));
      double largest = 0.0;
      for (int i = 0; i < 100; ++i) {
        ASSERT_NE(s.step(options).outcome, Outcome::failed) << "length " << length << ", step " << i;
        largest = std::max(largest, largest_stretch(s.strands, s.targets, s.state));
      }
      EXPECT_TRUE(finite(s.state));
      EXPECT_LT(largest, options.converge ? 1e-3 : stretch) << "length " << length << ", newton " << options.newton;
    }
}

TEST(HeavyLongStrand, OfFiveThousandVerticesSwings) {
  for (const bool converge : {false, true}) {
    Random random(53);
    Simulation s(describe(one(smooth_strand(random, 5000, 5.0, 0.002)), rope(), {Clamp::point, Clamp::free}));
    StepOptions options;
    options.dt = 1e-3, options.converge = converge;
    const double before = s.energies(options.gravity).total();
    double fallen = 0.0;
    for (int i = 0; i < 40; ++i) {
      const StepReport report = s.step(options);
      ASSERT_NE(report.outcome, Outcome::failed) << text(report.trouble);
      EXPECT_EQ(report.clamped_pivots, 0u);
    }
    ASSERT_TRUE(finite(s.state));
    for (std::size_t i = 0; i < 5000; ++i) fallen = std::min(fallen, s.velocities()[i].y());
    EXPECT_LT(fallen, -0.3);
    EXPECT_LT(s.energies(options.gravity).total(), before);
    EXPECT_LT(largest_stretch(s.strands, s.targets, s.state), 0.05);
  }
}

// Far from the origin positions round to 1e-13 m: the strand must hang there as it does here.
TEST(FarStrand, MovesAsItDoesAtTheOrigin) {
  Random random(54);
  const std::vector<Vector3d> near = smooth_strand(random, 20, 0.2, 0.2);
  std::vector<Vector3d> far = near;
  const Vector3d shift(300.0, -200.0, 500.0);
  for (Vector3d& x : far) x += shift;
  Simulation here(describe(one(near), rope(), {})), there(describe(one(far), rope(), {}));
  here.run({}, 50), there.run({}, 50);
  double off = 0.0;
  for (std::size_t i = 0; i < 20; ++i) off = std::max(off, (there.positions()[i] - shift - here.positions()[i]).norm());
  EXPECT_LT(off, 1e-6);
}

}  // namespace
}  // namespace tendril::der
