#include "tendril/collide/body.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "collide/scenes.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/geometry/sphere_mesh.hpp"

namespace tendril::collide {
namespace {

Pose random_pose(Random& random, double size) {
  Pose pose;
  pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(random.uniform(0.0, 2.0), random_direction(random)));
  pose.translation = random_vector(random, size);
  return pose;
}

Body resting(const Shape& shape, const Pose& pose = {}) { return {shape, pose, pose, {}}; }

std::vector<Contact> contacts_with(const Strands& strands, const std::vector<Body>& bodies, double time = 1.0) {
  std::vector<Contact> contacts;
  EXPECT_TRUE(find_body_contacts(strands.view(), bodies, {time, {}, {}}, contacts));
  return contacts;
}

Shape shape_of(TriangleMesh mesh) {
  auto made = MeshShape::make(std::move(mesh));
  EXPECT_TRUE(made);
  return std::make_shared<const MeshShape>(std::move(made.value()));
}

Shape ball_mesh() { return shape_of(sphere_mesh(2)); }

std::vector<Shape> all_shapes() {
  return {Plane{}, Sphere{0.6}, Capsule{0.3, 0.5}, Cylinder{0.4, 0.5}, Box{{0.5, 0.3, 0.6}}, ball_mesh()};
}

double distance_to(const Shape& shape, const Vector3d& place) {
  if (const auto* mesh = std::get_if<std::shared_ptr<const MeshShape>>(&shape)) return (*mesh)->nearest(place).distance;
  return std::visit(
      [&](const auto& one) {
        if constexpr (requires { *one; })
          return 0.0;
        else
          return nearest(one, place).distance;
      },
      shape);
}

// Against samples of the segment: none is deeper than the deepest contact, and a segment has contacts if and only if a
// sample is within the margin.
TEST(Body, FindsTheDeepestPointOfASegment) {
  Random random(1);
  const double radius = 0.05;
  int touching = 0;
  for (const Shape& shape : all_shapes())
    for (int k = 0; k < 150; ++k) {
      const Pose pose = random_pose(random, 0.5);
      Strands strands;
      const Vector3d start = apply(pose, random_vector(random, 1.0));
      strands.add({start, start + random.uniform(0.0, 1.5) * random_direction(random)}, radius);
      const auto found = contacts_with(strands, {resting(shape, pose)});
      double least = 1e9;
      for (int i = 0; i <= 2000; ++i) {
        const Vector3d x = strands.positions[0] + i / 2000.0 * (strands.positions[1] - strands.positions[0]);
        least = std::min(least, distance_to(shape, apply(inverse(pose), x)) - radius);
      }
      double deepest = 1e9;
      for (const Contact& contact : found) {
        deepest = std::min(deepest, contact.gap);
        EXPECT_LT(contact.gap, 0.1 * radius);
        EXPECT_LT((contact.point_b + (contact.gap + radius) * contact.normal - contact.point_a).norm(), 1e-12);
        EXPECT_LT((apply(pose, contact.body.material) - contact.point_b).norm(), 1e-12);
      }
      if (std::abs(least - 0.1 * radius) < 1e-3) continue;  // too close to call by samples
      EXPECT_EQ(found.empty(), least > 0.1 * radius) << shape.index() << ' ' << least;
      if (found.empty()) continue;
      ++touching;
      EXPECT_LE(deepest, least + 0.01 * radius + 1e-9) << shape.index();
      EXPECT_GE(deepest, least - 1e-3) << shape.index();
    }
  EXPECT_GT(touching, 200);
}

TEST(Body, HoldsASegmentThatLiesOnAFaceAtBothEnds) {
  Strands strands;
  strands.add({{-0.4, 0.31, 0.1}, {0.4, 0.31, 0.1}}, 0.01);
  for (const Shape& shape : {Shape(Box{{0.5, 0.3, 0.6}}), Shape(Cylinder{0.5, 0.3})}) {
    const auto found = contacts_with(strands, {resting(shape)});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].a.arc(), 0.0);
    EXPECT_EQ(found[1].a.arc(), 1.0);
    for (const Contact& contact : found) EXPECT_LT((contact.normal - Vector3d::UnitY()).norm(), 1e-15);
  }
}

