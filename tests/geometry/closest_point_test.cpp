#include "tendril/geometry/closest_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/geometry/closest_triangle_point.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

Vector3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// The point q of a convex set is the closest to p if and only if no corner lies on the side of p: (p - q) (corner - q)
// <= 0.
void expect_closest(const Vector3d& p, const Points& corners, double tolerance = 1e-12) {
  const TrianglePoint found = closest_point_on_triangle(p, corners[0], corners[1], corners[2]);
  double size = 0.0;
  for (const Vector3d& corner : corners) size = std::max(size, (corner - p).norm());
  EXPECT_TRUE((found.barycentric.array() >= 0.0).all() && (found.barycentric.array() <= 1.0).all());
  EXPECT_NEAR(found.barycentric.sum(), 1.0, 1e-15);
  const Vector3d sum =
      found.barycentric[0] * corners[0] + found.barycentric[1] * corners[1] + found.barycentric[2] * corners[2];
  EXPECT_EQ(found.point, sum);
  EXPECT_NEAR(std::sqrt(found.squared_distance), (p - found.point).norm(), 1e-15 * (size + p.norm()));
  for (const Vector3d& corner : corners)
    EXPECT_LE((p - found.point).dot(corner - found.point), tolerance * size * size) << p.transpose();
}

TEST(ClosestTrianglePoint, FindsEachOfItsSevenRegions) {
  const Vector3d a(0, 0, 0), b(4, 0, 0), c(0, 4, 0);
  const auto found = [&](const Vector3d& p) { return closest_point_on_triangle(p, a, b, c); };
  EXPECT_EQ(found({1, 1, 5}).point, Vector3d(1, 1, 0));
  EXPECT_EQ(found({1, 1, 5}).barycentric, Vector3d(0.5, 0.25, 0.25));
  EXPECT_EQ(found({1, 1, 5}).squared_distance, 25.0);
  EXPECT_EQ(found({-1, -2, 3}).point, a);
  EXPECT_EQ(found({6, -1, 3}).point, b);
  EXPECT_EQ(found({-1, 7, 3}).point, c);
  EXPECT_EQ(found({1, -2, 3}).point, Vector3d(1, 0, 0));
  EXPECT_EQ(found({1, -2, 3}).barycentric, Vector3d(0.75, 0.25, 0));
  EXPECT_EQ(found({-2, 3, 1}).point, Vector3d(0, 3, 0));
  EXPECT_EQ(found({3, 3, 1}).point, Vector3d(2, 2, 0));
  EXPECT_EQ(found({3, 3, 1}).barycentric, Vector3d(0, 0.5, 0.5));
  EXPECT_EQ(found(b).squared_distance, 0.0);
}

TEST(ClosestTrianglePoint, IsClosestOnRandomTriangles) {
  Random random(11);
  for (int i = 0; i < 5000; ++i) {
    const Points corners = {random_vector(random, 1.0), random_vector(random, 1.0), random_vector(random, 1.0)};
    expect_closest(random_vector(random, i % 2 == 0 ? 1.0 : 100.0), corners);
  }
}

TEST(ClosestTrianglePoint, IsClosestOnTrianglesWithoutArea) {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const Vector3d a = random_vector(random, 1.0), b = random_vector(random, 1.0), p = random_vector(random, 2.0);
    expect_closest(p, {a, b, a + random.uniform(-1.0, 2.0) * (b - a)});  // three on a line, to round-off
    expect_closest(p, {a, a, b});
    expect_closest(p, {a, b, a});
    expect_closest(p, {b, a, a});
    expect_closest(p, {a, a, a});
  }
  const TrianglePoint middle = closest_point_on_triangle({1, 1, 0}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0});
  EXPECT_EQ(middle.point, Vector3d(1, 0, 0));
  EXPECT_EQ(middle.squared_distance, 1.0);
}

// Of any width from a needle on, and with any place of the point: there is no width at which the result is bad.
TEST(ClosestTrianglePoint, IsClosestOnNeedles) {
  Random random(13);
  for (int i = 0; i < 5000; ++i) {
    const Vector3d a = random_vector(random, 1.0), b = random_vector(random, 1.0);
    const double width = std::pow(10.0, random.uniform(-18.0, 0.0));
    const Vector3d c = a + random.uniform() * (b - a) + width * random_vector(random, 1.0);
    expect_closest(random_vector(random, 1.0), {a, b, c});
    expect_closest(a + random.uniform() * (c - a), {b, c, a});
  }
}

