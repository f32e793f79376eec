#include "tendril/geometry/triangle_rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <array>
#include <cmath>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Corners = std::array<Eigen::Vector3d, 3>;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d random_vector(Random& random) {
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

Corners random_triangle(Random& random) {
  return {random_vector(random), random_vector(random), random_vector(random)};
}

double area(const Corners& p) { return 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).norm(); }

bool is_sound(const Corners& p) { return place_triangle(p[0], p[1], p[2]).has_value(); }

Quaterniond turn(const Corners& from, const Corners& to) {
  return rotation_between(place_triangle(from[0], from[1], from[2]).value(),
                          place_triangle(to[0], to[1], to[2]).value());
}

TEST(TriangleRotation, IsThatOfARigidMotionTo1e12) {
  Random random(61);
  for (int i = 0; i < 2000; ++i) {
    const Corners from = random_triangle(random);
    if (area(from) < 0.01) continue;
    const Quaterniond rotation =
        Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    const Vector3d shift = random_vector(random);
    Corners to;
    for (std::size_t c = 0; c < 3; ++c) to[c] = rotation * from[c] + shift;
    EXPECT_LT(turn(from, to).angularDistance(rotation), 1e-12);
    for (Vector3d& p : to) p *= 7.0;  // size does not matter
    EXPECT_LT(turn(from, to).angularDistance(rotation), 1e-12);
  }
}

// F = U S V^T; its rotation is U V^T.
Matrix3d polar_rotation(const Corners& from, const Corners& to) {
  const auto frame = [](const Corners& p) {
    Matrix3d m;
    m.col(0) = p[1] - p[0], m.col(1) = p[2] - p[0];
    m.col(2) = m.col(0).cross(m.col(1)).normalized();
    return m;
  };
  const Eigen::JacobiSVD<Matrix3d> svd(Matrix3d(frame(to) * frame(from).inverse()),
                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

TEST(TriangleRotation, IsThatOfThePolarDecompositionWhicheverCornerComesFirst) {
  Random random(62);
  for (int i = 0; i < 2000; ++i) {
    const Corners a = random_triangle(random), b = random_triangle(random);
    if (area(a) < 0.03 || area(b) < 0.03) continue;
    const Matrix3d expected = polar_rotation(a, b);
    ASSERT_NEAR(expected.determinant(), 1.0, 1e-12);
    EXPECT_LT((turn(a, b).toRotationMatrix() - expected).norm(), 1e-12);
    EXPECT_LT((turn({a[1], a[2], a[0]}, {b[1], b[2], b[0]}).toRotationMatrix() - expected).norm(), 1e-12);
    EXPECT_LT((turn({a[2], a[1], a[0]}, {b[2], b[1], b[0]}).toRotationMatrix() - expected).norm(), 1e-12);
  }
}

TEST(TriangleRotation, NeedsATriangleThatIsWiderThanItsRounding) {
  EXPECT_TRUE(is_sound({Vector3d(0, 0, 0), {1, 0, 0}, {0.5, 0, 1e-5}}));
  EXPECT_FALSE(is_sound({Vector3d(0, 0, 0), {1, 0, 0}, {0.5, 0, 1e-7}}));
  EXPECT_FALSE(is_sound({Vector3d(0, 0, 0), {1, 0, 0}, {0.5, 0, 0}}));
  EXPECT_FALSE(is_sound({Vector3d(1, 1, 1), {1, 1, 1}, {1, 1, 1}}));
  EXPECT_TRUE(is_sound({Vector3d(0, 0, 0), {1e-3, 0, 0}, {0, 0, 1e-5}}));
  EXPECT_FALSE(is_sound({Vector3d(100, 0, 0), {100.001, 0, 0}, {100, 0, 1e-5}}));  // float32 counts 8e-6 there
  for (const double size : {1e-30, 1e-6, 1e6, 1e30})
    EXPECT_TRUE(is_sound({Vector3d(0, 0, 0), {size, 0, 0}, {0, size, 0}})) << size;
}

}  // namespace
}  // namespace tendril
