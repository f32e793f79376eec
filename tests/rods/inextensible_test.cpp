// Rods whose edges keep their lengths: the constrained inverse, exact links after large steps, pendulum, momentum, and
// agreement with rods that are merely very stiff against stretching.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/rods.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/inextensible/one_step.hpp"

namespace tendril::inextensible {
namespace {

using namespace der::support;
using der::Clamp;
using der::Description;
using Eigen::MatrixXd;

constexpr double g = 9.81;

// A strand with all that its steps need.
struct Course {
  der::Strands strands;
  der::State state, trial;
  der::Targets targets;
  der::StepOptions step_options;
  Options options;
  Report report;
  double residual = 0.0;

  explicit Course(const Description& description, const std::vector<der::Hold>& holds = {})
      : strands(std::move(der::Strands::create(without_stretch(description), holds).value())),
        state(strands.start()),
        targets(strands.make_targets()) {}

  void step(const der::Drive& drive = {}) {
    strands.drive(drive, state, targets);
    OneStep system(strands, targets, step_options, options, state);
    report = system.advance(trial);
    ASSERT_EQ(report.step.outcome, Outcome::converged) << der::text(report.step.trouble);
    residual = system.residual();
    der::commit(trial, step_options.dt, step_options.integrator == der::Integrator::bdf2, state);
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_NO_FATAL_FAILURE(step()) << i;
  }
  std::vector<Vector3d> positions() const {
    std::vector<Vector3d> x(strands.vertex_count());
    der::gather_positions(strands, state, x);
    return x;
  }
  std::vector<Vector3d> velocities() const {
    std::vector<Vector3d> v(strands.vertex_count());
    der::gather_velocities(strands, state, v);
    return v;
  }
  double worst_link() const {
    const std::vector<Vector3d> x = positions();
    const std::vector<double> lengths = strands.reference_lengths();
    double worst = 0.0;
    for (std::size_t s = 0; s < strands.size(); ++s)
      for (std::size_t i = strands.offset(s); i + 1 < strands.offset(s) + strands.vertices(s); ++i)
        worst = std::max(worst, std::abs((x[i + 1] - x[i]).norm() / lengths[i] - 1.0));
    return worst;
  }
  double energy() const { return der::total_energies(strands, targets, step_options.gravity, state).total(); }
};

Description three_strands(const der::Material& material, const der::Clamps& clamps) {
  Random random(41);
  Curves curves;
  for (const std::size_t n : {5u, 12u, 30u}) append(curves, smooth_strand(random, n, 0.006 * double(n), 0.15));
  return der::describe(curves, material, clamps);
}

struct Setting {
  const char* name;
  der::Clamps clamps;
  std::vector<der::Hold> holds;
  der::StepOptions options;
};
std::vector<Setting> settings() {
  der::StepOptions plain, bdf2, windy;
  bdf2.integrator = der::Integrator::bdf2;
  windy.air = {1.2, 1.0, 0.02}, windy.wind = {1.0, 2.0, 0.0};
  return {{"edge", {}, {}, plain},
          {"point", {Clamp::point, Clamp::free}, {}, plain},
          {"free", {Clamp::free, Clamp::free}, {}, plain},
          {"holds", {}, {{1, 4, {true, false, true, false}}, {2, -3, {false, false, false, true}}}, plain},
          {"air", {Clamp::point, Clamp::free}, {}, windy},
          {"bdf2", {}, {}, bdf2}};
}

// Under way, with moving roots.
Course moving(const Setting& setting) {
  Course course(three_strands(hair(), setting.clamps), setting.holds);
  course.step_options = setting.options;
  der::Drive drive;
  drive.holds.resize(setting.holds.size()), drive.hold_angles.resize(setting.holds.size());
  for (int i = 1; i <= 7; ++i) {
    const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(0.02 * i, Vector3d(1, 2, 2) / 3.0)), {2e-4 * i, 0, 0}};
    drive.root = {pose};
    for (Pose& hold : drive.holds) hold = pose;
    if (i < 7) course.step(drive);
  }
  course.strands.drive(drive, course.state, course.targets);
  return course;
}