TEST(Body, HoldsASegmentThatReachesBeyondAFaceAtTwoPointsOfTheFace) {
  Strands strands;
  strands.add({{-2.0, 0.31, 0.1}, {3.0, 0.31, 0.1}}, 0.01);
  TriangleMesh table;
  table.points = {{-0.5, 0.3, -0.6}, {0.5, 0.3, -0.6}, {0.5, 0.3, 0.6}, {-0.5, 0.3, 0.6}};
  table.triangles = {{0, 2, 1}, {0, 3, 2}};
  for (const Shape& shape : {Shape(Box{{0.5, 0.3, 0.6}}), shape_of(table)}) {
    const auto found = contacts_with(strands, {resting(shape)});
    ASSERT_EQ(found.size(), 2u) << shape.index();
    EXPECT_NEAR(found[0].point_a.x(), -0.4, 0.01);
    EXPECT_NEAR(found[1].point_a.x(), 0.4, 0.01);
    for (const Contact& contact : found) EXPECT_LT((contact.normal - Vector3d::UnitY()).norm(), 1e-12);
  }
  // A ball has no face: one point.
  EXPECT_EQ(contacts_with(strands, {resting(Sphere{0.315})}).size(), 1u);
}

TEST(Body, MakesOneContactAtAVertexThatTwoEdgesShare) {
  Strands strands;
  strands.add({{-1, 1, 0}, {0, 0.05, 0}, {1, 1, 0}}, 0.1);
  const auto found = contacts_with(strands, {resting(Plane{}), resting(Plane{})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].body.body, 0u);
  EXPECT_EQ(found[1].body.body, 1u);
  EXPECT_EQ(found[0].a.arc(), 1.0);
  EXPECT_NEAR(found[0].gap, -0.05, 1e-15);
}

TEST(Body, TakesTheRadiusAlongATaperedSegment) {
  Strands strands;
  strands.add({{-1, 0.1, 0}, {1, 0.1, 0}}, 0.1);
  strands.radius[1] = 0.02;
  const auto found = contacts_with(strands, {resting(Plane{})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a.arc(), 0.0);
  EXPECT_EQ(found[0].gap, 0.0);
}

TEST(Body, MovesAtItsChordVelocity) {
  Random random(5);
  const double dt = 1e-3;
  for (int k = 0; k < 100; ++k) {
    const Body body{Sphere{1.0}, random_pose(random, 1.0), random_pose(random, 1.0), {}};
    const Vector3d material = random_vector(random, 1.0);
    const Vector3d velocity = chord_velocity(body, {0, 0, material}, dt);
    EXPECT_LT((apply(body.start, material) + dt * velocity - apply(body.end, material)).norm(), 1e-12);
  }
}

// A strand that rides on a turning body sees it at rest: below 1e-9 m/s, in whatever place of the step it is asked.
TEST(Body, MovesWithWhatRidesOnIt) {
  Random random(6);
  const double dt = 1e-3;
  for (const Shape& shape : all_shapes()) {
    const Pose start = random_pose(random, 1.0);
    const Body body{shape, start, compose(random_pose(random, 0.01), start), {}};
    for (const double time : {0.0, 0.4, 1.0}) {
      const Pose pose = interpolate(body.start, body.end, time);
      Strands strands;
      std::vector<Vector3d> own;
      for (int v = 0; v < 12; ++v) own.push_back(random_vector(random, 0.7));
      std::vector<Vector3d> world;
      for (const Vector3d& x : own) world.push_back(apply(pose, x));
      strands.add(world, 0.1);
      const auto found = contacts_with(strands, {body}, time);
      EXPECT_FALSE(found.empty());
      for (const Contact& contact : found) {
        const Vector3d rider =
            (1.0 - contact.a.along) * own[contact.a.edge] + contact.a.along * own[contact.a.edge + 1];
        const Vector3d across = apply(body.end, rider) - apply(body.start, rider);
        const Vector3d of_body = dt * chord_velocity(body, contact.body, dt);
        // The rider's own point and the closest one of the body differ by a lever that turns with the body.
        const Vector3d lever = rider - contact.body.material;
        const Vector3d turned = body.end.rotation * lever - body.start.rotation * lever;
        EXPECT_LT((across - of_body - turned).norm() / dt, 1e-9);
      }
    }
  }
}

TEST(Body, AnimatedMeshMovesLinearlyBetweenItsPoints) {
  const TriangleMesh start = sphere_mesh(2);
  Random random(7);
  std::vector<Vector3d> end = start.points;
  for (Vector3d& x : end) x = 1.1 * x + random_vector(random, 0.02);
  const auto body = animated_body(start, end, 0.5);
  ASSERT_TRUE(body);
  Strands strands;
  strands.add({{1.05, -0.5, 0.1}, {1.05, 0.4, 0.0}}, 0.05);
  const auto found = contacts_with(strands, {body.value()});
  ASSERT_FALSE(found.empty());
  for (const Contact& contact : found) {
    const auto& corners = start.triangles[contact.body.feature];
    Vector3d before = Vector3d::Zero(), after = Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      before += contact.body.material[static_cast<int>(k)] * start.points[corners[k]];
      after += contact.body.material[static_cast<int>(k)] * end[corners[k]];
    }
    EXPECT_LT((0.5 * (before + after) - contact.point_b).norm(), 1e-14);
    EXPECT_LT((chord_velocity(body.value(), contact.body, 0.01) - (after - before) / 0.01).norm(), 1e-11);
  }
  end.pop_back();
  EXPECT_FALSE(animated_body(start, end, 0.5));
}