TEST(ClosestTrianglePoint, TiesOnAnEdgeThatTwoTrianglesShare) {
  Random random(14);
  int ties = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vector3d a = random_vector(random, 1.0), b = random_vector(random, 1.0), out = random_vector(random, 1.0);
    const Vector3d middle = 0.5 * (a + b), p = middle + 0.3 * out;
    // Both triangles turn away from the point.
    const Vector3d c = middle - out + 0.1 * random_vector(random, 1.0),
                   d = middle - out + 0.1 * random_vector(random, 1.0);
    const TrianglePoint left = closest_point_on_triangle(p, a, b, c), right = closest_point_on_triangle(p, b, d, a);
    if (left.barycentric[2] > 0.0 || right.barycentric[1] > 0.0) continue;
    ++ties;
    EXPECT_EQ(left.squared_distance, right.squared_distance);
  }
  EXPECT_GT(ties, 300);
}

// Brute force: all triangles in double, ties to the lowest.
MeshPoint tried_one_by_one(const TriangleMesh& mesh, const Vector3d& p) {
  MeshPoint best;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const TrianglePoint found = closest_point_on_triangle(p, mesh.points[a], mesh.points[b], mesh.points[c]);
    if (!(found.squared_distance < smallest)) continue;
    smallest = found.squared_distance;
    best = {t, found.barycentric, found.point, std::sqrt(smallest)};
  }
  return best;
}

void expect_same(const MeshPoint& found, const MeshPoint& expected) {
  EXPECT_EQ(found.triangle, expected.triangle);
  EXPECT_EQ(found.barycentric, expected.barycentric);
  EXPECT_EQ(found.point, expected.point);
  EXPECT_EQ(found.distance, expected.distance);
}

// A bumpy ball of radius 1 about the origin, with `rings` x 2 rings of quadrilaterals. Those at the poles have no area.
TriangleMesh bumpy_ball(std::uint32_t rings, std::uint64_t seed) {
  Random random(seed);
  TriangleMesh mesh;
  const std::uint32_t around = 2 * rings;
  for (std::uint32_t i = 0; i <= rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const double theta = std::numbers::pi * i / rings, phi = 2.0 * std::numbers::pi * j / around;
      const double radius = i == 0 || i == rings ? 1.0 : random.uniform(0.95, 1.05);
      mesh.points.push_back(
          radius * Vector3d(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi)));
    }
  for (std::uint32_t i = 0; i < rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

// Triangles of all sizes anywhere; every tenth without area, and every tenth there twice.
TriangleMesh soup(std::size_t triangles, std::uint64_t seed) {
  Random random(seed);
  TriangleMesh mesh;
  for (std::size_t t = 0; t < triangles; ++t) {
    const Vector3d place = random_vector(random, 1.0);
    const double size = std::pow(10.0, random.uniform(-4.0, -0.5));
    const auto first = static_cast<std::uint32_t>(mesh.points.size());
    for (int c = 0; c < 3; ++c) mesh.points.push_back(place + random_vector(random, size));
    if (t % 10 == 3) mesh.points.back() = 0.5 * (mesh.points[first] + mesh.points[first + 1]);
    if (t % 10 == 5) mesh.points[first + 1] = mesh.points[first];
    mesh.triangles.push_back({first, first + 1, first + 2});
    if (t % 10 == 7) mesh.triangles.push_back({first + 1, first + 2, first});
  }
  return mesh;
}

// Points all around, close by, and on corners, edges and faces.
Points places_to_ask(const TriangleMesh& mesh, const Vector3d& centre, double size, std::size_t count) {
  Random random(21);
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [a, b, c] = mesh.triangles[random.below(mesh.triangles.size())];
    const double u = random.uniform(), v = (1.0 - u) * random.uniform();
    const Vector3d on = mesh.points[a] + u * (mesh.points[b] - mesh.points[a]) + v * (mesh.points[c] - mesh.points[a]);
    switch (i % 6) {
      case 0: points.push_back(centre + random_vector(random, 1.5 * size)); break;
      case 1: points.push_back(centre + random_vector(random, 300.0 * size)); break;
      case 2: points.push_back(on + random_vector(random, 1e-3 * size)); break;
      case 3: points.push_back(on); break;
      case 4: points.push_back(mesh.points[b]); break;
      default: points.push_back(0.5 * (mesh.points[a] + mesh.points[c])); break;
    }
  }
  return points;
}

void expect_brute_force(const TriangleMesh& mesh, const Vector3d& centre, double size, std::size_t count) {
  const MeshQuery query(mesh);
  for (const Vector3d& p : places_to_ask(mesh, centre, size, count))
    expect_same(query.closest(p), tried_one_by_one(mesh, p));
}

TEST(MeshQuery, AgreesWithBruteForceOnABall) { expect_brute_force(bumpy_ball(16, 1), Vector3d::Zero(), 1.0, 2000); }

TEST(MeshQuery, AgreesWithBruteForceOnASoupWithTrianglesWithoutArea) {
  expect_brute_force(soup(1000, 2), Vector3d::Zero(), 1.0, 2000);
}

TEST(MeshQuery, AgreesWithBruteForceOnSmallMeshes) {
  for (std::size_t triangles = 1; triangles < 40; ++triangles)
    expect_brute_force(soup(triangles, triangles), Vector3d::Zero(), 1.0, 60);
}

