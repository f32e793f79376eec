// Strands overlap by right where joints hold them together, also by way of others.
#include "tendril/sim/joined_places.hpp"

#include <gtest/gtest.h>

namespace tendril {
namespace {

using collide::StrandPoint;

TEST(JoinedPlaces, AreThoseWithinAnEdgeOfAJoint) {
  const JoinedPlaces places(3, std::vector<JoinedPlaces::Pair>{{{1, 0, 0.0}, {0, 4, 1.0}}});
  EXPECT_TRUE(places.hold({0, 4, 0.5}, {1, 0, 0.9}));
  EXPECT_TRUE(places.hold({1, 0, 0.9}, {0, 4, 0.5}));
  EXPECT_TRUE(places.hold({0, 5, 1.0}, {1, 1, 0.0}));
  EXPECT_FALSE(places.hold({0, 3, 0.9}, {1, 0, 0.0}));
  EXPECT_FALSE(places.hold({0, 4, 0.5}, {2, 0, 0.0}));
  EXPECT_FALSE(places.hold({0, 4, 0.5}, {collide::nobody, 0, 0.0}));
}

TEST(JoinedPlaces, JoinWhatHangsAtTheSamePlace) {
  // Strands 1 and 2 hang at vertex 4 of strand 0, which its two edges tell each in their way; strand 3 at the tip of 2.
  const JoinedPlaces places(4, std::vector<JoinedPlaces::Pair>{
                                   {{1, 0, 0.0}, {0, 4, 0.0}}, {{2, 0, 0.0}, {0, 3, 1.0}}, {{3, 0, 0.0}, {2, 6, 1.0}}});
  EXPECT_TRUE(places.hold({1, 0, 0.5}, {2, 0, 0.5}));
  EXPECT_TRUE(places.hold({2, 6, 0.5}, {3, 0, 0.5}));
  EXPECT_FALSE(places.hold({1, 0, 0.5}, {3, 0, 0.5}));
}

TEST(JoinedPlaces, OfOneStrandAreTwo) {
  const JoinedPlaces places(1, std::vector<JoinedPlaces::Pair>{{{0, 2, 0.0}, {0, 9, 0.0}}});
  EXPECT_TRUE(places.hold({0, 2, 0.5}, {0, 8, 0.5}));
  EXPECT_FALSE(places.hold({0, 2, 0.5}, {0, 2, 0.0}));
}

// Strand 0 hangs on strand 1, which is pinned where that hangs and nowhere else; strand 2 is pinned, too.
TEST(JoinedPlaces, ArePinnedInTheWorld) {
  const collide::StrandPoint nobody{};
  const JoinedPlaces places(
      3, std::vector<JoinedPlaces::Pair>{{{0, 0, 0.0}, {1, 5, 0.0}}, {{1, 5, 0.0}, nobody}, {{2, 3, 0.0}, nobody}});
  EXPECT_TRUE(places.hold({1, 4, 0.5}, nobody));
  EXPECT_TRUE(places.hold({0, 0, 0.9}, nobody));
  EXPECT_FALSE(places.hold({1, 7, 0.0}, nobody));
  EXPECT_FALSE(places.hold({1, 5, 0.0}, {2, 3, 0.0}));  // both in the world, but not together
}

TEST(JoinedPlaces, AreNoneWithoutJoints) { EXPECT_FALSE(JoinedPlaces(2, {}).hold({0, 0, 0.0}, {1, 0, 0.0})); }

}  // namespace
}  // namespace tendril
