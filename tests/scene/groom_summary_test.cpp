#include "tendril/scene/groom_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>

#include "tendril/io/groom_file.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Points = std::vector<Vector3d>;

Groom groom_of(const std::vector<Points>& strands) {
  Groom groom;
  for (const Points& points : strands) {
    groom.curves.points.insert(groom.curves.points.end(), points.begin(), points.end());
    groom.curves.offsets.push_back(groom.curves.points.size());
  }
  return groom;
}

TEST(GroomSummary, OfNothingIsZero) {
  const GroomSummary summary = summarise(Groom());
  EXPECT_EQ(summary.strands, 0u);
  EXPECT_EQ(summary.points, 0u);
  EXPECT_EQ(summary.fewest_points, 0u);
  EXPECT_EQ(summary.most_points, 0u);
  EXPECT_EQ(summary.low, Vector3d::Zero());
  EXPECT_EQ(summary.high, Vector3d::Zero());
  EXPECT_EQ(summary.length.most, 0.0);
  EXPECT_FALSE(summary.degenerate.any());
}

TEST(GroomSummary, CountsAndMeasures) {
  const GroomSummary summary = summarise(groom_of(
      {{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 2, 0}, {0, 2, 3}}, {{5, 0, -1}, {5, 0, 1}, {5, 0, 3}, {5, 4, 3}}}));
  EXPECT_EQ(summary.strands, 3u);
  EXPECT_EQ(summary.points, 9u);
  EXPECT_EQ(summary.fewest_points, 2u);
  EXPECT_EQ(summary.most_points, 4u);
  EXPECT_EQ(summary.low, Vector3d(0, 0, -1));
  EXPECT_EQ(summary.high, Vector3d(5, 4, 3));
  EXPECT_EQ(summary.length.least, 1.0);
  EXPECT_EQ(summary.length.median, 5.0);
  EXPECT_EQ(summary.length.most, 8.0);
  EXPECT_EQ(summary.segment.least, 1.0);
  EXPECT_EQ(summary.segment.median, 2.0);
  EXPECT_EQ(summary.segment.most, 4.0);
  EXPECT_EQ(summary.turning.least, 0.0);
  EXPECT_NEAR(summary.turning.most, pi / 2, 1e-15);
  EXPECT_NEAR(summary.sharpest_joint, pi / 2, 1e-15);
  EXPECT_EQ(summary.duplicates, 0u);
  EXPECT_FALSE(summary.degenerate.any());
}

TEST(GroomSummary, AddsUpTheTurningOfAStrand) {
  // A closed square, then a point that turns back: four times 90 degrees, and 135.
  const GroomSummary summary =
      summarise(groom_of({{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}));
  EXPECT_NEAR(summary.turning.most, 4 * pi / 2 + 3 * pi / 4, 1e-12);
  EXPECT_NEAR(summary.sharpest_joint, 3 * pi / 4, 1e-12);
}

TEST(GroomSummary, CountsStrandsThatWereThereBefore) {
  const Points strand = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const Points shorter = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(summarise(groom_of({strand, shorter, strand, strand, shorter})).duplicates, 3u);
}

TEST(GroomSummary, TellsWhatWouldBeMendedAndMeasuresTheRest) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const Groom groom = groom_of({{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                                {{nan, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                                {{infinite, 0, 0}, {-7, 0, 0}},
                                {{9, 9, 9}},
                                {},
                                {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}}});
  const GroomSummary summary = summarise(groom);
  EXPECT_EQ(summary.degenerate.not_finite_dropped, 2u);
  EXPECT_EQ(summary.degenerate.short_dropped, 2u);
  EXPECT_EQ(summary.degenerate.points_merged, 1u);
  EXPECT_EQ(summary.degenerate.spikes_removed, 1u);
  EXPECT_EQ(summary.strands, 6u);
  EXPECT_EQ(summary.fewest_points, 0u);
  EXPECT_EQ(summary.low, Vector3d(-7, 0, 0));
  EXPECT_EQ(summary.high, Vector3d(9, 9, 9));
  EXPECT_EQ(summary.length.most, 3.0);
  EXPECT_EQ(summary.segment.most, 2.0);
  EXPECT_NEAR(summary.sharpest_joint, pi, 1e-12);
  EXPECT_TRUE(std::isfinite(summary.turning.most));
  EXPECT_EQ(groom.curves.strands(), 6u) << "it is only looked at";
}

GroomSummary of_real(const char* file) {
  const auto groom = read_groom(std::filesystem::path(std::getenv("TENDRIL_DATA")) / "grooms" / file);
  if (groom) return summarise(groom.value());
  return ADD_FAILURE() << groom.error().message(), GroomSummary();
}

TEST(GroomSummary, OfSintelIsKnown) {
  if (std::getenv("TENDRIL_DATA") == nullptr) GTEST_SKIP() << "TENDRIL_DATA is not set";
  for (const char* file : {"sintel/sintel.hair", "sintel/sintel_hair_16.tfx"}) {
    const GroomSummary summary = of_real(file);
    EXPECT_EQ(summary.strands, 11400u);
    EXPECT_EQ(summary.points, 182400u);
    EXPECT_EQ(summary.fewest_points, 16u);
    EXPECT_EQ(summary.most_points, 16u);
    EXPECT_NEAR(summary.length.least, 0.0251, 5e-5);
    EXPECT_NEAR(summary.length.median, 0.1015, 5e-5);
    EXPECT_NEAR(summary.length.most, 0.248, 5e-4);
    EXPECT_NEAR(summary.segment.least, 1.6e-3, 1e-4);
    EXPECT_NEAR(summary.segment.most, 16.6e-3, 1e-4);
    EXPECT_NEAR(summary.turning.median * 180 / pi, 67.0, 0.5);
    EXPECT_NEAR(summary.sharpest_joint * 180 / pi, 57.0, 0.5);
    EXPECT_FALSE(summary.degenerate.any());
  }
}

TEST(GroomSummary, OfThePonytailIsKnown) {
  if (std::getenv("TENDRIL_DATA") == nullptr) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const GroomSummary summary = of_real("ponytail/ponytail.data");
  EXPECT_EQ(summary.strands, 4933u);
  EXPECT_EQ(summary.points, 78928u);
  EXPECT_NEAR(summary.length.least, 3.4, 0.05);
  EXPECT_NEAR(summary.length.median, 22.7, 0.05);
  EXPECT_NEAR(summary.length.most, 92.4, 0.05);
  EXPECT_NEAR(summary.sharpest_joint * 180 / pi, 110.0, 0.5);
  EXPECT_FALSE(summary.degenerate.any());
}

}  // namespace
}  // namespace tendril