MatrixXd inverse_of(const auto& system, std::size_t block) {
  const std::size_t size = system.block_size(block);
  MatrixXd columns = MatrixXd::Identity(Eigen::Index(size), Eigen::Index(size));
  system.apply_inverse(block, size, {columns.data(), size * size});
  return columns;
}

// The rows of the links at the end of the step without contact.
MatrixXd link_rows(const Course& course, const OneStep& system, std::size_t block) {
  const std::size_t n = course.strands.vertices(block), size = system.block_size(block);
  std::vector<double> v(size);
  system.free_velocity(block, v);
  const std::vector<Vector3d> x = course.positions();
  MatrixXd rows = MatrixXd::Zero(Eigen::Index(n - 1), Eigen::Index(size));
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const auto end = [&](std::size_t i) {
      return Vector3d(x[course.strands.offset(block) + i] +
                      course.step_options.dt * Eigen::Map<const Vector3d>(&v[4 * i]));
    };
    const Vector3d t = (end(k + 1) - end(k)).normalized();
    rows.block<1, 3>(Eigen::Index(k), Eigen::Index(4 * k)) = -t.transpose();
    rows.block<1, 3>(Eigen::Index(k), Eigen::Index(4 * k + 4)) = t.transpose();
  }
  return rows;
}

TEST(InextensibleContract, InverseIsSemidefiniteAndNeverStretches) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    const Course course = moving(setting);
    const OneStep system(course.strands, course.targets, course.step_options, course.options, course.state);
    for (std::size_t b = 0; b < 3; ++b) {
      const MatrixXd inverse = inverse_of(system, b);
      EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-10 * inverse.norm());
      const VectorXd values =
          Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (inverse + inverse.transpose())).eigenvalues();
      EXPECT_GT(values.minCoeff(), -1e-12 * values.maxCoeff());
      if (setting.options.integrator == der::Integrator::bdf2) continue;  // ends elsewhere than link_rows() thinks
      const MatrixXd rows = link_rows(course, system, b);
      EXPECT_LT((rows * inverse).norm(), 1e-9 * inverse.norm());
    }
  }
}

// A^-1 - A^-1 J^T (J A^-1 J^T)^-1 J A^-1 by dense matrices, where A is the matrix of the rods alone, with what the
// tensions add to it.
TEST(InextensibleContract, InverseIsTheConstrainedOne) {
  for (const std::size_t which : {0u, 1u, 2u, 3u}) {
    const Course course = moving(settings()[which]);
    const OneStep system(course.strands, course.targets, course.step_options, course.options, course.state);
    const der::OneStep rods(course.strands, course.targets, course.step_options, course.state);
    for (std::size_t b = 0; b < 3; ++b) {
      const MatrixXd rods_inverse = inverse_of(rods, b), rows = link_rows(course, system, b);
      std::vector<Eigen::Index> free;
      for (Eigen::Index u = 0; u < rods_inverse.rows(); ++u)
        if (rods_inverse(u, u) != 0.0) free.push_back(u);
      MatrixXd geometric = MatrixXd::Zero(rods_inverse.rows(), rods_inverse.cols());
      for (std::size_t k = 0; k + 1 < course.strands.vertices(b); ++k) {
        const double length = course.strands.reference_lengths()[course.strands.offset(b) + k];
        MatrixXd edge = MatrixXd::Zero(3, geometric.cols());
        edge.middleCols<3>(Eigen::Index(4 * k)) = -Eigen::Matrix3d::Identity();
        edge.middleCols<3>(Eigen::Index(4 * k + 4)) = Eigen::Matrix3d::Identity();
        geometric += std::max(0.0, system.tension(b)[k]) / length * edge.transpose() * edge;
      }
      const double h = course.step_options.dt;
      const MatrixXd stiff = rods_inverse(free, free).inverse() + h * h * geometric(free, free);
      const MatrixXd inverse = stiff.inverse(), j = rows(Eigen::all, free);
      const MatrixXd w = j * inverse * j.transpose();
      const MatrixXd expected =
          inverse - inverse * j.transpose() * w.completeOrthogonalDecomposition().solve(j * inverse);
      const MatrixXd ours = inverse_of(system, b);
      EXPECT_LT((MatrixXd(ours(free, free)) - expected).norm(), 1e-7 * expected.norm()) << which << " " << b;
      EXPECT_NEAR(ours.norm(), MatrixXd(ours(free, free)).norm(), 1e-9 * ours.norm());  // nothing on what is held
    }
  }
}

