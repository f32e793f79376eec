#include "tendril/collide/mesh_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "collide/scenes.hpp"
#include "tendril/geometry/sphere_mesh.hpp"

namespace tendril::collide {
namespace {

MeshShape shape_of(const TriangleMesh& mesh) {
  auto made = MeshShape::make(mesh);
  EXPECT_TRUE(made);
  return std::move(made.value());
}

// A star with five sharp arms: a prism, concave between the arms.
TriangleMesh star() {
  TriangleMesh mesh;
  constexpr std::uint32_t around = 10;
  for (const double z : {-0.2, 0.2})
    for (std::uint32_t k = 0; k < around; ++k) {
      const double radius = k % 2 == 0 ? 1.0 : 0.2, angle = 2.0 * std::numbers::pi * k / around;
      mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  mesh.points.push_back({0, 0, -0.2});
  mesh.points.push_back({0, 0, 0.2});
  for (std::uint32_t k = 0; k < around; ++k) {
    const std::uint32_t a = k, b = (k + 1) % around, c = a + around, d = b + around;
    mesh.triangles.push_back({a, b, d});
    mesh.triangles.push_back({a, d, c});
    mesh.triangles.push_back({b, a, 2 * around});
    mesh.triangles.push_back({c, d, 2 * around + 1});
  }
  return mesh;
}

// How often the mesh winds around a place: 1 inside, 0 outside (van Oosterom and Strackee).
double winding(const TriangleMesh& mesh, const Vector3d& place) {
  double sum = 0.0;
  for (const auto& corners : mesh.triangles) {
    const Vector3d a = mesh.points[corners[0]] - place, b = mesh.points[corners[1]] - place,
                   c = mesh.points[corners[2]] - place;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2.0 * std::atan2(a.cross(b).dot(c), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4.0 * std::numbers::pi);
}

void expect_signs(const TriangleMesh& mesh, const std::vector<Vector3d>& places) {
  const MeshShape shape = shape_of(mesh);
  int inside = 0, near_features = 0;
  for (const Vector3d& place : places) {
    const double turns = winding(mesh, place);
    if (std::abs(turns - std::round(turns)) > 1e-3) continue;  // on the surface
    const MeshSurfacePoint found = shape.nearest(place);
    EXPECT_EQ(found.distance<0.0, turns> 0.5) << place.transpose();
    EXPECT_LT((found.closest + found.distance * found.normal - place).norm(), 1e-12);
    inside += turns > 0.5 ? 1 : 0;
    near_features += (found.barycentric.array() == 0.0).any() ? 1 : 0;
  }
  EXPECT_GT(inside, static_cast<int>(places.size()) / 50);
  EXPECT_GT(near_features, static_cast<int>(places.size()) / 10);
}

TEST(MeshShape, KnowsInsideFromOutsideAtVerticesAndEdgesOfAConcaveMesh) {
  const TriangleMesh mesh = star();
  Random random(1);
  std::vector<Vector3d> places;
  for (int k = 0; k < 3000; ++k) places.push_back(random_vector(random, 1.2));
  for (int k = 0; k < 3000; ++k) {  // about corners and edges, inner and outer ones
    const auto& corners = mesh.triangles[random.below(mesh.triangles.size())];
    const double along = k % 2 == 0 ? 0.0 : random.uniform();
    const Vector3d on = (1.0 - along) * mesh.points[corners[0]] + along * mesh.points[corners[1]];
    places.push_back(on + random_vector(random, 0.05));
  }
  expect_signs(mesh, places);
}

// At the tip of an arm the normal of a single face would give the wrong sign: the test above can fail.
TEST(MeshShape, IsNotSignedByAnySingleFaceAtATip) {
  const TriangleMesh mesh = star();
  const MeshShape shape = shape_of(mesh);
  const Vector3d tip = mesh.points[0], place = tip + Vector3d(0.01, 0.008, -0.001);
  const MeshSurfacePoint found = shape.nearest(place);
  EXPECT_EQ(found.closest, tip);
  EXPECT_GT(found.distance, 0.0);
  int wrong = 0;
  for (const auto& corners : mesh.triangles) {
    if (corners[0] != 0 && corners[1] != 0 && corners[2] != 0) continue;
    const Vector3d &a = mesh.points[corners[0]], &b = mesh.points[corners[1]], &c = mesh.points[corners[2]];
    wrong += (b - a).cross(c - a).dot(place - tip) < 0.0 ? 1 : 0;
  }
  EXPECT_GT(wrong, 0);
}

TEST(MeshShape, DoesNotMindSeamsNorTrianglesWithoutArea) {
  const TriangleMesh whole = star();
  TriangleMesh cut;  // every triangle with points of its own, and one without area in between
  for (const auto& corners : whole.triangles) {
    const auto first = static_cast<std::uint32_t>(cut.points.size());
    for (const std::uint32_t corner : corners) cut.points.push_back(whole.points[corner]);
    cut.triangles.push_back({first, first, first + 1});
    cut.triangles.push_back({first, first + 1, first + 2});
  }
  const MeshShape one = shape_of(whole), other = shape_of(cut);
  Random random(3);
  for (int k = 0; k < 2000; ++k) {
    const Vector3d place = random_vector(random, 1.2);
    EXPECT_EQ(one.nearest(place).distance, other.nearest(place).distance);
  }
}

TEST(MeshShape, HasOutwardNormalsOnItsSurface) {
  const MeshShape ball = shape_of(sphere_mesh(3));
  for (const Vector3d& point : ball.mesh().points) {
    const MeshSurfacePoint found = ball.nearest(point);
    EXPECT_EQ(found.distance, 0.0);
    EXPECT_LT((found.normal - point.normalized()).norm(), 0.02);
  }
  Random random(4);
  for (int k = 0; k < 500; ++k) {
    const Vector3d place = random_vector(random, 1.5);
    EXPECT_NEAR(ball.nearest(place).distance, place.norm() - 1.0, 0.02);
  }
}

TEST(MeshShape, RefusesWhatIsNoMesh) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(MeshShape::make({}));
  EXPECT_FALSE(MeshShape::make({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 2}}}));
  EXPECT_FALSE(MeshShape::make({{{0, 0, 0}, {1, 0, 0}, {nan, 1, 0}}, {{0, 1, 2}}}));
  EXPECT_TRUE(MeshShape::make({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {nan, 1, 0}}, {{0, 1, 2}}}));
}

}  // namespace
}  // namespace tendril::collide
