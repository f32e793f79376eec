// One joint alone: strain gradients and energy gradient by central differences, Gauss-Newton Hessian as the sum of
// outer products, exact Hessian by differences, and the closed form for round sections against the general path.
#include "tendril/rods/der/joint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/rods.hpp"
#include "tendril/rods/der/exact_joint.hpp"

namespace tendril::der {
namespace {

using namespace support;
using Vector8d = Eigen::Matrix<double, 8, 1>;
using Matrix8d = Eigen::Matrix<double, 8, 8>;

Vec3<double> kernel(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Vector3d eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

// A joint with its frames: unknowns are (e, theta_e, f, theta_f).
struct Pose8 {
  Vector3d e, f, director_e, director_f;
  double theta_e = 0.0, theta_f = 0.0, reference_twist = 0.0;

  double twist() const { return theta_f - theta_e + reference_twist; }
};

Pose8 moved(const Pose8& from, const Vector8d& d) {
  Pose8 to = from;
  to.e += d.segment<3>(0), to.theta_e += d[3], to.f += d.segment<3>(4), to.theta_f += d[7];
  to.director_e = carried(from.e.normalized(), to.e.normalized(), from.director_e);
  to.director_f = carried(from.f.normalized(), to.f.normalized(), from.director_f);
  const Vector3d t = to.f.normalized();
  const Vector3d u = Eigen::AngleAxisd(from.reference_twist, t) * carried(to.e.normalized(), t, to.director_e);
  to.reference_twist += std::atan2(u.cross(to.director_f).dot(t), u.dot(to.director_f));
  return to;
}

// Turning angles up to 2 rad, twists up to two turns.
Pose8 random_pose(Random& random) {
  Pose8 p;
  const auto [x, y, z] = random.direction();
  p.e = 0.8 * Vector3d(x, y, z);
  p.f = 1.3 *
        (Eigen::AngleAxisd(random.uniform(0.0, 2.0), p.e.cross(random_vector(random)).normalized()) * p.e.normalized());
  p.director_e = p.e.cross(random_vector(random)).normalized();
  p.director_f = p.f.cross(random_vector(random)).normalized();
  p.theta_e = random.uniform(-3.0, 3.0), p.theta_f = random.uniform(-3.0, 3.0);
  p.reference_twist = 2.0 * pi * double(random.below(3)) - 2.0 * pi;
  return moved(p, Vector8d::Zero());  // makes the reference twist fit the directors
}

JointMaterial<double> random_material(Random& random, bool round) {
  JointMaterial<double> m;
  m.bend1 = random.uniform(0.5, 2.0), m.bend2 = round ? m.bend1 : random.uniform(0.5, 2.0);
  m.twist = random.uniform(0.5, 2.0);
  for (double& k : m.curvature) k = random.uniform(-1.0, 1.0);
  m.rest_twist = random.uniform(-1.0, 1.0);
  return m;
}

struct Kernel {
  Edge<double> e, f;
  Frame<double> frame_e, frame_f;
  double twist;

  explicit Kernel(const Pose8& p)
      : e(make_edge(kernel(p.e))),
        f(make_edge(kernel(p.f))),
        frame_e(material_frame(e.tangent, kernel(p.director_e), p.theta_e)),
        frame_f(material_frame(f.tangent, kernel(p.director_f), p.theta_f)),
        twist(p.twist()) {}

  Curvature4<double> strains(Curvature measure) const {
    const JointGeometry<double> joint = joint_geometry(e, f);
    return curvature_strains(measure, e, f, joint, frame_e, frame_f, twist_strain(e, f, joint, twist));
  }
};

Vector8d flat(const JointGradient<double>& g) {
  Vector8d v;
  v << eigen(g.e), g.theta_e, eigen(g.f), g.theta_f;
  return v;
}

Matrix8d flat(const JointHessian<double>& h) {
  Matrix8d m;
  const auto symmetric = [](const Sym3<double>& s) {
    Eigen::Matrix3d full;
    full << s.xx, s.yx, s.zx, s.yx, s.yy, s.zy, s.zx, s.zy, s.zz;
    return full;
  };
  m.block<3, 3>(0, 0) = symmetric(h.ee), m.block<3, 3>(4, 4) = symmetric(h.ff);
  m.block<3, 3>(4, 0) << eigen(h.fe.x).transpose(), eigen(h.fe.y).transpose(), eigen(h.fe.z).transpose();
  m.block<3, 3>(0, 4) = m.block<3, 3>(4, 0).transpose();
  m.block<3, 1>(0, 3) = eigen(h.e_theta_e), m.block<3, 1>(0, 7) = eigen(h.e_theta_f);
  m.block<3, 1>(4, 3) = eigen(h.f_theta_e), m.block<3, 1>(4, 7) = eigen(h.f_theta_f);
  m.row(3).segment<3>(0) = m.block<3, 1>(0, 3).transpose(), m.row(7).segment<3>(0) = m.block<3, 1>(0, 7).transpose();
  m.row(3).segment<3>(4) = m.block<3, 1>(4, 3).transpose(), m.row(7).segment<3>(4) = m.block<3, 1>(4, 7).transpose();
  m(3, 3) = h.theta_ee, m(7, 7) = h.theta_ff, m(3, 7) = m(7, 3) = h.theta_ef;
  return m;
}

// Fourth-order central differences: with a step of 1e-3 both truncation and round-off stay near 1e-11.
Vector8d difference(const Pose8& pose, const std::function<double(const Pose8&)>& f) {
  constexpr double h = 1e-3;
  Vector8d slope;
  for (int i = 0; i < 8; ++i) {
    const auto at = [&](double d) { return f(moved(pose, d * Vector8d::Unit(i))); };
    slope[i] = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
  }
  return slope;
}
constexpr double difference_error = 2e-9;  // turning angles of 2 rad have large fifth derivatives

double energy_of(Curvature measure, const JointMaterial<double>& material, const Pose8& pose) {
  const Kernel k(pose);
  const JointEnergy<double> energy = joint_energy(measure, material, k.e, k.f, k.frame_e, k.frame_f, k.twist);
  return energy.bend + energy.twist;
}

class EveryCurvature : public testing::TestWithParam<Curvature> {};
class TrueCurvature : public testing::TestWithParam<Curvature> {};
INSTANTIATE_TEST_SUITE_P(Joint, EveryCurvature,
                         testing::Values(Curvature::four, Curvature::averaged, Curvature::slerped,
                                         Curvature::slerped_approximate),
                         curvature_name);
INSTANTIATE_TEST_SUITE_P(Joint, TrueCurvature,
                         testing::Values(Curvature::four, Curvature::averaged, Curvature::slerped), curvature_name);

TEST_P(TrueCurvature, RowsAreTheStrainsDerivatives) {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const Curvature4<double> rows = Kernel(pose).strains(GetParam());
    for (int c = 0; c < rows.count; ++c) {
      const Vector8d expected =
          difference(pose, [&](const Pose8& p) { return Kernel(p).strains(GetParam()).component[c].value; });
      EXPECT_LT((flat(rows.component[c].gradient) - expected).cwiseAbs().maxCoeff(), difference_error)
          << "trial " << trial << ", component " << c;
    }
  }
}

TEST(TwistStrain, RowIsItsDerivative) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const Kernel k(pose);
    const Strain<double> twist = twist_strain(k.e, k.f, joint_geometry(k.e, k.f), k.twist);
    EXPECT_LT((flat(twist.gradient) - difference(pose, [](const Pose8& p) { return p.twist(); })).cwiseAbs().maxCoeff(),
              difference_error);
  }
}

