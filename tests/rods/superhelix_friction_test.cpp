// A super-helix whose tip lies on a ball that turns to and fro, with friction: the comparison of local solvers of the
// literature, through the one-step contract. Solvers that obey Coulomb's law share one orbit; those that do not, do
// not.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "tendril/contact/local_solver.hpp"
#include "tendril/rods/superhelix/one_step.hpp"

namespace tendril::superhelix {
namespace {

using contact::LocalMethod;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr double length = 0.2, curvature = 8.0, dt = 2e-3;

// EI = 4e-6, GJ = 3e-6 N m^2, 1e-4 kg/m, an arc of a circle in the plane of x and y.
Strands bent_rod() {
  der::Material material;
  material.radius = 1e-3;
  material.young = 4e-6 * 4.0 / (pi * 1e-12), material.shear = 3e-6 * 2.0 / (pi * 1e-12);
  material.density = 1e-4 / (pi * 1e-6), material.damping = 0.01;
  Curves curves;
  for (int i = 0; i <= 20; ++i) {
    const double turn = curvature * length * i / 20.0;
    curves.points.push_back({std::sin(turn) / curvature, (1.0 - std::cos(turn)) / curvature, 0.0});
  }
  curves.offsets = {0, curves.points.size()};
  der::Description d = der::describe(curves, material, {der::Clamp::point, der::Clamp::free});
  d.root_director = {Vector3d::UnitY()};
  return std::move(Strands::create(std::move(d), {3, 3, 3}).value());
}

struct Orbit {
  std::vector<Vector3d> tip;  // of the last period
  double stuck = 0.0;         // share of the steps in contact

  Vector3d extent() const {
    Vector3d low = tip.front(), high = low;
    for (const Vector3d& x : tip) low = low.cwiseMin(x), high = high.cwiseMax(x);
    return high - low;
  }
};

Orbit orbit_with(LocalMethod method) {
  const Strands strands = bent_rod();
  State state = strands.start(), trial;
  Workspace work;
  std::vector<Pose> targets;
  const Pose still;
  strands.drive(std::span(&still, 1), targets);
  StepOptions options;
  options.dt = dt, options.gravity = {0.0, 0.0, -9.81}, options.velocity_terms = false;
  contact::LocalOptions local;
  local.method = method, local.fail_safe = false, local.tolerance = 1e-14;

  const double radius = 0.08, margin = 2e-3;
  const Vector3d centre(std::sin(curvature * length) / curvature, (1.0 - std::cos(curvature * length)) / curvature,
                        -0.015 - radius);
  const Vector3d axis = Vector3d(1.0, 0.5, 0.2).normalized();
  const MaterialPoint tip{0, 19, 1.0};
  std::vector<Vector3d> x(strands.vertex_count());
  Orbit orbit;
  int stuck = 0, touching = 0;
  Vector3d impulse = Vector3d::Zero();
  for (int i = 0; i < 1500; ++i) {
    OneStep system(strands, targets, options, state, work);
    gather_positions(strands, state, x);
    const Vector3d away = x.back() - centre, n = away.normalized();
    const double gap = away.norm() - radius;
    if (gap < margin) {
      Matrix3d frame;  // rows n, t1, t2
      frame.row(0) = n, frame.row(1) = n.cross(Vector3d::UnitY()).normalized();
      frame.row(2) = n.cross(frame.row(1).transpose());
      const double t = (i + 1) * dt, rate = 0.15 * 2.0 * pi * std::cos(2.0 * pi * t);
      const std::size_t size = system.block_size(0);
      std::vector<double> v(size), columns(3 * size, 0.0);
      system.free_velocity(0, v);
      for (int c = 0; c < 3; ++c)
        system.add_point_impulse(tip, frame.row(c).transpose(), {&columns[std::size_t(c) * size], size});
      system.apply_inverse(0, 3, columns);
      contact::LocalProblem problem{Matrix3d::Zero(), Vector3d::Zero(), 1.0};
      for (int c = 0; c < 3; ++c)
        problem.w.col(c) = frame * system.point_velocity(tip, {&columns[std::size_t(c) * size], size});
      problem.b = frame * (system.point_velocity(tip, v) - rate * axis.cross(radius * n));
      problem.b[0] += std::max(0.0, gap) / dt;
      impulse = contact::solve_local(problem, local, impulse).r;
      const Vector3d u = problem.w * impulse + problem.b;
      if (impulse[0] > 0.0) ++touching, stuck += u.tail<2>().norm() < 1e-9;
      for (std::size_t k = 0; k < size; ++k)
        for (int c = 0; c < 3; ++c) v[k] += impulse[c] * columns[std::size_t(c) * size + k];
      system.set_velocity(0, v);
    }
    EXPECT_EQ(system.advance(trial).outcome, Outcome::converged);
    state.swap(trial);
    gather_positions(strands, state, x);
    if (i >= 1000) orbit.tip.push_back(x.back());
  }
  orbit.stuck = double(stuck) / std::max(1, touching);
  return orbit;
}

double distance(const Orbit& a, const Orbit& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.tip.size(); ++i) largest = std::max(largest, (a.tip[i] - b.tip[i]).norm());
  return largest;
}

// The extents of the orbits are those of the reference computation: 15.8 mm by 11.1 mm, and 7.8 mm and 16.9 mm in y.
TEST(SuperHelixFriction, ExactSolversShareOneOrbit) {
  const Orbit orbit = orbit_with(LocalMethod::mfb);
  EXPECT_NEAR(orbit.extent().x(), 15.8e-3, 0.1e-3);
  EXPECT_NEAR(orbit.extent().y(), 11.1e-3, 0.1e-3);
  EXPECT_NEAR(orbit.stuck, 0.18, 0.02);
  for (const LocalMethod method : {LocalMethod::enumerative, LocalMethod::dac, LocalMethod::duriez08})
    EXPECT_LT(distance(orbit, orbit_with(method)), 1e-9) << name(method);
}

TEST(SuperHelixFriction, InexactSolversGoElsewhere) {
  const Orbit orbit = orbit_with(LocalMethod::mfb), pyramid = orbit_with(LocalMethod::four_sides),
              split = orbit_with(LocalMethod::duriez06);
  EXPECT_GT(distance(orbit, pyramid), 3e-3);
  EXPECT_NEAR(pyramid.extent().y(), 7.8e-3, 0.1e-3);
  EXPECT_GT(distance(orbit, split), 3e-3);
  EXPECT_NEAR(split.extent().y(), 16.9e-3, 0.1e-3);
}

}  // namespace
}  // namespace tendril::superhelix
