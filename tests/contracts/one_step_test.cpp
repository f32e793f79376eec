// The one-step contract through the eyes of a contact solver: nothing but velocities, inverse and material points.
#include "tendril/contracts/one_step.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/rods.hpp"
#include "tendril/contracts/incremental_potential.hpp"
#include "tendril/linalg/packed_rows.hpp"
#include "tendril/rods/der/one_step.hpp"
#include "tendril/rods/der/static_potential.hpp"

namespace tendril::der {
namespace {

using namespace support;
using Eigen::MatrixXd;

static_assert(OneStepSystem<OneStep>);
static_assert(IncrementalPotential<StaticPotential>);
// What lacks a part of the contract does not pass for a model.
struct NoInverse {
  std::size_t block_count() const;
  std::size_t block_size(std::size_t) const;
  void free_velocity(std::size_t, std::span<double>) const;
};
static_assert(!OneStepSystem<NoInverse>);
static_assert(!OneStepSystem<StaticPotential>);
static_assert(!IncrementalPotential<OneStep>);

struct Setting {
  const char* name;
  Clamps clamps;
  std::vector<Hold> holds;
  Material material;
  StepOptions options;
};

std::vector<Setting> settings() {
  Material flat = rope(), damped = hair();
  flat.aspect = 0.6, damped.damping = 2e-3;
  StepOptions plain, windy, bdf2;
  windy.air = {1.2, 1.0, 0.02}, windy.wind = {1.0, 2.0, 0.0};
  bdf2.integrator = Integrator::bdf2;
  return {{"edge", {}, {}, hair(), plain},
          {"point", {Clamp::point, Clamp::free}, {}, rope(), plain},
          {"free", {Clamp::free, Clamp::free}, {}, flat, plain},
          {"both", {Clamp::edge, Clamp::point}, {}, damped, plain},
          {"holds", {}, {{1, 4, {true, false, true, false}}, {2, -3, {false, false, false, true}}}, hair(), plain},
          {"air", {Clamp::point, Clamp::free}, {}, damped, windy},
          {"bdf2", {}, {{0, 4, {false, true, false, false}}}, damped, bdf2}};
}

// Three strands of different lengths, moving, their clamps and holds under way.
Simulation moving(const Setting& setting, Isa isa, Drive& drive) {
  Random random(101);
  Curves curves;
  for (const std::size_t n : {7u, 9u, 12u}) append(curves, smooth_strand(random, n, 0.01 * double(n), 0.2));
  Simulation s(describe(curves, setting.material, setting.clamps), setting.holds, isa);
  drive.holds.resize(setting.holds.size()), drive.hold_angles.resize(setting.holds.size());
  for (int i = 1; i <= 4; ++i) {
    const Pose pose{Eigen::Quaterniond(Eigen::AngleAxisd(0.01 * i, Vector3d(1, 2, 2) / 3.0)), {1e-4 * i, 0, 0}};
    drive.root = {pose}, drive.tip = {pose};
    for (Pose& hold : drive.holds) hold = pose;
    for (double& angle : drive.hold_angles) angle = 0.02 * i;
    if (i < 4) {
      EXPECT_NE(s.step(setting.options, drive).outcome, Outcome::failed);
    }
  }
  s.strands.drive(drive, s.state, s.targets);
  return s;
}

class Contract : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(OneStep, Contract, testing::ValuesIn(available_sets()), set_name);

MatrixXd inverse_of(const OneStep& system, std::size_t block) {
  const std::size_t size = system.block_size(block);
  MatrixXd columns = MatrixXd::Identity(Eigen::Index(size), Eigen::Index(size));
  system.apply_inverse(block, size, {columns.data(), size * size});
  return columns;
}

// Drag adds D/4h to the four blocks of an edge, for the force D (wind - mean velocity) / 2 on each end. D is that of
// the start of the step, for the user's edges alone: the ghosts of a point clamp feel no air.
void add_drag(const Rod& rod, const StepOptions& options, double h, MatrixXd& matrix) {
  for (int k = rod.first; k + 1 < rod.first + rod.user_vertices; ++k) {
    const Vector3d edge = rod.position(k + 1) - rod.position(k), t = edge.normalized();
    const Vector3d slip =
        0.5 * (read3(rod, k, StateLayout::velocity) + read3(rod, k + 1, StateLayout::velocity)) - options.wind;
    const double along = slip.dot(t), across = (slip - along * t).norm();
    const double area = rod.parameter(k, ParameterLayout::width) * edge.norm();
    const Eigen::Matrix3d tt = t * t.transpose();
    const Eigen::Matrix3d drag = 0.5 * options.air.density * area *
                                 (options.air.normal * across * (Eigen::Matrix3d::Identity() - tt) +
                                  options.air.tangential * pi * std::abs(along) * tt);
    for (const int a : {k, k + 1})
      for (const int b : {k, k + 1}) matrix.block<3, 3>(4 * a, 4 * b) += drag / (4.0 * h);
  }
}

TEST_P(Contract, InverseIsThatOfTheStepMatrix) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Drive drive;
    const Simulation s = moving(setting, GetParam(), drive);
    const OneStep system(s.strands, s.targets, setting.options, s.state);
    // BDF2 with equal steps is Euler with two thirds of the step (docs/theory/der.md, "Time"); damping counts the
    // whole.
    const double dt = setting.options.dt, h = setting.options.integrator == Integrator::bdf2 ? dt * 2.0 / 3.0 : dt;
    for (std::size_t block = 0; block < system.block_count(); ++block) {
      Rod rod = s.rod(block);
      rod.damping *= h / dt;
      MatrixXd matrix = full(step_hessian(rod, h));
      if (setting.options.air.density > 0.0) add_drag(rod, setting.options, h, matrix);
      std::vector<Eigen::Index> free;
      for (std::size_t u = 0; u < rod.unknowns(); ++u)
        if (rod.is_free(u)) free.push_back(Eigen::Index(u));
      const MatrixXd expected = (h * h * matrix(free, free)).inverse();
      const MatrixXd ours = inverse_of(system, block);
      ASSERT_EQ(ours.rows(), Eigen::Index(4 * s.strands.vertices(block)));
      MatrixXd mapped = MatrixXd::Zero(ours.rows(), ours.cols());
      for (std::size_t a = 0; a < free.size(); ++a)
        for (std::size_t b = 0; b < free.size(); ++b)
          mapped(free[a] - 4 * rod.first, free[b] - 4 * rod.first) = expected(Eigen::Index(a), Eigen::Index(b));
      for (Eigen::Index a = 0; a < ours.rows(); ++a)
        for (Eigen::Index b = 0; b < ours.cols(); ++b) {
          const double scale = std::sqrt(mapped(a, a) * mapped(b, b));
          // A hair's stretching is 1e8 times as stiff as its inertia: that many digits the inverses may lose.
          EXPECT_NEAR(ours(a, b), mapped(a, b), 1e-7 * scale) << "block " << block << ": " << a << " " << b;
        }
    }
  }
}

