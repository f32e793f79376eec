// Which strands are guides, and whom they carry.
#include "tendril/scene/guides.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tendril {
namespace {

using Eigen::Vector3d;
using Strands = std::vector<std::size_t>;

// Strands of three points that stand on the x axis.
Groom comb(const std::vector<double>& roots) {
  Groom groom;
  for (const double x : roots) {
    for (int i = 0; i < 3; ++i) groom.curves.points.push_back({x, 0.1 * i, 0.0});
    groom.curves.offsets.push_back(groom.curves.points.size());
  }
  return groom;
}

TEST(Guides, EveryNthAndSomeSpreadOverTheRoots) {
  const Groom groom = comb({0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(choose_guides(EveryNth{4}, groom).value(), (Strands{0, 4, 8}));
  EXPECT_EQ(choose_guides(EveryNth{1}, groom).value().size(), 9u);
  EXPECT_EQ(choose_guides(GuideCount{3}, groom).value(), (Strands{0, 4, 8}));
  EXPECT_EQ(choose_guides(GuideCount{99}, groom).value().size(), 9u);
  EXPECT_EQ(choose_guides(AllGuides{}, groom).value().size(), 9u);
}

TEST(Guides, SpreadNeverTakesAStrandTwice) {
  const Groom groom = comb({0, 0, 0, 0, 1});
  EXPECT_EQ(choose_guides(GuideCount{4}, groom).value().size(), 4u);
  const Strands chosen = choose_guides(GuideCount{4}, groom).value();
  EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), 4u);
}

TEST(Guides, AnAttributeMarksThem) {
  Groom groom = comb({0, 1, 2});
  groom.attributes = {{"guide", false, 1, {0.0, 1.0, 0.0}}, {"zero", false, 1, {0.0, 0.0, 0.0}}};
  EXPECT_EQ(choose_guides(GuideAttribute{"guide"}, groom).value(), (Strands{1}));
  EXPECT_NE(choose_guides(GuideAttribute{"zero"}, groom).error().message().find("marks no strand"), std::string::npos);
  EXPECT_NE(choose_guides(GuideAttribute{"guid"}, groom).error().message().find("it has guide, zero"),
            std::string::npos);
}

TEST(Guides, WeightsFallWithTheSquareOfTheDistance) {
  const Groom groom = comb({0, 1, 2, 3, 10});
  const Strands guides = {0, 3, 4};
  const GuideBinding b = bind_to_guides(EveryNth{}, groom, selected_curves(groom.curves, guides), guides).value();
  EXPECT_EQ(b.closest[1], (std::array<std::uint32_t, 3>{0, 1, 2}));
  const double a = 1.0, c = 1.0 / 4.0, d = 1.0 / 81.0;
  EXPECT_NEAR(b.weights[1][0], a / (a + c + d), 1e-15);
  EXPECT_NEAR(b.weights[1][1], c / (a + c + d), 1e-15);
  EXPECT_NEAR(b.weights[1][2], d / (a + c + d), 1e-15);
  EXPECT_EQ(b.closest[3][0], 1u);
  EXPECT_EQ(b.weights[3], (std::array<double, 3>{1.0, 0.0, 0.0}));
}

TEST(Guides, OfAnotherShapeCountLittle) {
  Groom groom = comb({0, 1, 1});
  for (std::size_t i = 3; i < 6; ++i) groom.curves.points[i] = {1.0 + 30.0 * (double(i) - 3.0), 0.0, 0.0};  // lies flat
  const Strands guides = {0, 1};
  const GuideBinding b = bind_to_guides(EveryNth{}, groom, selected_curves(groom.curves, guides), guides).value();
  EXPECT_EQ(b.closest[2], (std::array<std::uint32_t, 3>{1, 0, 1}));  // nearer by its root
  EXPECT_GT(b.weights[2][1], 0.99);
  EXPECT_EQ(b.weights[2][2], 0.0);
}

TEST(Guides, AreFewerThanThree) {
  const Groom groom = comb({0, 1, 2});
  const GuideBinding one = bind_to_guides(EveryNth{}, groom, selected_curves(groom.curves, {2}), {2}).value();
  EXPECT_EQ(one.weights[0], (std::array<double, 3>{1.0, 0.0, 0.0}));
  const GuideBinding same = bind_to_guides(GuideFile{}, groom, comb({1, 1}).curves, {}).value();
  EXPECT_DOUBLE_EQ(same.weights[1][0] + same.weights[1][1], 1.0);  // at its very root: none else
  EXPECT_EQ(same.weights[1][2], 0.0);
}

TEST(Guides, KeepTheBindingsOfTheGroom) {
  Groom groom = comb({0, 1, 2, 3});
  groom.attributes = {{"guide", false, 1, {1, 0, 0, 1}},
                      {"groom_id", false, 1, {70, 71, 72, 73}},
                      {"closest_guides", false, 3, {70, 70, 70, 73, 70, 70, 70, 73, 70, 73, 73, 73}},
                      {"guide_weights", false, 3, {1, 0, 0, 3, 1, 0, 1, 1, 0, 1, 0, 0}}};
  const Strands guides = {0, 3};
  const Curves curves = selected_curves(groom.curves, guides);
  const GuideBinding b = bind_to_guides(GuideAttribute{"guide"}, groom, curves, guides).value();
  EXPECT_EQ(b.closest[1][0], 1u);
  EXPECT_DOUBLE_EQ(b.weights[1][0], 0.75);
  EXPECT_DOUBLE_EQ(b.weights[2][1], 0.5);
  groom.attributes[2].values[3] = 71;
  EXPECT_NE(bind_to_guides(GuideAttribute{"guide"}, groom, curves, guides).error().message().find("which is no guide"),
            std::string::npos);
  groom.attributes[3].values[3] = -1.0;
  EXPECT_FALSE(bind_to_guides(GuideAttribute{"guide"}, groom, curves, guides));
  EXPECT_TRUE(bind_to_guides(EveryNth{3}, groom, curves, guides));  // other guides than the groom's: not its bindings
}

}  // namespace
}  // namespace tendril