TEST(Body, GivesTheSameBitsForAnyNumberOfThreads) {
  Strands strands = random_strands(4);
  for (std::uint64_t seed = 5; seed < 20; ++seed) {
    const Strands more = random_strands(seed);
    for (std::size_t s = 0; s + 1 < more.offsets.size(); ++s)
      strands.add({more.positions.begin() + more.offsets[s], more.positions.begin() + more.offsets[s + 1]}, 0.05);
  }
  std::vector<Body> bodies;
  for (const Shape& shape : all_shapes()) bodies.push_back(resting(shape));
  set_thread_count(1);
  const auto expected = contacts_with(strands, bodies);
  EXPECT_GT(expected.size(), 300u);
  for (const int threads : {2, 3, 7}) {
    set_thread_count(threads);
    expect_same_bits(contacts_with(strands, bodies), expected);
  }
  set_thread_count(0);
}

// Strands that creep about bodies, now and then with a jump: what was seen before saves looks, and changes nothing.
TEST(Body, FindsTheSameWithClearancesThatAreKept) {
  Random random(11);
  Strands strands = random_strands(5);
  std::vector<Body> bodies;
  for (const Shape& shape : all_shapes()) bodies.push_back(resting(shape, random_pose(random, 0.3)));
  Clearances kept;
  std::size_t count = 0;
  for (int step = 0; step < 40; ++step) {
    std::vector<Vector3d> motion;
    for (std::size_t v = 0; v < strands.positions.size(); ++v)
      motion.push_back(random_vector(random, step % 10 == 9 ? 0.1 : 1e-3));
    std::vector<Contact> with, without;
    ASSERT_TRUE(find_body_contacts(strands.view(), bodies, {0.0, {}, motion, &kept}, with));
    ASSERT_TRUE(find_body_contacts(strands.view(), bodies, {0.0, {}, motion}, without));
    expect_same_bits(with, without);
    for (std::size_t v = 0; v < motion.size(); ++v) strands.positions[v] += motion[v];
    for (Body& body : bodies) body.start = body.end, body.end.translation += random_vector(random, 1e-3);
    count += with.size();
  }
  EXPECT_GT(count, 1000u);
}