TEST_P(Contract, InverseIsSymmetricSemidefiniteAndLinear) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Drive drive;
    const Simulation s = moving(setting, GetParam(), drive);
    const OneStep system(s.strands, s.targets, setting.options, s.state);
    for (std::size_t block = 0; block < system.block_count(); ++block) {
      const MatrixXd inverse = inverse_of(system, block);
      for (Eigen::Index a = 0; a < inverse.rows(); ++a)
        for (Eigen::Index b = 0; b < a; ++b)
          EXPECT_NEAR(inverse(a, b), inverse(b, a), 1e-10 * std::sqrt(inverse(a, a) * inverse(b, b)));
      MatrixXd scaled = inverse;
      for (Eigen::Index a = 0; a < inverse.rows(); ++a) {
        const double d = inverse(a, a) > 0.0 ? 1.0 / std::sqrt(inverse(a, a)) : 1.0;
        scaled.row(a) *= d, scaled.col(a) *= d;
      }
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(scaled).eigenvalues().minCoeff(), -1e-10);
      // Any number of columns, whatever the lanes: each as if it came alone.
      Random random(102);
      for (const std::size_t columns : {1u, 3u, 9u}) {
        MatrixXd many =
            MatrixXd::NullaryExpr(inverse.rows(), Eigen::Index(columns), [&] { return random.uniform(-1, 1); });
        const MatrixXd right = many;
        system.apply_inverse(block, columns, {many.data(), std::size_t(many.size())});
        for (std::size_t c = 0; c < columns; ++c) {
          Eigen::VectorXd alone = right.col(Eigen::Index(c));
          system.apply_inverse(block, 1, {alone.data(), std::size_t(alone.size())});
          EXPECT_EQ(alone, many.col(Eigen::Index(c)));
          EXPECT_LT((alone - inverse * right.col(Eigen::Index(c))).norm(), 1e-9 * alone.norm());
        }
      }
    }
  }
}

