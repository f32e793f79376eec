// CoRdE rods: strains, forces and matrix by differences, the one-step contract, and the benchmarks of a rod.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/geometry/rotation_vector.hpp"
#include "tendril/rods/corde/forces.hpp"
#include "tendril/rods/corde/one_step.hpp"
#include "tendril/rods/corde/strain.hpp"

namespace tendril::corde {
namespace {

using der::Clamp;
using der::support::append;
using der::support::one;
using der::support::random_vector;
using der::support::smooth_strand;
using der::support::straight_strand;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;
using std::numbers::pi;

constexpr double g = 9.81;

Quaterniond random_turn(Random& random) {
  return Quaterniond(Vector4d::NullaryExpr([&] { return random.uniform(-1, 1); })).normalized();
}

// The rates of the literature, (2/|q|^2) (B_k q)·q', with quaternions as (vector, scalar) and q, q' the mean and the
// difference quotient over the length between the frames.
TEST(CordeStrain, IsTheMaterialRate) {
  Random random(51);
  Eigen::Matrix4d b[3];
  b[0] << 0, 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, -1, 0, 0, 0;
  b[1] << 0, 0, -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0, 0;
  b[2] << 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0;
  for (int i = 0; i < 20; ++i) {
    const Quaterniond first = random_turn(random), second = first * rotation_by(0.8 * random_vector(random));
    const double length = 0.01;
    const Vector4d mean = 0.5 * (first.coeffs() + second.coeffs()), rate = (second.coeffs() - first.coeffs()) / length;
    const JointStrain joint = joint_strain(first, second);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(joint.turn[k] / length, 2.0 / mean.squaredNorm() * (b[k] * mean).dot(rate), 1e-11);
    const Quaterniond flipped(Vector4d(-second.coeffs()));  // the same frame
    EXPECT_LT((joint_strain(first, flipped).turn - joint.turn).norm(), 1e-15);
  }
  const Vector3d small(1e-3, -2e-3, 3e-3);
  EXPECT_LT((joint_strain(Quaterniond::Identity(), rotation_by(small)).turn - small).norm(), 1e-8);
}

TEST(CordeStrain, HasItsDerivatives) {
  Random random(52);
  const double h = 1e-6;
  for (int i = 0; i < 20; ++i) {
    const Quaterniond first = random_turn(random), second = first * rotation_by(1.5 * random_vector(random));
    const JointStrain joint = joint_strain(first, second);
    const Vector3d edge = random_vector(random), turn = random_vector(random);
    const auto moved = [&](double a, double z) {
      return joint_strain(first * rotation_by(a * turn), second * rotation_by(z * turn)).turn;
    };
    EXPECT_LT((joint.by_first * turn - (moved(h, 0) - moved(-h, 0)) / (2 * h)).norm(), 1e-8);
    EXPECT_LT((joint.by_second * turn - (moved(0, h) - moved(0, -h)) / (2 * h)).norm(), 1e-8);
    const EdgeStrain strain = edge_strain(edge, first, 0.5);
    const Vector3d along = random_vector(random);
    const auto off = [&](double a, double z) {
      return edge_strain(edge + a * along, first * rotation_by(z * turn), 0.5).off;
    };
    EXPECT_LT((off_by_edge(strain) * along - (off(h, 0) - off(-h, 0)) / (2 * h)).norm(), 1e-7);
    EXPECT_LT((off_by_turn(strain) * turn - (off(0, h) - off(0, -h)) / (2 * h)).norm(), 1e-8);
  }
}

Strands make(const der::Description& description) {
  Result<Strands> made = Strands::create(description);
  if (!made) ADD_FAILURE() << made.error().message();
  return std::move(made.value());
}

der::Material soft() {
  der::Material material;
  material.radius = 1e-3, material.young = 1e6, material.shear = 4e5, material.density = 1200.0, material.aspect = 0.7;
  return material;
}

der::Description three_strands(Clamp root, double damping = 0.0) {
  Random random(53);
  Curves curves;
  for (const std::size_t n : {4u, 9u, 15u}) append(curves, smooth_strand(random, n, 0.01 * double(n), 0.2));
  der::Material material = soft();
  material.damping = damping;
  return der::describe(curves, material, {root, Clamp::free});
}

struct Course {
  Strands strands;
  State state, trial;
  Workspace work;
  std::vector<Target> targets;
  StepOptions options;
  double residual = 0.0;

