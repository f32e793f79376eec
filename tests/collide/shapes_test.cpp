#include "tendril/collide/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "collide/scenes.hpp"
#include "tendril/base/random.hpp"

namespace tendril::collide {
namespace {

constexpr double pi = std::numbers::pi;

struct Sampled {
  std::function<SurfacePoint(const Vector3d&)> ask;
  std::function<bool(const Vector3d&)> inside;
  std::vector<Vector3d> surface;  // everywhere closer together than `spacing`
  double spacing;
};

Sampled sampled_sphere() {
  const Sphere sphere{0.7};
  Sampled one{[=](const Vector3d& x) { return nearest(sphere, x); },
              [](const Vector3d& x) { return x.norm() < 0.7; },
              {},
              0.05};
  for (int i = 0; i <= 60; ++i)
    for (int j = 0; j < 120; ++j) {
      const double theta = pi * i / 60, phi = 2.0 * pi * j / 120;
      one.surface.push_back(
          0.7 * Vector3d(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi)));
    }
  return one;
}

Sampled sampled_capsule() {
  const Capsule capsule{0.4, 0.6};
  Sampled one{[=](const Vector3d& x) { return nearest(capsule, x); },
              [](const Vector3d& x) { return (x - Vector3d(0, std::clamp(x.y(), -0.6, 0.6), 0)).norm() < 0.4; },
              {},
              0.05};
  for (int j = 0; j < 80; ++j) {
    const double phi = 2.0 * pi * j / 80;
    for (int i = 0; i <= 40; ++i)
      one.surface.push_back({0.4 * std::cos(phi), -0.6 + 1.2 * i / 40, 0.4 * std::sin(phi)});
    for (int i = 0; i <= 40; ++i) {
      const double theta = pi * i / 40;
      one.surface.push_back({0.4 * std::sin(theta) * std::cos(phi), 0.4 * std::cos(theta) + (i <= 20 ? 0.6 : -0.6),
                             0.4 * std::sin(theta) * std::sin(phi)});
    }
  }
  return one;
}

Sampled sampled_cylinder() {
  const Cylinder cylinder{0.5, 0.3};
  Sampled one{[=](const Vector3d& x) { return nearest(cylinder, x); },
              [](const Vector3d& x) { return std::hypot(x.x(), x.z()) < 0.5 && std::abs(x.y()) < 0.3; },
              {},
              0.05};
  for (int j = 0; j < 100; ++j) {
    const double phi = 2.0 * pi * j / 100;
    for (int i = 0; i <= 20; ++i) {
      one.surface.push_back({0.5 * std::cos(phi), -0.3 + 0.6 * i / 20, 0.5 * std::sin(phi)});
      for (const double y : {-0.3, 0.3})
        one.surface.push_back({0.025 * i * std::cos(phi), y, 0.025 * i * std::sin(phi)});
    }
  }
  return one;
}

Sampled sampled_box() {
  const Box box{{0.5, 0.3, 0.8}};
  Sampled one{[=](const Vector3d& x) { return nearest(box, x); },
              [=](const Vector3d& x) { return (x.array().abs() < box.half_sizes.array()).all(); },
              {},
              0.06};
  for (int i = -20; i <= 20; ++i)
    for (int j = -20; j <= 20; ++j)
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          Vector3d x = Vector3d::Constant(side);
          x[(axis + 1) % 3] = i / 20.0, x[(axis + 2) % 3] = j / 20.0;
          one.surface.push_back(x.cwiseProduct(box.half_sizes));
        }
  return one;
}