TEST_P(Contract, InverseDownwardsIsItsLowerHalf) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Drive drive;
    const Simulation s = moving(setting, GetParam(), drive);
    const OneStep system(s.strands, s.targets, setting.options, s.state);
    for (std::size_t block = 0; block < system.block_count(); ++block) {
      const MatrixXd inverse = inverse_of(system, block);
      MatrixXd lower = MatrixXd::Identity(inverse.rows(), inverse.cols());
      system.apply_inverse_downwards(block, std::size_t(lower.cols()), {lower.data(), std::size_t(lower.size())});
      for (Eigen::Index column = 0; column < inverse.cols(); ++column) {
        const Eigen::Index rows = inverse.rows() - column;
        EXPECT_LE((lower.col(column).tail(rows) - inverse.col(column).tail(rows)).norm(),
                  1e-12 * inverse.col(column).norm());
      }
    }
  }
}

// In any number of points on any edges, from the tip to the root; several on one edge, and those at its ends.
TEST_P(Contract, PointComplianceIsTheInverseAtPoints) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Drive drive;
    const Simulation s = moving(setting, GetParam(), drive);
    const OneStep system(s.strands, s.targets, setting.options, s.state);
    for (std::size_t block = 0; block < system.block_count(); ++block) {
      const MatrixXd inverse = inverse_of(system, block);
      const std::size_t edges = system.block_size(block) / 4 - 1;
      std::vector<MaterialPoint> points = {{block, edges - 1, 1.0}, {block, edges - 1, 0.6}, {block, edges - 1, 0.5}};
      for (std::size_t e = edges - 1; e-- > 0;)
        if (e % 3 != 1) points.push_back({block, e, e % 2 == 0 ? 0.0 : 0.3});
      MatrixXd jacobian = MatrixXd::Zero(Eigen::Index(3 * points.size()), inverse.rows());
      for (std::size_t i = 0; i < points.size(); ++i)
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
          const Eigen::Index column = Eigen::Index(4 * points[i].element) + axis;
          jacobian(Eigen::Index(3 * i) + axis, column) = 1.0 - points[i].along;
          jacobian(Eigen::Index(3 * i) + axis, column + 4) = points[i].along;
        }
      const MatrixXd expected = jacobian * inverse * jacobian.transpose();
      std::vector<float> rows(PackedRows::size(points.size()), -1.0f);
      system.point_compliance(block, points, rows.data());
      const double largest = expected.cwiseAbs().maxCoeff();
      for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
          for (std::size_t c = 0; c < PackedRows::stride(i); ++c) {
            const double there =
                c >= 3 * i + 3 ? 0.0 : expected(Eigen::Index(3 * i + axis), Eigen::Index(c)) * (c < 3 * i ? 1.0 : 0.5);
            EXPECT_NEAR(double(rows[PackedRows::begin(i) + axis * PackedRows::stride(i) + c]), there, 1e-6 * largest)
                << "point " << i << " axis " << axis << " column " << c;
          }
    }
  }
}