TEST(InextensibleContract, WithoutContactIsTheStep) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Course course = moving(setting);
    OneStep one(course.strands, course.targets, course.step_options, course.options, course.state),
        other(course.strands, course.targets, course.step_options, course.options, course.state);
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<double> v(one.block_size(b));
      one.free_velocity(b, v);
      one.set_velocity(b, v);
    }
    der::State a, z;
    ASSERT_EQ(one.advance(a).step.outcome, Outcome::converged);
    ASSERT_EQ(other.advance(z).step.outcome, Outcome::converged);
    EXPECT_EQ(der::hash(course.strands, a), der::hash(course.strands, z));
    EXPECT_LT(one.residual(), 0.5);
  }
}

// An impulse along the strand is taken up by the links and its root: the links stay exact, however hard it pulls.
TEST(InextensibleContract, ImpulsesLeaveLinksExact) {
  Course course = moving(settings()[1]);
  for (const double strength : {1e-9, 1e-7, 1e-6}) {
    OneStep system(course.strands, course.targets, course.step_options, course.options, course.state);
    const std::size_t size = system.block_size(2);
    std::vector<double> v(size), push(size, 0.0);
    system.free_velocity(2, v);
    system.add_point_impulse({2, 20, 0.5}, strength * Vector3d(1, 2, -1), push);
    system.apply_inverse(2, 1, push);
    for (std::size_t i = 0; i < size; ++i) v[i] += push[i];
    system.set_velocity(2, v);
    const Report report = system.advance(course.trial);
    ASSERT_EQ(report.step.outcome, Outcome::converged);
    EXPECT_LT(report.stretch, 1e-11) << strength;
    Course after = course;
    after.state.swap(course.trial);
    EXPECT_LT(after.worst_link(), 1e-11);
  }
}

// Steps of a whole frame, a root that is flung about: the links do not give.
TEST(Inextensible, LinksAreExactAfterLargeSteps) {
  for (const der::Material& material : {hair(), rope()}) {
    Course course(three_strands(material, {Clamp::edge, Clamp::free}));
    course.step_options.dt = 1.0 / 60.0;
    int most = 0;
    for (int i = 1; i <= 120; ++i) {
      const double t = i / 60.0;
      der::Drive drive;
      drive.root = {{Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * std::sin(5.0 * t), Vector3d::UnitY())),
                     {0.1 * std::sin(7.0 * t), 0.0, 0.0}}};
      ASSERT_NO_FATAL_FAILURE(course.step(drive)) << i;
      ASSERT_LT(course.worst_link(), 1e-11) << i;
      most = std::max(most, course.report.iterations);
    }
    EXPECT_LE(most, 15);
  }
}

// A strand with an edge so short, far from the origin, that its positions cannot be exact, asks less of itself alone.
TEST(Inextensible, HasTheSameBitsInAnyCompany) {
  Random random(41);
  const std::vector<Vector3d> own = smooth_strand(random, 12, 0.07, 0.15);
  std::vector<Vector3d> rounded = straight_strand(6, 0.05, Vector3d::UnitX());
  for (Vector3d& x : rounded) x += Vector3d(1.0, 0.0, 0.0);
  rounded.push_back(rounded.back() + Vector3d(1e-6, 0.0, 0.0));
  for (const Method method : {Method::newton, Method::fast}) {
    Curves both = one(own);
    append(both, rounded);
    Course alone(der::describe(one(own), hair(), {})), shared(der::describe(both, hair(), {}));
    alone.options.method = shared.options.method = method;
    alone.run(40), shared.run(40);
    const std::vector<Vector3d> x = alone.positions(), same = shared.positions();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], same[i]) << i;
  }
}