TEST_P(TrueCurvature, GradientIsTheEnergysDerivative) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, false);
    const Kernel k(pose);
    const Vector8d gradient = flat(joint_gradient(GetParam(), material, k.e, k.f, k.frame_e, k.frame_f, k.twist));
    const Vector8d expected = difference(pose, [&](const Pose8& p) { return energy_of(GetParam(), material, p); });
    EXPECT_LT((gradient - expected).norm(), 1e-8 * std::max(1.0, expected.norm())) << "trial " << trial;
  }
}

// Why it is for comparison only: with bending and twist together its force is not that of its energy.
TEST(ApproximatedSlerp, GradientIsNotTheEnergysDerivative) {
  Random random(4);
  int wrong = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, false);
    const Kernel k(pose);
    const Curvature measure = Curvature::slerped_approximate;
    const Vector8d gradient = flat(joint_gradient(measure, material, k.e, k.f, k.frame_e, k.frame_f, k.twist));
    const Vector8d expected = difference(pose, [&](const Pose8& p) { return energy_of(measure, material, p); });
    if ((gradient - expected).norm() > 1e-2 * expected.norm()) ++wrong;
  }
  EXPECT_GT(wrong, 50);
}

// The two slerps share their strain and hence their energy; only the gradients differ.
TEST(ApproximatedSlerp, HasTheEnergyOfTheExactOne) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, false);
    const double exact = energy_of(Curvature::slerped, material, pose);
    EXPECT_NEAR(energy_of(Curvature::slerped_approximate, material, pose), exact, 1e-13 * exact);
  }
}

