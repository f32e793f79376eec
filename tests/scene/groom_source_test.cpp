#include "tendril/scene/groom_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using Numbers = std::vector<double>;
using Points = std::vector<Vector3d>;

// Straight strands of 3 points along y, at x = 0, 1, 2 ..., with an attribute of their number.
Groom comb(std::size_t strands) {
  Groom groom;
  GroomAttribute id{"groom_id", false, 1, {}};
  for (std::size_t s = 0; s < strands; ++s) {
    for (int i = 0; i < 3; ++i) groom.curves.points.emplace_back(double(s), double(i), 0.0);
    groom.curves.offsets.push_back(groom.curves.points.size());
    groom.radius.insert(groom.radius.end(), {3.0, 2.0, 1.0});
    id.values.push_back(double(s));
  }
  groom.attributes = {id};
  return groom;
}

LoadedGroom prepared(const Groom& groom, const GroomRequest& request = {}) {
  auto loaded = prepare_groom(groom, request);
  if (loaded) return loaded.value();
  return ADD_FAILURE() << loaded.error().message(), LoadedGroom();
}

TEST(GroomSource, TellsWhatItAssumed) {
  const LoadedGroom loaded = prepared(comb(2));
  EXPECT_EQ(loaded.assumptions, (std::vector<std::string>{"the file has no unit: metres were assumed",
                                                          "the file does not say which way is up: y was assumed"}));
  EXPECT_EQ(loaded.groom.curves.points, comb(2).curves.points);
  EXPECT_EQ(loaded.groom.metres_per_unit, 1.0);
  EXPECT_FALSE(loaded.repairs.any());
}

TEST(GroomSource, AssumesNothingThatIsKnown) {
  Groom groom = comb(2);
  groom.metres_per_unit = 0.01;
  EXPECT_EQ(prepared(groom).assumptions.size(), 1u);
  groom.up = UpAxis::y;
  EXPECT_TRUE(prepared(groom).assumptions.empty());
  GroomRequest request;
  request.scale = 1.0, request.up = UpAxis::z;
  EXPECT_TRUE(prepared(comb(2), request).assumptions.empty());
}

TEST(GroomSource, ScalesByTheFileUnlessItIsTold) {
  Groom groom = comb(2);
  groom.metres_per_unit = 0.5, groom.up = UpAxis::y;
  LoadedGroom loaded = prepared(groom);
  EXPECT_EQ(loaded.groom.curves.points[5], Vector3d(0.5, 1, 0));
  EXPECT_EQ(loaded.groom.radius[0], 1.5);
  GroomRequest request;
  request.scale = 2.0;
  loaded = prepared(groom, request);
  EXPECT_EQ(loaded.groom.curves.points[5], Vector3d(2, 4, 0));
  EXPECT_EQ(loaded.groom.radius[0], 6.0);
}

TEST(GroomSource, TurnsUpAsTheFileSaysUnlessItIsTold) {
  Groom groom = comb(2);
  groom.metres_per_unit = 1.0, groom.up = UpAxis::z;
  EXPECT_EQ(prepared(groom).groom.curves.points[5], Vector3d(1, 0, -2));
  GroomRequest request;
  request.up = UpAxis::y;
  EXPECT_EQ(prepared(groom, request).groom.curves.points[5], Vector3d(1, 2, 0));
}

TEST(GroomSource, TakesEveryNthStrandThatIsLeft) {
  Groom groom = comb(10);
  groom.curves.points[3 * 2 + 1].x() = std::numeric_limits<double>::quiet_NaN();  // strand 2 is dropped
  GroomRequest request;
  request.subsample = 3;
  const LoadedGroom loaded = prepared(groom, request);
  EXPECT_EQ(loaded.groom.attribute("groom_id")->values, (Numbers{0, 4, 7}));
  EXPECT_EQ(loaded.groom.curves.points[3].x(), 4.0);
  EXPECT_EQ(loaded.groom.radius.size(), 9u);
  EXPECT_EQ(loaded.repairs.not_finite_dropped, 1u);
  request.subsample = 100;
  EXPECT_EQ(prepared(comb(10), request).groom.curves.strands(), 1u);
}

