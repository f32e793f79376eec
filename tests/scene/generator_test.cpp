#include "tendril/scene/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/scene/hairstyles.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr GeneratorKind all_kinds[] = {GeneratorKind::straight,   GeneratorKind::wavy,     GeneratorKind::curly,
                                       GeneratorKind::afro,       GeneratorKind::ponytail, GeneratorKind::fringe,
                                       GeneratorKind::horizontal, GeneratorKind::vertical, GeneratorKind::helix,
                                       GeneratorKind::coil,       GeneratorKind::ring,     GeneratorKind::knot,
                                       GeneratorKind::tress};

// Each kind as it comes, but with fewer strands.
GeneratorOptions small(GeneratorKind kind) {
  GeneratorOptions options = default_options(kind);
  options.count = std::min(options.count, 300);
  return options;
}

class EveryKind : public testing::TestWithParam<GeneratorKind> {};
class EveryHairstyle : public testing::TestWithParam<GeneratorKind> {};
INSTANTIATE_TEST_SUITE_P(Generator, EveryKind, testing::ValuesIn(all_kinds));
INSTANTIATE_TEST_SUITE_P(Generator, EveryHairstyle,
                         testing::ValuesIn(std::begin(all_kinds), std::begin(all_kinds) + 6));

TEST_P(EveryKind, HasTheStrandsAndVerticesThatWereAskedFor) {
  GeneratorOptions options = small(GetParam());
  options.count = 17;
  options.vertices = 33;
  const Curves curves = generate(options, 1);
  ASSERT_EQ(curves.strands(), 17u);
  for (std::size_t s = 0; s < 17; ++s) EXPECT_EQ(curves.strand(s).size(), 33u);
  for (const Vector3d& p : curves.points) EXPECT_TRUE(p.allFinite());
}

TEST_P(EveryKind, HasEqualSegmentsAlongEachStrand) {
  const Curves curves = generate(small(GetParam()), 3);
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    const double first = (strand[1] - strand[0]).norm();
    for (std::size_t i = 1; i + 1 < strand.size(); ++i)
      ASSERT_NEAR((strand[i + 1] - strand[i]).norm(), first, 1e-11 * first) << s << ' ' << i;
  }
}

TEST_P(EveryKind, BendsByLessThanARightAngleAtEveryVertex) {
  const Curves curves = generate(small(GetParam()), 3);
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    for (std::size_t i = 1; i + 1 < strand.size(); ++i)
      ASSERT_GT((strand[i + 1] - strand[i]).dot(strand[i] - strand[i - 1]), 0.0) << s << ' ' << i;
  }
}

TEST_P(EveryKind, WorksWithTwoVertices) {
  GeneratorOptions options = small(GetParam());
  options.vertices = 2;
  const Curves curves = generate(options, 3);
  for (std::size_t s = 0; s < curves.strands(); ++s) EXPECT_GT((curves.strand(s)[1] - curves.strand(s)[0]).norm(), 0.0);
}

TEST_P(EveryKind, HasTheSameBitsForEveryThreadCount) {
  set_thread_count(1);
  const Curves one = generate(small(GetParam()), 11);
  set_thread_count(3);
  const Curves three = generate(small(GetParam()), 11);
  set_thread_count(0);
  EXPECT_EQ(one.points, three.points);
  EXPECT_EQ(one.offsets, three.offsets);
}

TEST_P(EveryHairstyle, ChangesWithTheSeed) {
  EXPECT_NE(generate(small(GetParam()), 1).points, generate(small(GetParam()), 2).points);
}

TEST_P(EveryHairstyle, HasRootsOnTheScalpAndLeavesItAlongTheNormal) {
  const GeneratorOptions options = small(GetParam());
  const Curves curves = generate(options, 5);
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    const Vector3d direction = (strand[0] - options.head.centre).cwiseQuotient(options.head.radii);
    EXPECT_NEAR(direction.norm(), 1.0, 1e-12);
    EXPECT_TRUE(on_scalp(options.head, direction));
    const Vector3d normal = direction.cwiseQuotient(options.head.radii).normalized();
    EXPECT_GT((strand[1] - strand[0]).normalized().dot(normal), std::cos(0.6)) << s;
  }
}