TEST(Inextensible, HasTheSameBitsForAnyThreadCount) {
  std::vector<std::uint64_t> hashes;
  for (const Method method : {Method::newton, Method::fast}) {
    for (const int threads : {1, 3}) {
      set_thread_count(threads);
      Course course(three_strands(hair(), {}));
      course.options.method = method;
      course.run(20);
      hashes.push_back(der::hash(course.strands, course.state));
    }
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[2], hashes[3]);
  EXPECT_NE(hashes[0], hashes[2]);
}

// B8: a rigid pendulum is one link on a held vertex; a free angle, a bob.
Description pendulum(double angle) {
  der::Material material = rope();
  const Vector3d along(std::sin(angle), -std::cos(angle), 0.0);
  return der::describe(one({Vector3d::Zero(), 0.5 * along}), material, {Clamp::free, Clamp::free});
}

double pendulum_period(double dt, der::Integrator integrator) {
  Course course(pendulum(1.0), {{0, 0, {true, true, true, false}}});
  course.step_options.dt = dt;
  course.step_options.integrator = integrator;
  double previous = 1.0;
  for (int i = 1; i < 100000; ++i) {
    course.step();
    const double x = course.positions()[1].x();
    if (previous > 0.0 && x <= 0.0) return 4.0 * dt * (i - 1 + previous / (previous - x));  // a quarter swing
    previous = x;
  }
  return 0.0;
}

TEST(InextensibleBenchmark, PendulumPeriod) {
  // The bob is half the link's mass at its end; the other half is held.
  const double exact = 2.0 * pi * std::sqrt(0.5 / g) * 1.0663342456;
  std::vector<double> errors;
  for (const double dt : {4e-3, 2e-3, 1e-3})
    errors.push_back(std::abs(pendulum_period(dt, der::Integrator::euler) / exact - 1.0));
  EXPECT_LT(errors.back(), 2e-3);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(errors[std::size_t(i)] / errors[std::size_t(i + 1)]), 1.0, 0.2);
  const double bdf2 = std::abs(pendulum_period(1e-3, der::Integrator::bdf2) / exact - 1.0);
  EXPECT_LT(bdf2, 0.2 * errors.back());
}

TEST(InextensibleBenchmark, PendulumEnergyNeverGrows) {
  std::vector<double> losses;
  for (const double dt : {1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0}) {
    Course course(pendulum(1.5), {{0, 0, {true, true, true, false}}});
    course.step_options.dt = dt;
    const double start = course.energy();
    double before = start;
    for (int i = 0; i < int(std::lround(2.0 / dt)); ++i) {
      course.step();
      const double now = course.energy();
      EXPECT_LT(now, before + 1e-12 * std::abs(start) + 1e-15) << i;
      before = now;
    }
    losses.push_back(start - before);
  }
  EXPECT_GT(losses[0], losses[1]);
  EXPECT_GT(losses[1], losses[2]);
}

// B8: small swings of a hanging chain of n equal links: the lowest frequency goes to 1.2024 sqrt(g/L).
TEST(InextensibleBenchmark, HangingChainFrequency) {
  der::Material limp = rope();
  limp.young = limp.shear = 1.0;
  std::vector<double> errors;
  for (const std::size_t n : {11u, 21u}) {
    std::vector<Vector3d> points;
    for (std::size_t i = 0; i < n; ++i) {
      const double s = double(i) / double(n - 1);
      points.push_back({0.0, -s, 0.0});
    }
    Course course(der::describe(one(points), limp, {Clamp::free, Clamp::free}), {{0, 0, {true, true, true, false}}});
    course.step_options.dt = 2e-3;
    course.step_options.integrator = der::Integrator::bdf2;
    // The first mode is J_0(2 w sqrt(z/g)), z from the free end.
    std::vector<Vector3d> v(n, Vector3d::Zero());
    for (std::size_t i = 0; i < n; ++i)
      v[i].x() = 1e-3 * std::cyl_bessel_j(0.0, 2.404825557695773 * std::sqrt(1.0 - double(i) / double(n - 1)));
    ASSERT_TRUE(der::set_velocities(course.strands, v, course.state));
    double previous = 0.0, half = 0.0;
    for (int i = 1; i < 2000 && half == 0.0; ++i) {
      course.step();
      const double x = course.positions().back().x();
      if (i > 10 && previous > 0.0 && x <= 0.0) half = 2e-3 * (i - 1 + previous / (previous - x));
      previous = x;
    }
    errors.push_back(std::abs(pi / half / (1.2024127788 * std::sqrt(g)) - 1.0));
  }
  EXPECT_LT(errors[0], 0.01);
  EXPECT_LT(errors[1], 0.005);
}