TEST(GroomSource, RefusesAGroomWithoutSoundStrands) {
  GroomRequest request;
  request.file = "bald.data";
  EXPECT_EQ(prepare_groom(Groom(), request).error().message(), "bald.data: has no strands");
  Groom groom = comb(2);
  for (Vector3d& p : groom.curves.points) p = Vector3d::Zero();
  EXPECT_EQ(prepare_groom(groom, request).error().message(),
            "bald.data: has no strand left: 2 strands with fewer than two different points dropped");
  groom = comb(2);
  request.scale = 1e-9;  // so small that all points are one
  EXPECT_EQ(prepare_groom(groom, request).error().message(),
            "bald.data: has no strand left: 2 strands with fewer than two different points dropped");
}

TEST(GroomSource, NamesAFileThatCannotBeRead) {
  GroomRequest request;
  request.file = "/missing/a.hair";
  EXPECT_EQ(load_groom(request).error().message(), "/missing/a.hair: cannot be opened: No such file or directory");
  request.file = "/missing/a.abc";
  EXPECT_EQ(load_groom(request).error().message(),
            "/missing/a.abc: '.abc' is not a format that can be read as strands; there are .hair, .data, .tfx, .usda, "
            ".ply, .obj, .tendril, .h5");
}

// A smooth curve that turns by at most 40 degrees at a point, with segments of different lengths.
Points random_strand(std::uint64_t seed, std::size_t vertices) {
  Random random(82, seed);
  const auto any = [&] { return double(random.below(2001)) / 1000.0 - 1.0; };
  Points points = {Vector3d(any(), any(), any())};
  Vector3d direction = Vector3d::UnitY();
  while (points.size() < vertices) {
    direction = (direction + 0.35 * Vector3d(any(), any(), any())).normalized();
    points.push_back(points.back() + (0.006 + 0.005 * any()) * direction);
  }
  return points;
}

TEST(GroomResample, KeepsEndsAndMakesEqualSegments) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const std::size_t vertices : {2, 3, 8, 16, 50}) {
      Groom groom;
      groom.curves.points = random_strand(seed, 16);
      groom.curves.offsets = {0, 16};
      const Groom made = resampled(groom, vertices);
      ASSERT_EQ(made.curves.vertices(0), vertices);
      EXPECT_EQ(made.curves.points.front(), groom.curves.points.front());
      EXPECT_LT((made.curves.points.back() - groom.curves.points.back()).norm(), 1e-9) << seed << ", " << vertices;
      const double length = (made.curves.points[1] - made.curves.points[0]).norm();
      for (std::size_t i = 1; i < vertices; ++i)
        EXPECT_NEAR((made.curves.points[i] - made.curves.points[i - 1]).norm(), length, 1e-12);
    }
}

// Here no chord leads the walk of a pair of compasses to the tip.
TEST(GroomResample, KeepsEndsWhereAStrandTurnsSharply) {
  Groom groom;
  groom.curves.points = {{0, 0, 0}, {10, 0, 0}, {1, 1, 0}, {9, 2, 0}, {2, 3, 0}};
  groom.curves.offsets = {0, 5};
  for (const std::size_t vertices : {2, 3, 4, 5, 6, 8, 16, 40}) {
    const Groom made = resampled(groom, vertices);
    ASSERT_EQ(made.curves.vertices(0), vertices);
    EXPECT_EQ(made.curves.points.front(), groom.curves.points.front());
    EXPECT_LT((made.curves.points.back() - groom.curves.points.back()).norm(), 1e-8) << vertices;
    for (const Vector3d& p : made.curves.points) EXPECT_TRUE(p.allFinite());
  }
  groom.curves.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}};  // to where it began
  for (const std::size_t vertices : {2, 3, 5, 9}) {
    const Groom made = resampled(groom, vertices);
    EXPECT_LT(made.curves.points.back().norm(), 1e-8) << vertices;
    for (const Vector3d& p : made.curves.points) EXPECT_TRUE(p.allFinite());
  }
}