TEST_P(EveryHairstyle, NeverPassesThroughTheHead) {
  GeneratorOptions options = small(GetParam());
  options.head.centre = {0.3, 1.6, -0.2};
  const Curves curves = generate(options, 5);
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    for (std::size_t i = 0; i + 1 < strand.size(); ++i)
      for (const double t : {0.25, 0.5, 0.75, 1.0})
        ASSERT_GT(head_distance(options.head, strand[i] + t * (strand[i + 1] - strand[i])), 0.0) << s << ' ' << i;
  }
}

TEST_P(EveryHairstyle, HasTheLengthThatWasAskedForWithinItsVariation) {
  const GeneratorOptions options = small(GetParam());
  const Curves curves = generate(options, 5);
  double longest = 0.0, shortest = 1.0;
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    const double length = (strand[1] - strand[0]).norm() * static_cast<double>(strand.size() - 1);
    longest = std::max(longest, length);
    shortest = std::min(shortest, length);
  }
  EXPECT_LE(longest, options.length * (1 + 1e-12));
  EXPECT_GT(longest, options.length * (1 - 0.1 * options.length_variation));
  EXPECT_GE(shortest, options.length * (1 - options.length_variation));
}

TEST(Scalp, HasAFaceAndANape) {
  const Head head;
  EXPECT_TRUE(on_scalp(head, {0, 1, 0}));
  EXPECT_FALSE(on_scalp(head, {0, -1, 0}));
  EXPECT_FALSE(on_scalp(head, Vector3d(0, 0.3, 1).normalized()));   // forehead
  EXPECT_TRUE(on_scalp(head, Vector3d(0, -0.3, -1).normalized()));  // back of the head
  EXPECT_TRUE(on_scalp(head, Vector3d(1, 0.2, 0).normalized()));    // above the ear
  EXPECT_FALSE(on_scalp(head, Vector3d(1, -0.2, 0).normalized()));  // below it
}

TEST(Scalp, IsCoveredEvenly) {
  GeneratorOptions options = default_options(GeneratorKind::straight);
  options.head.radii = {0.1, 0.1, 0.1};
  const Curves curves = generate(options, 5);
  double nearest_min = 1.0, nearest_max = 0.0;
  for (std::size_t a = 0; a < curves.strands(); ++a) {
    double nearest = 1.0;
    for (std::size_t b = 0; b < curves.strands(); ++b)
      if (a != b) nearest = std::min(nearest, (curves.strand(a)[0] - curves.strand(b)[0]).norm());
    nearest_min = std::min(nearest_min, nearest);
    nearest_max = std::max(nearest_max, nearest);
  }
  EXPECT_GT(nearest_min, 0.0002);
  EXPECT_LT(nearest_max, 0.008);  // about 5 mm for 2000 roots on half a sphere of 10 cm
}

TEST(HairFalls, WithItsTipsBelowItsRoots) {
  for (const GeneratorKind kind : {GeneratorKind::straight, GeneratorKind::wavy, GeneratorKind::curly,
                                   GeneratorKind::ponytail, GeneratorKind::fringe}) {
    const Curves curves = generate(small(kind), 5);
    std::size_t falling = 0;
    for (std::size_t s = 0; s < curves.strands(); ++s)
      falling += curves.strand(s).back().y() < curves.strand(s).front().y();
    EXPECT_GT(falling, curves.strands() * 95 / 100);
  }
}

TEST(Curls, TurnAsOftenAsAsked) {
  GeneratorOptions options = default_options(GeneratorKind::curly);
  options.count = 100;
  options.vertices = 200;
  options.noise = options.length_variation = 0.0;
  const Curves curves = generate(options, 5);
  // Total curvature of a helix: 2 pi sin(angle) per turn, with sin(angle) = 2 pi r / (strand per turn).
  const double sine = 2 * std::numbers::pi * options.curl_radius * options.curl_turns / options.length;
  double total = 0.0;
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto strand = curves.strand(s);
    for (std::size_t i = 1; i + 1 < strand.size(); ++i)
      total += std::acos(
          std::min(1.0, (strand[i + 1] - strand[i]).normalized().dot((strand[i] - strand[i - 1]).normalized())));
  }
  const double turns = total / static_cast<double>(curves.strands()) / (2 * std::numbers::pi * sine);
  EXPECT_NEAR(turns, options.curl_turns, 0.25 * options.curl_turns);
}