TEST_P(Contract, WithoutContactIsTheStep) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Drive drive;
    Simulation s = moving(setting, GetParam(), drive);
    OneStep system(s.strands, s.targets, setting.options, s.state);
    std::vector<Vector3d> velocity(s.strands.vertex_count());
    for (std::size_t block = 0; block < system.block_count(); ++block) {
      std::vector<double> v(system.block_size(block));
      system.free_velocity(block, v);
      system.set_velocity(block, v);
      for (std::size_t i = 0; i < s.strands.vertices(block); ++i)
        velocity[s.strands.offset(block) + i] = Eigen::Map<Vector3d>(&v[4 * i]);
    }
    State trial;
    EXPECT_EQ(system.advance(trial).outcome, Outcome::converged);
    ASSERT_EQ(s.try_step(setting.options).outcome, Outcome::converged);
    EXPECT_EQ(hash(s.strands, trial), hash(s.strands, s.trial));
    std::vector<Vector3d> stepped(s.strands.vertex_count());
    gather_velocities(s.strands, trial, stepped);
    for (std::size_t i = 0; i < stepped.size(); ++i) EXPECT_LT((stepped[i] - velocity[i]).norm(), 1e-12);
    StepWorkspace work;
    EXPECT_EQ(system.residual(), force_residual(s.strands, s.targets, setting.options, s.state, s.trial, work));
  }
}

// Driven unknowns have their drive's velocity in the free one, and no impulse moves them.
TEST_P(Contract, DrivenUnknownsKeepTheirVelocity) {
  const Setting setting = settings()[4];
  Drive drive;
  const Simulation s = moving(setting, GetParam(), drive);
  const OneStep system(s.strands, s.targets, setting.options, s.state);
  std::vector<double> v(system.block_size(1)), impulse(system.block_size(1), 1.0);
  system.free_velocity(1, v);
  const std::vector<Vector3d> x = s.positions(), drawn = s.strands.description().curves.points;
  const std::size_t first = s.strands.offset(1);
  for (const std::size_t i : {0u, 1u}) {
    const Vector3d expected = (apply(drive.root[0], drawn[first + i]) - x[first + i]) / setting.options.dt;
    EXPECT_LT((Eigen::Map<Vector3d>(&v[4 * i]) - expected).norm(), 1e-11);
  }
  system.apply_inverse(1, 1, impulse);
  for (const std::size_t u : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 16u, 18u}) EXPECT_EQ(impulse[u], 0.0) << u;
  for (const std::size_t u : {7u, 8u, 17u, 20u}) EXPECT_NE(impulse[u], 0.0) << u;
}

// J v and its transpose are adjoint, at any point of an edge.
TEST(MaterialPoints, VelocityAndImpulseAreAdjoint) {
  Drive drive;
  const Simulation s = moving(settings()[0], active_isa(), drive);
  const OneStep system(s.strands, s.targets, settings()[0].options, s.state);
  Random random(103);
  for (const double along : {0.0, 0.3, 1.0}) {
    const MaterialPoint point{2, 5, along};
    std::vector<double> v(system.block_size(2)), back(system.block_size(2), 0.0);
    for (double& value : v) value = random.uniform(-1.0, 1.0);
    const Vector3d impulse = random_vector(random);
    system.add_point_impulse(point, impulse, back);
    double dual = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) dual += v[i] * back[i];
    EXPECT_NEAR(system.point_velocity(point, v).dot(impulse), dual, 1e-15);
  }
}

