// What every strand model must bear: the shortest strands, kinks, and a root that is driven to nowhere.
#include <gtest/gtest.h>

#include <limits>

#include "support/rods.hpp"
#include "tendril/rods/corde/one_step.hpp"
#include "tendril/rods/inextensible/one_step.hpp"
#include "tendril/rods/superhelix/one_step.hpp"

namespace tendril {
namespace {

using der::support::append;
using Eigen::Vector3d;

// One edge, two edges with a sharp corner, and a zigzag.
der::Description awkward_strands() {
  Curves curves;
  append(curves, {{0, 0, 0}, {0.01, 0, 0}});
  append(curves, {{0, 0, 0}, {0.01, 0, 0}, {0.01, 0.012, 0}});
  std::vector<Vector3d> zigzag;
  for (int i = 0; i < 12; ++i) zigzag.push_back({0.004 * i, i % 2 == 0 ? 0.0 : 0.003, 0.001 * (i % 3)});
  append(curves, zigzag);
  der::Material material = der::support::hair();
  material.damping = 1e-3;
  return der::describe(curves, material, {der::Clamp::point, der::Clamp::free});
}

Pose turned(double angle) { return {Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY())), {angle, 0, 0}}; }

Pose nowhere() {
  return {Eigen::Quaterniond::Identity(), Vector3d::Constant(std::numeric_limits<double>::quiet_NaN())};
}

TEST(AwkwardStrands, OfSuperHelices) {
  const Result<superhelix::Strands> made = superhelix::Strands::create(awkward_strands());
  ASSERT_TRUE(made);
  const superhelix::Strands& strands = made.value();
  for (std::size_t s = 0; s < 3; ++s) EXPECT_LT(strands.fit(s).largest, 0.3 * strands.length(s)) << s;
  superhelix::State state = strands.start(), trial;
  superhelix::Workspace work;
  std::vector<Pose> targets;
  const superhelix::StepOptions options;
  for (int i = 0; i <= 100; ++i) {
    const Pose pose = i < 100 ? turned(0.01 * i) : nowhere();
    strands.drive(std::span(&pose, 1), targets);
    const superhelix::StepReport report = superhelix::step(strands, targets, options, state, work, trial);
    ASSERT_EQ(report.outcome, i < 100 ? Outcome::converged : Outcome::failed) << i;
    if (i < 100) state.swap(trial);
  }
  std::vector<Vector3d> x(strands.vertex_count());
  superhelix::gather_positions(strands, state, x);
  for (const Vector3d& point : x) EXPECT_TRUE(point.allFinite());
}

TEST(AwkwardStrands, OfCorde) {
  const Result<corde::Strands> made = corde::Strands::create(awkward_strands());
  ASSERT_TRUE(made);
  const corde::Strands& strands = made.value();
  corde::State state = strands.start(), trial;
  corde::Workspace work;
  std::vector<corde::Target> targets;
  const corde::StepOptions options;
  for (int i = 0; i <= 100; ++i) {
    const Pose pose = i < 100 ? turned(0.01 * i) : nowhere();
    strands.drive(std::span(&pose, 1), targets);
    const corde::StepReport report = corde::step(strands, targets, options, state, work, trial);
    ASSERT_EQ(report.outcome, i < 100 ? Outcome::converged : Outcome::failed) << i;
    if (i < 100) state.swap(trial);
  }
  for (const Vector3d& point : state.position) EXPECT_TRUE(point.allFinite());
}

TEST(AwkwardStrands, OfInextensibleRods) {
  const Result<der::Strands> made = der::Strands::create(inextensible::without_stretch(awkward_strands()));
  ASSERT_TRUE(made);
  const der::Strands& strands = made.value();
  der::State state = strands.start(), trial;
  der::Targets targets = strands.make_targets();
  const der::StepOptions step_options;
  const inextensible::Options options;
  for (int i = 0; i <= 100; ++i) {
    der::Drive drive;
    drive.root = {i < 100 ? turned(0.01 * i) : nowhere()};
    strands.drive(drive, state, targets);
    inextensible::OneStep system(strands, targets, step_options, options, state);
    const inextensible::Report report = system.advance(trial);
    ASSERT_EQ(report.step.outcome, i < 100 ? Outcome::converged : Outcome::failed) << i;
    if (i < 100) der::commit(trial, step_options.dt, false, state);
  }
  EXPECT_LT(der::largest_stretch(strands, targets, state), 1e-11);
}

}  // namespace
}  // namespace tendril