TEST(SingleRods, LieWhereTheyAreSaidToLie) {
  GeneratorOptions options = default_options(GeneratorKind::horizontal);
  options.origin = {0, 1, 0};
  EXPECT_LT((generate(options, 0).points.back() - Vector3d(0.25, 1, 0)).norm(), 1e-15);
  options = default_options(GeneratorKind::vertical);
  EXPECT_LT((generate(options, 0).points.back() - Vector3d(0, -0.25, 0)).norm(), 1e-15);
  options.count = 3;
  EXPECT_LT((generate(options, 0).strand(2)[0] - Vector3d(0, 0, 0.02)).norm(), 1e-15);
}

TEST(SingleRods, HaveTheShapeOfTheirNames) {
  GeneratorOptions options = default_options(GeneratorKind::helix);
  const Curves helix = generate(options, 0);
  EXPECT_NEAR(helix.points.front().y() - helix.points.back().y(), options.turns * options.pitch, 1e-15);
  for (const Vector3d& p : helix.points) EXPECT_NEAR(std::hypot(p.x(), p.z()), options.radius, 1e-15);

  options = default_options(GeneratorKind::ring);
  const Curves ring = generate(options, 0);
  for (const Vector3d& p : ring.points) EXPECT_NEAR(p.norm(), options.radius, 1e-15);
  const double closing = (ring.points.back() - ring.points.front()).norm();
  EXPECT_NEAR(closing, (ring.points[1] - ring.points[0]).norm(), 1e-15);  // one segment is left out
  EXPECT_LT((ring.points.front() - Vector3d(0, options.radius, 0)).norm(), 1e-15);

  options = default_options(GeneratorKind::knot);
  const Curves knot = generate(options, 0);
  EXPECT_NEAR((knot.points[1] - knot.points[0]).norm() * 99, options.length, 1e-12);
  double nearest = 1.0;  // of parts that are not neighbours: the rod must not touch itself
  for (std::size_t a = 0; a < 100; ++a)
    for (std::size_t b = a + 10; b < 100; ++b) nearest = std::min(nearest, (knot.points[a] - knot.points[b]).norm());
  EXPECT_GT(nearest, 0.006);
}

// Each strand of a tress has its share of the disc, and none is nearer to another than the lattice allows.
TEST(Generator, PacksATressIntoADisc) {
  GeneratorOptions options = default_options(GeneratorKind::tress);
  options.axis = {1.0, -2.0, 0.5}, options.origin = {0.1, 0.2, 0.3}, options.vertices = 3;
  for (const int count : {1, 2, 7, 19, 334, 1000}) {
    options.count = count;
    const Curves tress = generate(options, 0);
    ASSERT_EQ(tress.strands(), std::size_t(count));
    const double spacing =
        options.radius * std::sqrt(2.0 * std::numbers::pi / (std::sqrt(3.0) * static_cast<double>(count)));
    double nearest = 1.0, farthest = 0.0;
    for (std::size_t a = 0; a < tress.strands(); ++a) {
      const Vector3d root = tress.strand(a)[0];
      EXPECT_NEAR((root - options.origin).dot(options.axis), 0.0, 1e-15);
      farthest = std::max(farthest, (root - options.origin).norm());
      for (std::size_t b = 0; b < a; ++b) nearest = std::min(nearest, (root - tress.strand(b)[0]).norm());
    }
    if (count > 1) {
      EXPECT_NEAR(nearest, spacing, 1e-12);
    }
    EXPECT_LT(farthest, options.radius + 0.5 * spacing);
  }
}

}  // namespace
}  // namespace tendril