  explicit Course(Strands s) : strands(std::move(s)), state(strands.start()) { drive({}); }
  void drive(const Pose& pose) { strands.drive(std::span(&pose, 1), targets); }
  void step() {
    OneStep system(strands, targets, options, state, work);
    ASSERT_EQ(system.advance(trial).outcome, Outcome::converged);
    residual = system.residual();
    state.swap(trial);
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_NO_FATAL_FAILURE(step()) << i;
  }
  der::Energies energies() const { return total_energies(strands, targets, options.gravity, state); }
};

Pose moving_pose(double t) {
  return {Quaterniond(Eigen::AngleAxisd(3.0 * t, Vector3d(1, 2, 2) / 3.0)), {0.3 * t, 0.1 * t * t, 0.0}};
}

Course in_motion(Clamp root, double damping = 0.0) {
  Course course(make(three_strands(root, damping)));
  course.options.dt = 2e-3;
  for (int i = 1; i <= 20; ++i) {
    course.drive(moving_pose(i * course.options.dt));
    if (i < 20) course.step();
  }
  return course;
}

State displaced(const State& state, std::size_t unknown, double by) {
  State out = state;
  const std::size_t v = unknown / 6, c = unknown % 6;
  if (c < 3)
    out.position[v][Eigen::Index(c)] += by;
  else
    out.frame[v] = out.frame[v] * rotation_by(by * Vector3d::Unit(Eigen::Index(c) - 3));
  return out;
}

TEST(CordeForces, AreDerivativesOfTheEnergy) {
  for (const Clamp clamp : {Clamp::free, Clamp::edge, Clamp::point}) {
    Course course(make(three_strands(clamp)));
    Random random(57);
    for (Vector3d& x : course.state.position) x += 1e-3 * random_vector(random);
    for (Quaterniond& q : course.state.frame) q = q * rotation_by(0.1 * random_vector(random));
    const double h = 1e-7;
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t n = course.strands.vertices(s), first = course.strands.offset(s);
      std::vector<double> force(6 * n, 0.0);
      add_elastic_force(course.strands, s, course.targets[s], course.state, nullptr, 0.0, force);
      double largest = 0.0;
      for (const double f : force) largest = std::max(largest, std::abs(f));
      for (std::size_t u = 0; u < 6 * n; ++u) {
        const auto energy = [&](double by) {
          return total_energies(course.strands, course.targets, Vector3d::Zero(),
                                displaced(course.state, 6 * first + u, by))
              .elastic();
        };
        EXPECT_NEAR(force[u], -(energy(h) - energy(-h)) / (2 * h), 1e-5 * largest) << s << " " << u;
      }
    }
  }
}

// As drawn nothing is stressed: the Gauss-Newton matrix is the derivative of the force.
TEST(CordeForces, HaveTheirMatrixWhereUnstressed) {
  const Course course(make(three_strands(Clamp::point)));
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t n = 6 * course.strands.vertices(s), first = 6 * course.strands.offset(s);
    StepBand band;
    band.reset(n);
    add_stiffness(course.strands, s, course.targets[s], course.state, 1.0, 1.0, band);
    const double h = 1e-7;
    for (std::size_t u = 0; u < n; ++u) {
      std::vector<double> more(n, 0.0), less(n, 0.0);
      const State a = displaced(course.state, first + u, h), z = displaced(course.state, first + u, -h);
      add_elastic_force(course.strands, s, course.targets[s], a, nullptr, 0.0, more);
      add_elastic_force(course.strands, s, course.targets[s], z, nullptr, 0.0, less);
      for (std::size_t row = u; row < n; ++row) {
        const double value = row - u <= StepBand::padding ? band.at(row, u) : 0.0;
        const double scale = std::sqrt(std::abs(band.at(u, u) * band.at(row, row))) + 1e-12;
        EXPECT_NEAR(value, -(more[row] - less[row]) / (2 * h), 1e-5 * scale) << row << " " << u;
      }
    }
  }
}