TEST(Body, LiesInItsBallAndReachesItsSurface) {
  Random random(3);
  for (const Shape& shape : all_shapes()) {
    const double radius = outer_radius(shape);
    if (!std::isfinite(radius)) continue;
    double farthest = 0.0;
    for (int k = 0; k < 200000; ++k) {
      const Vector3d place = random_vector(random, 1.2);
      if (distance_to(shape, place) <= 0.0) farthest = std::max(farthest, place.norm());
    }
    EXPECT_LE(farthest, radius);
    EXPECT_GT(farthest, 0.9 * radius);
  }
  EXPECT_TRUE(std::isinf(outer_radius(Plane{})));
}

// Long strands about the balls of bodies that turn: all whose samples are inside have contacts, though most are far.
TEST(Body, MeetsStrandsThatReachIntoItsBallFromAfar) {
  Random random(5);
  std::size_t met = 0, strands_in_all = 0;
  for (const Shape& shape : all_shapes()) {
    Body body = resting(shape, random_pose(random, 5.0));
    body.end.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.3, random_direction(random))) * body.start.rotation;
    const Pose to_body = inverse(body.end);
    for (int k = 0; k < 200; ++k, ++strands_in_all) {
      const Vector3d root = body.end.translation + random_vector(random, 3.0), step = random_vector(random, 0.4);
      Strands one;
      one.add({root, root + step, root + 2.0 * step, root + 3.0 * step}, 0.01);
      bool is_inside = false;
      for (double along = 0.0; along <= 3.0; along += 0.01)
        is_inside |= distance_to(shape, apply(to_body, Vector3d(root + along * step))) < 0.009;
      const bool has_contact = !contacts_with(one, {body}).empty();
      EXPECT_TRUE(has_contact || !is_inside);
      met += is_inside;
    }
  }
  EXPECT_GT(met, 100u);
  EXPECT_LT(met, strands_in_all / 2);
}

TEST(Body, LeavesDrivenSegmentsAlone) {
  Strands strands;
  strands.add({{-0.3, 0.0, 0.0}, {-0.1, 0.0, 0.0}, {0.1, 0.0, 0.0}, {0.3, 0.0, 0.0}}, 0.01);
  const std::vector<Body> bodies = {resting(Plane{})};
  const std::vector<char> is_driven = {1, 0, 0, 0};
  BodySearch search{0.0, {}, {}};
  std::vector<Contact> all, free;
  ASSERT_TRUE(find_body_contacts(strands.view(), bodies, search, all));
  search.is_driven = is_driven;
  ASSERT_TRUE(find_body_contacts(strands.view(), bodies, search, free));
  EXPECT_EQ(all.size(), 4u);
  ASSERT_EQ(free.size(), 3u);  // the vertex that it shares with the next one is that one's
  EXPECT_EQ(free[0].a.arc(), 1.0);
}

TEST(Body, RefusesWhatIsNotFiniteAndMeetsNothingWithNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Strands strands;
  std::vector<Contact> contacts;
  EXPECT_TRUE(contacts_with(strands, {resting(Plane{})}).empty());
  strands.add({{0, 0, 0}}, 0.1);
  EXPECT_TRUE(contacts_with(strands, {resting(Plane{})}).empty());
  strands.add({{0, 0, 0}, {0, 0, 0}}, 0.1);
  EXPECT_TRUE(contacts_with(strands, {}).empty());
  EXPECT_EQ(contacts_with(strands, {resting(Plane{})}).size(), 2u);
  Body lost = resting(Plane{});
  lost.end.translation.x() = nan;
  const std::vector<Body> bodies = {resting(Plane{}), lost};
  const Status refused = find_body_contacts(strands.view(), bodies, {1.0, {}, {}}, contacts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "body 1: its pose is not finite");
  strands.positions[1].z() = nan;
  EXPECT_FALSE(find_body_contacts(strands.view(), bodies, {1.0, {}, {}}, contacts));
}

}  // namespace
}  // namespace tendril::collide