TEST(MeshQuery, LosesNothingFarFromTheOriginAndAtAnySize) {
  const Vector3d centre(1e6, -3e6, 2e6);
  for (const double size : {1e-9, 1e-2, 1e12}) {
    TriangleMesh mesh = bumpy_ball(10, 3);
    const Vector3d place = size == 1e-2 ? centre : Vector3d::Zero();
    for (Vector3d& p : mesh.points) p = place + size * p;
    expect_brute_force(mesh, place, size, 600);
  }
}

// A stack of sheets a few nanometres apart, seen from a millimetre away: in float32 they are one.
TEST(MeshQuery, TellsApartWhatSinglePrecisionCannot) {
  Random random(22);
  TriangleMesh mesh;
  for (std::uint32_t sheet = 0; sheet < 300; ++sheet) {
    const double x = random.uniform(0.0, 1e-7);
    for (const Vector3d& corner : {Vector3d(x, -2, -1), Vector3d(x, 2, -1), Vector3d(x, 0, 2)})
      mesh.points.push_back(Vector3d(0.3, 0.1, 0.7) + corner + Vector3d(random.uniform(0.0, 1e-8), 0, 0));
    mesh.triangles.push_back({3 * sheet, 3 * sheet + 1, 3 * sheet + 2});
  }
  mesh.points[mesh.triangles.back()[2]].x() += 4.0;  // the middle of the mesh is far from the sheets
  const MeshQuery query(mesh);
  for (int i = 0; i < 500; ++i) {
    const double x = 0.3 + (i % 2 == 0 ? -1.0 : 1.0) * random.uniform(0.0, 1e-3);
    const Vector3d p(x, random.uniform(-0.2, 0.4), random.uniform(0.4, 1.0));
    expect_same(query.closest(p), tried_one_by_one(mesh, p));
  }
}

TEST(MeshQuery, AnswersFromVeryFarAway) {
  const TriangleMesh mesh = bumpy_ball(8, 4);
  const MeshQuery query(mesh);
  Random random(5);
  for (const double distance : {1e3, 9e5, 1.1e6, 1e9, 1e30, 1e150})
    for (int i = 0; i < 20; ++i) {
      const Vector3d p = random_vector(random, distance);
      expect_same(query.closest(p), tried_one_by_one(mesh, p));
    }
}

TEST(MeshQuery, GivesTiesToTheLowestTriangle) {
  TriangleMesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  mesh.triangles = {{0, 4, 1}, {0, 3, 4}, {0, 2, 3}, {0, 1, 2}, {0, 1, 2}};
  const MeshQuery query(mesh);
  EXPECT_EQ(query.closest({0, 0, 1}).triangle, 0u);
  EXPECT_EQ(query.closest({0.25, 0.25, 1}).triangle, 3u);
  EXPECT_EQ(query.closest({-0.5, 0, 2}).triangle, 1u);
  EXPECT_EQ(query.closest({0, 5, 0}).triangle, 2u);
}

TEST(MeshQuery, PassesOverPointsThatNoTriangleUses) {
  TriangleMesh mesh = bumpy_ball(8, 6);
  mesh.points.push_back({1e300, 0, -1e300});
  mesh.points.push_back({1e12, 1e12, 1e12});
  expect_brute_force(mesh, Vector3d::Zero(), 1.0, 600);
}

TEST(MeshQuery, AcceptsAMeshThatIsOnePoint) {
  TriangleMesh mesh;
  mesh.points = {{7, 8, 9}};
  mesh.triangles = {{0, 0, 0}, {0, 0, 0}};
  const MeshQuery query(mesh);
  const MeshPoint found = query.closest({7, 8, 11});
  EXPECT_EQ(found.triangle, 0u);
  EXPECT_EQ(found.point, Vector3d(7, 8, 9));
  EXPECT_EQ(found.distance, 2.0);
}

TEST(MeshQuery, KeepsItsOwnMeshAndCanBeMoved) {
  TriangleMesh mesh = bumpy_ball(8, 7);
  const MeshPoint expected = tried_one_by_one(mesh, {2, 1, 0});
  MeshQuery query(mesh);
  mesh = {};
  MeshQuery other(std::move(query));
  expect_same(other.closest({2, 1, 0}), expected);
}

TEST(MeshQuery, AnswersManyThreadsTheSame) {
  const TriangleMesh mesh = bumpy_ball(16, 8);
  const Points points = places_to_ask(mesh, Vector3d::Zero(), 1.0, 1000);
  const MeshQuery query(mesh);
  std::vector<MeshPoint> found(points.size());
  set_thread_count(4);
  parallel_for(points.size(), [&](std::size_t i) { found[i] = query.closest(points[i]); });
  set_thread_count(0);
  for (std::size_t i = 0; i < points.size(); ++i) expect_same(found[i], query.closest(points[i]));
}

}  // namespace
}  // namespace tendril