TEST(CordeContract, InverseIsSymmetricDefiniteAndSparesTheDriven) {
  for (const Clamp clamp : {Clamp::free, Clamp::edge, Clamp::point}) {
    Course course = in_motion(clamp, 1e-3);
    const OneStep system(course.strands, course.targets, course.options, course.state, course.work);
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t size = system.block_size(s);
      MatrixXd inverse = MatrixXd::Identity(Eigen::Index(size), Eigen::Index(size));
      system.apply_inverse(s, size, {inverse.data(), size * size});
      EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-10 * inverse.norm());
      const VectorXd values =
          Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (inverse + inverse.transpose())).eigenvalues();
      EXPECT_GT(values.minCoeff(), -1e-13 * values.maxCoeff());
      EXPECT_TRUE(inverse.bottomRows(3).isZero(0.0));
      const Eigen::Index driven = clamp == Clamp::free ? 0 : clamp == Clamp::edge ? 9 : 3;
      EXPECT_TRUE(inverse.topRows(driven).isZero(0.0));
    }
  }
}

TEST(CordeContract, PointVelocityAndImpulseAreAdjoint) {
  Course course = in_motion(Clamp::point);
  const OneStep system(course.strands, course.targets, course.options, course.state, course.work);
  Random random(54);
  const MaterialPoint point{2, 7, 0.3};
  std::vector<double> v(system.block_size(2)), back(v.size(), 0.0);
  for (double& value : v) value = random.uniform(-1.0, 1.0);
  const Vector3d impulse = random_vector(random);
  system.add_point_impulse(point, impulse, back);
  double dual = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) dual += v[i] * back[i];
  EXPECT_NEAR(system.point_velocity(point, v).dot(impulse), dual, 1e-15);
}

TEST(CordeContract, WithoutContactIsTheStep) {
  Course course = in_motion(Clamp::edge);
  OneStep system(course.strands, course.targets, course.options, course.state, course.work);
  for (std::size_t s = 0; s < 3; ++s) {
    std::vector<double> v(system.block_size(s));
    system.free_velocity(s, v);
    system.set_velocity(s, v);
  }
  State trial;
  ASSERT_EQ(system.advance(trial).outcome, Outcome::converged);
  course.step();
  EXPECT_EQ(hash(trial), hash(course.state));
}

TEST(CordeRoots, ArriveExactly) {
  for (const Clamp clamp : {Clamp::edge, Clamp::point}) {
    Course course = in_motion(clamp);
    course.step();
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t v = course.strands.offset(s);
      EXPECT_EQ(course.state.position[v], course.targets[s].first);
      if (clamp == Clamp::point) continue;
      EXPECT_EQ(course.state.position[v + 1], course.targets[s].second);
      EXPECT_EQ(course.state.frame[v].coeffs(), course.targets[s].frame.coeffs());
    }
  }
}

TEST(CordeRoots, UniformMotionLeavesTheShapeAlone) {
  Course course(make(three_strands(Clamp::edge)));
  course.options.gravity.setZero();
  const Vector3d velocity(1.0, -2.0, 0.5);
  for (Vector3d& v : course.state.velocity) v = velocity;
  for (int i = 1; i <= 100; ++i) {
    course.drive({Quaterniond::Identity(), velocity * (i * course.options.dt)});
    ASSERT_NO_FATAL_FAILURE(course.step());
  }
  const State drawn = course.strands.start();
  for (std::size_t v = 0; v < drawn.position.size(); ++v)
    EXPECT_LT((course.state.position[v] - velocity * (100 * course.options.dt) - drawn.position[v]).norm(), 1e-9);
}

TEST(CordeSteps, HaveTheSameBitsForAnyThreadCount) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Course course(make(three_strands(Clamp::edge)));
    course.run(30);
    hashes.push_back(hash(course.state));
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

// Hair as stiff as it is, with steps of a whole frame and a root that is flung about.
TEST(CordeSteps, SurviveAViolentHead) {
  Random random(55);
  der::Material hair = der::support::hair();
  hair.damping = 1e-3;
  Course course(make(der::describe(one(smooth_strand(random, 30, 0.15, 0.1)), hair, {Clamp::edge, Clamp::free})));
  course.options.dt = 1.0 / 120.0;
  for (int i = 1; i <= 480; ++i) {
    const double t = i * course.options.dt;
    course.drive({Quaterniond(Eigen::AngleAxisd(0.8 * std::sin(9.0 * t), Vector3d::UnitY())),
                  {0.1 * std::sin(7.0 * t), 0.0, 0.0}});
    ASSERT_NO_FATAL_FAILURE(course.step()) << i;
    ASSERT_LT(largest_stretch(course.strands, course.state), 1.0) << i;
  }
}

