#include "tendril/io/groom.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tendril {
namespace {

using Points = std::vector<Eigen::Vector3d>;
using Numbers = std::vector<double>;

// Radius and attributes name the vertex and the strand that they belong to.
Groom groom_of(const std::vector<Points>& strands) {
  Groom groom;
  GroomAttribute color{"color", true, 2, {}}, id{"groom_id", false, 1, {}};
  for (const Points& points : strands) {
    id.values.push_back(double(groom.curves.strands()));
    for (const auto& point : points) {
      const auto v = double(groom.curves.points.size());
      groom.radius.push_back(v);
      color.values.insert(color.values.end(), {10.0 * v, 10.0 * v + 1.0});
      groom.curves.points.push_back(point);
    }
    groom.curves.offsets.push_back(groom.curves.points.size());
  }
  groom.attributes = {color, id};
  groom.metres_per_unit = 0.01, groom.up = UpAxis::z;
  return groom;
}

const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
const Points sound = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};

TEST(GroomRepair, LeavesSoundStrandsAsTheyAre) {
  Groom groom = groom_of({sound, {{5, 0, 0}, {5, 0, 1}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_FALSE(repairs.any());
  EXPECT_EQ(repairs.text(), "");
  EXPECT_EQ(groom.curves.offsets, (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(groom.radius, (Numbers{0, 1, 2, 3, 4}));
}

TEST(GroomRepair, DropsStrandsThatAreNotFinite) {
  for (const double bad : {nan, infinite, -infinite, 1e39, -1e300}) {  // the last two: in float32, as frames hold them
    for (int c = 0; c < 3; ++c) {
      Points broken = sound;
      broken[1][c] = bad;
      Groom groom = groom_of({broken, sound, broken});
      const GroomRepairs repairs = repair(groom, 1e-7);
      EXPECT_EQ(repairs.not_finite_dropped, 2u);
      EXPECT_EQ(repairs.text(), "2 strands with a coordinate that is not a finite number dropped");
      EXPECT_EQ(groom.curves.points, sound);
      EXPECT_EQ(groom.attribute("groom_id")->values, (Numbers{1}));
    }
  }
}

TEST(GroomRepair, DropsStrandsWithoutTwoDifferentPoints) {
  Groom groom = groom_of({{}, {{1, 1, 1}}, sound, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, {{0, 0, 0}, {0, 1e-9, 0}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.short_dropped, 4u);
  EXPECT_EQ(repairs.points_merged, 0u) << "of a strand that goes, nothing else is told";
  EXPECT_EQ(repairs.text(), "4 strands with fewer than two different points dropped");
  EXPECT_EQ(groom.curves.offsets, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(groom.radius, (Numbers{1, 2, 3}));
}

TEST(GroomRepair, MergesPointsAtOnePlaceWithTheFirstOfThem) {
  Groom groom = groom_of({{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1e-8, 0}, {1, 1, 0}, {1, 1, 0}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.points_merged, 3u);
  EXPECT_EQ(repairs.text(), "3 points merged with the point before");
  EXPECT_EQ(groom.curves.points, sound);
  EXPECT_EQ(groom.radius, (Numbers{0, 2, 4}));
  EXPECT_EQ(groom.attribute("color")->values, (Numbers{0, 1, 20, 21, 40, 41}));
}

TEST(GroomRepair, MergesOnlyEqualPointsWhenNothingIsTooShort) {
  Groom groom = groom_of({{{0, 0, 0}, {1e-30, 0, 0}, {1e-30, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(repair(groom, 0.0).points_merged, 1u);
  EXPECT_EQ(groom.curves.points.size(), 3u);
}

TEST(GroomRepair, CountsADistanceOfTheLimitAsTooShort) {
  Groom groom = groom_of({{{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}}});
  EXPECT_EQ(repair(groom, 0.5).points_merged, 1u);
  groom = groom_of({{{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}}});
  EXPECT_FALSE(repair(groom, 0.49).any());
}

TEST(GroomRepair, RemovesSpikes) {
  // To x = 2, back to 1, and on to y.
  Groom groom = groom_of({{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.spikes_removed, 1u);
  EXPECT_EQ(repairs.text(), "1 point removed where a strand turned back onto itself");
  EXPECT_EQ(groom.curves.points, sound);
  EXPECT_EQ(groom.radius, (Numbers{0, 2, 3}));
}

TEST(GroomRepair, RemovesASpikeOfSeveralPointsAndWhatComesBackToItsFoot) {
  Groom groom = groom_of({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.spikes_removed, 2u);
  EXPECT_EQ(repairs.points_merged, 2u);
  EXPECT_EQ(groom.curves.points, sound);
}

TEST(GroomRepair, DropsAStrandThatOnlyGoesThereAndBack) {
  Groom groom = groom_of({{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, sound});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.short_dropped, 1u);
  EXPECT_EQ(repairs.spikes_removed, 0u);
  EXPECT_EQ(groom.curves.points, sound);
}

TEST(GroomRepair, LeavesASharpTurn) {
  Groom groom = groom_of({{{0, 0, 0}, {1, 0, 0}, {0, 0.01, 0}}});
  EXPECT_FALSE(repair(groom, 1e-7).any());
}

TEST(GroomRepair, LeavesNothingToRepair) {
  Groom groom =
      groom_of({{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0.5, 3, 0}, {0.5, 1, 0}, {0, 1, 0}},
                {{nan, 0, 0}, {1, 0, 0}},
                {{0, 0, 0}},
                sound});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_TRUE(repairs.any());
  EXPECT_FALSE(repair(groom, 1e-7).any());
}

TEST(GroomRepair, TellsEveryKindInOneSentence) {
  Groom groom = groom_of({{{nan, 0, 0}, {1, 0, 0}}, {{0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}, {1, 0, 0}}});
  const GroomRepairs repairs = repair(groom, 1e-7);
  EXPECT_EQ(repairs.text(),
            "1 strand with a coordinate that is not a finite number dropped, 1 strand with fewer than two different "
            "points dropped, 1 point merged with the point before, 1 point removed where a strand turned back onto "
            "itself");
}

TEST(GroomRepair, KeepsUnitAndUp) {
  Groom groom = groom_of({{}, sound});
  ASSERT_TRUE(repair(groom, 1e-7).any());
  EXPECT_EQ(groom.metres_per_unit, 0.01);
  EXPECT_EQ(groom.up, UpAxis::z);
}

TEST(GroomRepair, WorksWithoutRadiusAttributesAndStrands) {
  Groom groom = groom_of({{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}});
  groom.radius.clear(), groom.attributes.clear();
  EXPECT_EQ(repair(groom, 1e-7).points_merged, 1u);
  EXPECT_TRUE(groom.radius.empty());
  Groom empty;
  EXPECT_FALSE(repair(empty, 1e-7).any());
  EXPECT_EQ(empty.curves.strands(), 0u);
}

TEST(Groom, SelectsStrandsWithAllThatBelongsToThem) {
  const Groom groom = groom_of({sound, {{5, 0, 0}, {5, 0, 1}}, {}, {{7, 0, 0}, {7, 1, 0}}});
  const Groom some = selected(groom, {0, 1, 1, 1});
  EXPECT_EQ(some.curves.points, (Points{{5, 0, 0}, {5, 0, 1}, {7, 0, 0}, {7, 1, 0}}));
  EXPECT_EQ(some.curves.offsets, (std::vector<std::size_t>{0, 2, 2, 4}));
  EXPECT_EQ(some.radius, (Numbers{3, 4, 5, 6}));
  EXPECT_EQ(some.attribute("color")->values, (Numbers{30, 31, 40, 41, 50, 51, 60, 61}));
  EXPECT_EQ(some.attribute("color")->components, 2);
  EXPECT_TRUE(some.attribute("color")->per_vertex);
  EXPECT_EQ(some.attribute("groom_id")->values, (Numbers{1, 2, 3}));
  EXPECT_FALSE(some.attribute("groom_id")->per_vertex);
  EXPECT_EQ(some.metres_per_unit, 0.01);
  EXPECT_EQ(some.up, UpAxis::z);
  EXPECT_EQ(selected(groom, {0, 0, 0, 0}).curves.strands(), 0u);
}

TEST(Groom, GoesToMetresWithYUp) {
  Groom groom = groom_of({{{1, 2, 3}, {4, 5, 6}}});
  Groom turned = groom;
  to_metres(groom, 0.5, UpAxis::y);
  EXPECT_EQ(groom.curves.points, (Points{{0.5, 1, 1.5}, {2, 2.5, 3}}));
  EXPECT_EQ(groom.radius, (Numbers{0, 0.5}));
  EXPECT_EQ(groom.metres_per_unit, 1.0);
  EXPECT_EQ(groom.up, UpAxis::y);
  to_metres(turned, 2.0, UpAxis::z);
  EXPECT_EQ(turned.curves.points, (Points{{2, 6, -4}, {8, 12, -10}}));
  EXPECT_EQ(turned.up, UpAxis::y);
}

TEST(Groom, FindsAttributesByName) {
  const Groom groom = groom_of({sound});
  EXPECT_EQ(groom.attribute("color"), &groom.attributes[0]);
  EXPECT_EQ(groom.attribute("colour"), nullptr);
}

}  // namespace
}  // namespace tendril