TEST_P(EveryCurvature, GaussNewtonIsTheSumOfOuterProducts) {
  Random random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, false);
    const double stiffening = random.uniform(1.0, 3.0);
    const Kernel k(pose);
    const Curvature4<double> rows = k.strains(GetParam());
    const Vector8d twist = flat(twist_strain(k.e, k.f, joint_geometry(k.e, k.f), k.twist).gradient);
    Matrix8d expected = material.twist * twist * twist.transpose();
    for (int c = 0; c < rows.count; ++c) {
      const double bend = (c % 2 == 0 ? material.bend1 : material.bend2) * (rows.count == 2 ? 2.0 : 1.0);
      const Vector8d row = flat(rows.component[c].gradient);
      expected += bend * row * row.transpose();
    }
    expected *= stiffening;
    const Joint<double> joint =
        bend_and_twist(GetParam(), material, stiffening, k.e, k.f, k.frame_e, k.frame_f, k.twist);
    EXPECT_LT((flat(joint.hessian) - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff());
    const Vector8d gradient = flat(joint_gradient(GetParam(), material, k.e, k.f, k.frame_e, k.frame_f, k.twist));
    EXPECT_LT((flat(joint.gradient) - gradient).norm(), 1e-14 * (1.0 + gradient.norm()));
  }
}

// Derivatives of the gradient in all eight unknowns, made symmetric: frames carry stress along as they are transported.
TEST(ExactJoint, IsTheSymmetricPartOfTheGradientsDerivative) {
  Random random(8);
  for (int trial = 0; trial < 100; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, trial % 2 == 0);
    const Kernel k(pose);
    const JointGeometry<double> geometry = joint_geometry(k.e, k.f);
    JointHessian<double> ours =
        bend_and_twist(Curvature::four, material, 1.0, k.e, k.f, k.frame_e, k.frame_f, k.twist).hessian;
    add_stress_terms(joint_stress(material, geometry, k.frame_e, k.frame_f, k.twist), k.e, k.f, geometry, ours);
    Matrix8d jacobian;
    for (int row = 0; row < 8; ++row)
      jacobian.row(row) = difference(pose, [&](const Pose8& p) {
        const Kernel at(p);
        return flat(joint_gradient(Curvature::four, material, at.e, at.f, at.frame_e, at.frame_f, at.twist))[row];
      });
    const Matrix8d expected = 0.5 * (jacobian + jacobian.transpose());
    EXPECT_LT((flat(ours) - expected).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + expected.cwiseAbs().maxCoeff()))
        << "trial " << trial;
  }
}

TEST(RoundSection, ClosedFormIsTheGeneralPath) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Pose8 pose = random_pose(random);
    const JointMaterial<double> material = random_material(random, true);
    const Kernel k(pose);
    const JointGeometry<double> geometry = joint_geometry(k.e, k.f);
    const Joint<double> general =
        bend_and_twist(Curvature::four, material, 1.0, k.e, k.f, k.frame_e, k.frame_f, k.twist);
    const Vector8d gradient = flat(round_joint_gradient(material, k.e, k.f, geometry, k.frame_e, k.frame_f, k.twist));
    const Matrix8d hessian = flat(round_joint_hessian(material.bend1, material.twist, k.e, k.f, geometry));
    EXPECT_LT((gradient - flat(general.gradient)).norm(), 1e-13 * (1.0 + gradient.norm()));
    EXPECT_LT((hessian - flat(general.hessian)).norm(), 1e-13 * (1.0 + hessian.norm()));
  }
}

// In the continuum's limit all measures say the same: small turns, no twist.
TEST_P(EveryCurvature, StraightAndUntwistedAgreesWithFourD) {
  Random random(8);
  Pose8 pose = random_pose(random);
  pose.f = Eigen::AngleAxisd(1e-3, pose.e.cross(Vector3d::UnitX()).normalized()) * pose.e;
  pose.director_f = carried(pose.e.normalized(), pose.f.normalized(), pose.director_e);
  pose.theta_f = pose.theta_e, pose.reference_twist = 0.0;
  JointMaterial<double> material{2.0, 2.0, 1.0, {}, 0.0};
  const double four = energy_of(Curvature::four, material, pose);
  EXPECT_NEAR(energy_of(GetParam(), material, pose), four, 1e-12 * four);
}

}  // namespace
}  // namespace tendril::der