// A bilateral joint by a small dense system: J A^-1 Jᵀ impulse = wanted - J v_free, over a list of signed points.
struct Attachment {
  MaterialPoint point;
  double sign;
};
void join(OneStep& system, const std::vector<Attachment>& joint, const Vector3d& wanted) {
  std::vector<std::vector<double>> velocity(joint.size()), inverse(joint.size());
  Vector3d gap = wanted;
  Eigen::Matrix3d delassus = Eigen::Matrix3d::Zero();
  for (std::size_t p = 0; p < joint.size(); ++p) {
    const auto& [point, sign] = joint[p];
    const std::size_t size = system.block_size(point.block);
    velocity[p].resize(size), inverse[p].assign(3 * size, 0.0);
    system.free_velocity(point.block, velocity[p]);
    gap -= sign * system.point_velocity(point, velocity[p]);
    for (int c = 0; c < 3; ++c)
      system.add_point_impulse(point, sign * Vector3d::Unit(c), {&inverse[p][std::size_t(c) * size], size});
    system.apply_inverse(point.block, 3, inverse[p]);
    for (int c = 0; c < 3; ++c)
      delassus.col(c) += sign * system.point_velocity(point, {&inverse[p][std::size_t(c) * size], size});
  }
  const Vector3d impulse = delassus.ldlt().solve(gap);
  for (std::size_t p = 0; p < joint.size(); ++p) {
    const std::size_t size = velocity[p].size();
    for (std::size_t i = 0; i < size; ++i)
      for (int c = 0; c < 3; ++c) velocity[p][i] += impulse[c] * inverse[p][std::size_t(c) * size + i];
    system.set_velocity(joint[p].point.block, velocity[p]);
  }
}

Vector3d point_of(const std::vector<Vector3d>& values, const Strands& strands, const MaterialPoint& p) {
  const std::size_t v = strands.offset(p.block) + p.element;
  return (1.0 - p.along) * values[v] + p.along * values[v + 1];
}

TEST_P(Contract, JointsToTheWorldAndBetweenStrandsHold) {
  for (const Setting& setting : settings()) {
    if (setting.clamps.tip != Clamp::free) continue;
    SCOPED_TRACE(setting.name);
    for (const bool to_world : {true, false}) {
      Drive drive;
      Simulation s = moving(setting, GetParam(), drive);
      std::vector<Attachment> joint = {{{0, 5, 1.0}, 1.0}};  // the tip of strand 0
      if (!to_world) joint.push_back({{2, 10, 0.5}, -1.0});  // the middle of strand 2's last edge
      const Vector3d wanted = to_world ? Vector3d(0.01, 0.02, 0.0) : Vector3d::Zero().eval();
      for (int i = 0; i < 5; ++i) {
        OneStep system(s.strands, s.targets, setting.options, s.state);
        join(system, joint, wanted);
        State trial;
        ASSERT_EQ(system.advance(trial).outcome, Outcome::converged);
        commit(trial, setting.options.dt, setting.options.integrator == Integrator::bdf2, s.state);
        Vector3d gap = wanted;
        for (const auto& [point, sign] : joint) gap -= sign * point_of(s.velocities(), s.strands, point);
        EXPECT_LT(gap.norm(), 1e-9) << "step " << i;
      }
    }
  }
}

// What contact does to one strand must leave the others' bits alone.
TEST_P(Contract, ImpulsesOnOneBlockLeaveOthersAlone) {
  Drive drive;
  Simulation s = moving(settings()[0], GetParam(), drive);
  const StepOptions options = settings()[0].options;
  OneStep system(s.strands, s.targets, options, s.state);
  join(system, {{{1, 3, 0.25}, 1.0}}, Vector3d::Zero());
  State trial;
  ASSERT_EQ(system.advance(trial).outcome, Outcome::converged);
  ASSERT_EQ(s.try_step(options).outcome, Outcome::converged);
  std::vector<Vector3d> touched(s.strands.vertex_count()), free(s.strands.vertex_count());
  gather_positions(s.strands, trial, touched), gather_positions(s.strands, s.trial, free);
  for (std::size_t strand = 0; strand < 3; ++strand)
    for (std::size_t v = s.strands.offset(strand) + 2; v < s.strands.offset(strand + 1); ++v)
      EXPECT_EQ(touched[v] == free[v], strand != 1) << strand << " " << v;
}

}  // namespace
}  // namespace tendril::der