// B11: a free strand keeps its momentum; without gravity its energy never grows.
TEST(InextensibleBenchmark, FreeStrandKeepsItsMomentum) {
  Random random(43);
  Course course(der::describe(one(smooth_strand(random, 20, 0.2, 0.1)), rope(), {Clamp::free, Clamp::free}));
  course.step_options.gravity.setZero();
  course.step_options.dt = 1e-3;
  std::vector<Vector3d> v;
  for (const Vector3d& x : course.positions()) v.push_back(Vector3d(0.3, 0.1, -0.2) + Vector3d(1, 4, 2).cross(x));
  ASSERT_TRUE(der::set_velocities(course.strands, v, course.state));
  const std::vector<double> mass = course.strands.masses();
  const auto momentum = [&] {
    Vector3d sum = Vector3d::Zero();
    const std::vector<Vector3d> now = course.velocities();
    for (std::size_t i = 0; i < now.size(); ++i) sum += mass[i] * now[i];
    return sum;
  };
  const Vector3d start = momentum();
  double before = course.energy();
  for (int i = 0; i < 500; ++i) {
    ASSERT_NO_FATAL_FAILURE(course.step());
    EXPECT_LT(course.energy(), before * (1.0 + 1e-9));
    before = course.energy();
  }
  EXPECT_LT((momentum() - start).norm(), 1e-10 * start.norm());
  EXPECT_LT(course.worst_link(), 1e-11);
}

// Rods that are ever stiffer against stretching come ever closer, in first order of their stretch.
TEST(InextensibleBenchmark, IsTheLimitOfStiffRods) {
  der::Material material = rope();
  material.young = 1e5, material.shear = 4e4, material.radius = 2e-3;
  const auto run = [&](auto& course) {
    for (int i = 0; i < 100; ++i) course.step();
  };
  const std::vector<Vector3d> drawn = straight_strand(16, 0.3, Vector3d(1, -0.3, 0));
  Course exact(der::describe(one(drawn), material, {Clamp::point, Clamp::free}));
  exact.step_options.dt = 5e-4;
  run(exact);
  std::vector<double> distances;
  for (const double young : {1e8, 1e9, 1e10}) {
    material.stretch_young = young;
    Simulation stiff(der::describe(one(drawn), material, {Clamp::point, Clamp::free}));
    der::StepOptions options;
    options.dt = 5e-4, options.converge = true;
    stiff.run(options, 100);
    double worst = 0.0;
    for (std::size_t i = 0; i < 16; ++i) worst = std::max(worst, (stiff.positions()[i] - exact.positions()[i]).norm());
    distances.push_back(worst);
  }
  EXPECT_LT(distances.back(), 1e-4);  // what is left is the linearly implicit step against a converged one
  EXPECT_GT(distances[0], 0.9 * distances[2]);
}