void expect_signed_distance(const Sampled& shape, std::uint64_t seed) {
  Random random(seed);
  for (int k = 0; k < 500; ++k) {
    const Vector3d x = random_vector(random, 1.2);
    const SurfacePoint found = shape.ask(x);
    EXPECT_EQ(found.distance < 0.0, shape.inside(x));
    EXPECT_NEAR(found.normal.norm(), 1.0, 1e-14);
    EXPECT_LT((found.closest + found.distance * found.normal - x).norm(), 1e-14);
    EXPECT_NEAR(shape.ask(found.closest).distance, 0.0, 1e-14);
    double least = 1e9;
    for (const Vector3d& point : shape.surface) least = std::min(least, (point - x).norm());
    EXPECT_LE(std::abs(found.distance), least + 1e-12);
    EXPECT_GE(std::abs(found.distance), least - shape.spacing);
    // The normal is the gradient, but across a kink inside, where the differences from both sides disagree.
    const double h = 1e-6;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d step = h * Vector3d::Unit(axis);
      const double ahead = (shape.ask(x + step).distance - found.distance) / h;
      const double behind = (found.distance - shape.ask(x - step).distance) / h;
      if (std::abs(ahead - behind) > 1e-3) continue;
      EXPECT_NEAR(0.5 * (ahead + behind), found.normal[axis], 1e-4);
    }
  }
}

TEST(Shapes, SphereAgreesWithItsSamplesAndDifferences) { expect_signed_distance(sampled_sphere(), 1); }
TEST(Shapes, CapsuleAgreesWithItsSamplesAndDifferences) { expect_signed_distance(sampled_capsule(), 2); }
TEST(Shapes, CylinderAgreesWithItsSamplesAndDifferences) { expect_signed_distance(sampled_cylinder(), 3); }
TEST(Shapes, BoxAgreesWithItsSamplesAndDifferences) { expect_signed_distance(sampled_box(), 4); }

TEST(Shapes, PlaneIsTheHeight) {
  const SurfacePoint found = nearest(Plane{}, {3, -0.25, 7});
  EXPECT_EQ(found.distance, -0.25);
  EXPECT_EQ(found.normal, Vector3d::UnitY());
  EXPECT_EQ(found.closest, Vector3d(3, 0, 7));
}

TEST(Shapes, HaveAUnitNormalInTheirMiddle) {
  const Vector3d origin = Vector3d::Zero();
  for (const SurfacePoint& found : {nearest(Sphere{2.0}, origin), nearest(Capsule{2.0, 1.0}, origin),
                                    nearest(Cylinder{2.0, 3.0}, origin), nearest(Box{{2, 3, 4}}, origin)}) {
    EXPECT_EQ(found.distance, -2.0);
    EXPECT_EQ(found.normal.norm(), 1.0);
    EXPECT_EQ(found.closest.norm(), 2.0);
  }
}

// The way to the closest point is along the normal there, the point is on the surface, and the sign is right; also for
// places on planes of symmetry, at the centre and far away.
TEST(Ellipsoid, ClosestPointIsTheFootOfANormal) {
  Random random(5);
  for (const Vector3d& radii :
       {Vector3d(0.078, 0.112, 0.096), Vector3d(1, 1, 1), Vector3d(1, 1, 0.01), Vector3d(3, 0.1, 0.1)}) {
    const Ellipsoid ellipsoid{radii};
    for (int k = 0; k < 2000; ++k) {
      Vector3d place;
      for (int c = 0; c < 3; ++c) place[c] = random.below(5) == 0 ? 0.0 : radii[c] * random.uniform(-3.0, 3.0);
      const SurfacePoint at = nearest(ellipsoid, place);
      const double level = at.closest.cwiseQuotient(radii).squaredNorm();
      ASSERT_NEAR(level, 1.0, 1e-9) << place.transpose();
      ASSERT_LT((at.closest + at.distance * at.normal - place).norm(), 1e-9 * radii.maxCoeff()) << place.transpose();
      ASSERT_EQ(at.distance < 0.0, place.cwiseQuotient(radii).squaredNorm() < 1.0);
      for (int other = 0; other < 20; ++other) {  // nobody on the surface is closer
        Vector3d direction(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
        const Vector3d point = direction.normalized().cwiseProduct(radii);
        ASSERT_GE((point - place).norm(), std::abs(at.distance) - 1e-9 * radii.maxCoeff());
      }
    }
  }
}

}  // namespace
}  // namespace tendril::collide