TEST(GroomResample, CarriesRadiusAndAttributesByArcLength) {
  Groom groom;
  groom.curves.points = {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}};
  groom.curves.offsets = {0, 3};
  groom.radius = {4, 3, 0};  // 4 - x
  groom.attributes = {{"place", true, 2, {0, 10, 1, 11, 4, 14}}, {"groom_id", false, 1, {7}}};
  const Groom made = resampled(groom, 5);
  ASSERT_EQ(made.radius.size(), 5u);
  const GroomAttribute* place = made.attribute("place");
  ASSERT_EQ(place->values.size(), 10u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(made.curves.points[i].x(), double(i), 1e-12);
    EXPECT_NEAR(made.radius[i], 4.0 - double(i), 1e-12);
    EXPECT_NEAR(place->values[2 * i], double(i), 1e-12);
    EXPECT_NEAR(place->values[2 * i + 1], 10.0 + double(i), 1e-12);
  }
  EXPECT_EQ(made.attribute("groom_id")->values, (Numbers{7}));
}

TEST(GroomResample, TellsOfStrandsThatAreNoneWithSoFewPoints) {
  Groom groom = comb(1);
  groom.radius.clear(), groom.attributes.clear();
  for (const Vector3d& p : {Vector3d(0, 0, 0), {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}})
    groom.curves.points.push_back(p);
  groom.curves.offsets.push_back(8);
  GroomRequest request;
  request.resample = 2;  // the ends of the ring are one point
  const LoadedGroom loaded = prepared(groom, request);
  EXPECT_EQ(loaded.groom.curves.strands(), 1u);
  EXPECT_EQ(loaded.repairs.short_dropped, 1u);
}

TEST(GroomResample, GivesEveryStrandItsVertices) {
  GroomRequest request;
  request.resample = 7, request.subsample = 2;
  const LoadedGroom loaded = prepared(comb(5), request);
  EXPECT_EQ(loaded.groom.curves.offsets, (std::vector<std::size_t>{0, 7, 14, 21}));
  EXPECT_EQ(loaded.groom.curves.points.size(), 21u);
  EXPECT_EQ(loaded.groom.radius.size(), 21u);
  EXPECT_EQ(loaded.groom.attribute("groom_id")->values, (Numbers{0, 2, 4}));
}

class RealGroom : public testing::Test {
 protected:
  static LoadedGroom load(const char* file, std::optional<double> scale, int resample = 0) {
    GroomRequest request;
    request.file = std::filesystem::path(std::getenv("TENDRIL_DATA")) / "grooms" / file;
    request.scale = scale, request.resample = resample;
    auto loaded = load_groom(request);
    if (loaded) return loaded.value();
    return ADD_FAILURE() << loaded.error().message(), LoadedGroom();
  }
  void SetUp() override {
    if (std::getenv("TENDRIL_DATA") == nullptr) GTEST_SKIP() << "TENDRIL_DATA is not set";
  }
};

TEST_F(RealGroom, NeedsNoRepair) {
  const LoadedGroom sintel = load("sintel/sintel.hair", {}), ponytail = load("ponytail/ponytail.data", 0.003);
  EXPECT_EQ(sintel.groom.curves.strands(), 11400u);
  EXPECT_EQ(ponytail.groom.curves.strands(), 4933u);
  EXPECT_FALSE(sintel.repairs.any() || ponytail.repairs.any());
  EXPECT_EQ(sintel.assumptions.size(), 2u);
  EXPECT_EQ(ponytail.assumptions.size(), 1u);
}

TEST_F(RealGroom, KeepsItsTipsWhenItIsResampled) {
  for (const auto& [file, vertices] :
       {std::pair("sintel/sintel.hair", 8), {"sintel/sintel.hair", 24}, {"ponytail/ponytail.data", 12}}) {
    const Groom full = load(file, {}).groom, made = load(file, {}, vertices).groom;
    ASSERT_EQ(made.curves.strands(), full.curves.strands());
    for (std::size_t s = 0; s < made.curves.strands(); ++s) {
      ASSERT_EQ(made.curves.vertices(s), std::size_t(vertices));
      ASSERT_EQ(made.curves.strand(s).front(), full.curves.strand(s).front());
      ASSERT_LT((made.curves.strand(s).back() - full.curves.strand(s).back()).norm(), 1e-9) << s;
    }
  }
}

}  // namespace
}  // namespace tendril