// B2 in time: a damped strand that hangs from a horizontal clamp and comes to rest, gamma = 10.
Course fallen_cantilever(std::size_t vertices, double dt, Method method = Method::newton) {
  der::Material material;
  material.radius = 1e-3, material.density = 1200.0, material.damping = 0.05;
  material.young = material.density * g * 0.2 * 0.2 * 0.2 * 4.0 / (10.0 * 1e-6);
  material.shear = material.young / 2.6;
  Course course(
      der::describe(one(straight_strand(vertices, 0.2, Vector3d::UnitX())), material, {Clamp::point, Clamp::free}));
  course.options.method = method, course.step_options.dt = dt;
  course.run(int(std::lround(6.0 / dt)));
  return course;
}

// Over its length.
double miss_of_tip(const Course& cantilever) {
  const Vector3d tip = cantilever.positions().back() / 0.2;
  return std::hypot(tip.y() + 0.7001997155, tip.x() - 0.6563537612);
}

TEST(InextensibleBenchmark, CantileverUnderItsWeight) {
  std::vector<double> errors;
  for (const std::size_t n : {11u, 21u}) {
    const Course course = fallen_cantilever(n, 1e-2);
    EXPECT_LT(course.residual, 1e-6);
    errors.push_back(miss_of_tip(course));
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.3);
}

// Exact lengths, too, but where it comes to rest depends on the step: forces are a part of the weight away from
// balance, by the square of the step.
TEST(InextensibleBenchmark, FastProjectionRestsWhereForcesDoNotBalance) {
  const Course exact = fallen_cantilever(21, 1e-2), coarse = fallen_cantilever(21, 1e-2, Method::fast),
               fine = fallen_cantilever(21, 5e-3, Method::fast);
  for (const Course* course : {&coarse, &fine}) EXPECT_LT(course->worst_link(), 1e-11);
  EXPECT_GT(coarse.residual, 1e-3);
  EXPECT_GT(fine.residual, 1e3 * exact.residual);
  EXPECT_NEAR(std::log2(coarse.residual / fine.residual), 2.0, 0.5);
}

TEST(Inextensible, FastProjectionMovesPointsAsAWhole) {
  const Description strands = three_strands(hair(), {});
  const auto made = [&](std::array<bool, 4> components) {
    return std::move(der::Strands::create(without_stretch(strands), {{1, 4, components}}).value());
  };
  EXPECT_TRUE(unfit(made({true, false, true, false}), Method::fast));
  EXPECT_FALSE(unfit(made({true, true, true, false}), Method::fast));
  EXPECT_FALSE(unfit(made({false, false, false, true}), Method::fast));
  EXPECT_FALSE(unfit(made({true, false, true, false}), Method::newton));
}

// A limp heavy chain of 60 links swings with steps of a whole frame: tensions that acted along the old links would have
// to follow frequencies a hundred times above that.
TEST(Inextensible, ATautStrandIsStableAtLargeSteps) {
  der::Material limp = rope();
  limp.young = limp.shear = 10.0;
  Course course(der::describe(one(straight_strand(61, 0.5, Vector3d(1, -1, 0))), limp, {Clamp::free, Clamp::free}),
                {{0, 0, {true, true, true, false}}});
  course.step_options.dt = 1.0 / 60.0;
  double before = course.energy();
  for (int i = 0; i < 240; ++i) {
    ASSERT_NO_FATAL_FAILURE(course.step()) << i;
    const double now = course.energy();
    EXPECT_LT(now, before + 1e-9 * std::abs(before)) << i;
    before = now;
  }
  EXPECT_LT(course.worst_link(), 1e-11);
}

// Ends pulled further apart than the strand is long: no exact links can be had, and the report says so.
TEST(Inextensible, SaysWhenItsEndsAreTooFarApart) {
  Course course(der::describe(one(straight_strand(8, 0.1, Vector3d::UnitX())), hair(), {Clamp::edge, Clamp::edge}));
  der::Drive drive;
  drive.tip = {{Eigen::Quaterniond::Identity(), {0.01, 0.0, 0.0}}};
  course.strands.drive(drive, course.state, course.targets);
  OneStep system(course.strands, course.targets, course.step_options, course.options, course.state);
  EXPECT_NE(system.advance(course.trial).step.outcome, Outcome::converged);
}

}  // namespace
}  // namespace tendril::inextensible