// ---- benchmarks ----

der::Description weighted_rod(double gamma, std::size_t vertices) {
  der::Material material;
  material.radius = 5e-4, material.density = 1200.0, material.damping = 0.05;
  material.young = material.density * g * 0.2 * 0.2 * 0.2 * 4.0 / (gamma * 25e-8);
  material.shear = material.young / 2.6;
  return der::describe(one(straight_strand(vertices, 0.2, Vector3d::UnitX())), material, {Clamp::point, Clamp::free});
}

// B2: a horizontal cantilever under its own weight, gamma = 10.
TEST(CordeBenchmark, CantileverUnderItsWeight) {
  std::vector<double> errors;
  for (const std::size_t n : {11u, 21u, 41u}) {
    Course course(make(weighted_rod(10.0, n)));
    course.options.dt = 1e-2;
    course.run(1500);
    EXPECT_LT(course.residual, 1e-4);
    const Vector3d tip = course.state.position.back() / 0.2;
    EXPECT_LT(std::abs(tip.z()), 1e-9);
    errors.push_back(std::hypot(tip.y() + 0.7001997155, tip.x() - 0.6563537612));
  }
  EXPECT_LT(errors.back(), 1e-3);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), 2.0, 0.35) << errors[i];
}

// B1: a torque at the tip twists by M L / GJ.
TEST(CordeBenchmark, TwistByATorque) {
  der::Description d = weighted_rod(1.0, 11);
  Course course(make(d));
  course.options.gravity.setZero();
  course.options.dt = 1e-2;
  const double torsion = d.twist_modulus[0] * pi * std::pow(5e-4, 4) / 2.0, angle = 0.5;
  ASSERT_TRUE(course.strands.add_load({0, -1, Vector3d::Zero(), torsion * angle / 0.2}));
  course.run(1000);
  // The last frame is that of the middle of its edge; a joint's turn is 4 tan(angle / 4).
  const double twist = rotation_vector(course.state.frame[0].conjugate() * course.state.frame[9]).norm();
  EXPECT_NEAR(twist, angle * 0.9, 1e-3 * angle);
}

// B11: a free strand keeps its momentum, and its energy never grows.
TEST(CordeBenchmark, FreeStrandKeepsItsMomentum) {
  Random random(56);
  Course course(make(der::describe(one(smooth_strand(random, 20, 0.2, 0.1)), soft(), {Clamp::free, Clamp::free})));
  course.options.gravity.setZero();
  course.options.dt = 1e-3;
  for (std::size_t v = 0; v < 20; ++v) {
    const Vector3d spin(1, 4, 2);
    course.state.velocity[v] = Vector3d(0.3, 0.1, -0.2) + spin.cross(course.state.position[v]);
    course.state.spin[v] = v < 19 ? Vector3d(course.state.frame[v].conjugate() * spin) : Vector3d::Zero().eval();
  }
  const auto momentum = [&] {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t v = 0; v < 20; ++v) sum += course.strands.mass(v) * course.state.velocity[v];
    return sum;
  };
  const Vector3d start = momentum();
  const double energy = course.energies().total();
  for (int i = 0; i < 500; ++i) {
    ASSERT_NO_FATAL_FAILURE(course.step());
    EXPECT_LT(course.energies().total(), energy * (1.0 + 1e-6)) << i;
  }
  EXPECT_LT((momentum() - start).norm(), 1e-9 * start.norm());
}

TEST(CordeInput, RefusesWhatItCannotHold) {
  der::Description held = three_strands(Clamp::edge), rested = held;
  held.clamps = {{Clamp::point, Clamp::point}};
  rested.rest_twist.assign(rested.curves.points.size(), 0.0);
  EXPECT_FALSE(Strands::create(held));
  EXPECT_FALSE(Strands::create(rested));
  Strands strands = make(three_strands(Clamp::edge));
  EXPECT_FALSE(strands.add_load({3, 0, Vector3d::Zero(), 0.0}));
  EXPECT_FALSE(strands.add_load({0, 4, Vector3d::Zero(), 0.0}));
}

}  // namespace
}  // namespace tendril::corde
