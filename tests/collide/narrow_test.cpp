#include "tendril/collide/narrow.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collide/scenes.hpp"
#include "tendril/collide/merge.hpp"

namespace tendril::collide {
namespace {

TEST(Narrow, MakesAContactWithItsNormalFromBToA) {
  Strands strands;
  strands.add({{-1, 0, 0}, {1, 0, 0}}, 0.1);
  strands.add({{0.5, -2, -0.25}, {0.5, 0, -0.25}, {0.5, 2, -0.25}}, 0.2);
  strands.positions[3].y() = 0.5;
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 1u);
  const Contact& contact = found[0];
  EXPECT_EQ(contact.a.strand, 0u);
  EXPECT_EQ(contact.b.strand, 1u);
  EXPECT_EQ(contact.a.edge, 0u);
  EXPECT_EQ(contact.b.edge, 0u);
  EXPECT_DOUBLE_EQ(contact.a.along, 0.75);
  EXPECT_DOUBLE_EQ(contact.b.along, 0.8);
  EXPECT_LT((contact.normal - Vector3d::UnitZ()).norm(), 1e-15);
  EXPECT_NEAR(contact.gap, -0.05, 1e-15);
  EXPECT_LT((contact.point_a - contact.point_b - 0.25 * contact.normal).norm(), 1e-15);
}

TEST(Narrow, StopsAtTheMargin) {
  for (const double factor : {1.0999, 1.1001}) {
    Strands strands;
    strands.add({{-1, 0, 0}, {1, 0, 0}}, 0.1);
    strands.add({{0, -1, 0.3 * factor}, {0, 1, 0.3 * factor}}, 0.2);
    EXPECT_EQ(contacts_of(strands).size(), factor < 1.1 ? 1u : 0u);
    GridOptions wide;
    wide.margin.absolute = 0.001;
    EXPECT_EQ(contacts_of(strands, pairs_by_grid(strands, wide), {wide.margin, 0.0, {}}).size(), 1u);
  }
}

TEST(Narrow, TakesTheRadiusAtTheContact) {
  Strands strands;
  strands.add({{-1, 0, 0}, {1, 0, 0}}, 0.0);
  strands.radius = {0.0, 0.4};
  strands.add({{0.5, -1, 0.3}, {0.5, 1, 0.3}}, 0.01);
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 0.3 - 0.75 * 0.4 - 0.01, 1e-15);
}

TEST(Narrow, MakesOneContactAtAVertexThatTwoEdgesShare) {
  Strands strands;
  strands.add({{-1, 1, 0}, {0, 0, 0}, {1, 1, 0}}, 0.1);                      // the tip of a V ...
  strands.add({{-2, -0.15, 0.0}, {0.1, -0.15, 0.0}, {2, -0.15, 0.1}}, 0.1);  // ... above a line
  const auto found = contacts_of(strands);
  ASSERT_EQ(pairs_by_grid(strands).size(), 4u);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a.arc(), 1.0);
}

TEST(Narrow, LeavesAContactToTheEdgeWhereTheStrandsAreClosest) {
  Strands strands;  // both edges of the second strand are within the margin of the first
  strands.add({{0, 0, -1}, {0, 0, 1}}, 0.1);
  strands.add({{-1, 0.15, 0}, {0.1, 0.15, 0}, {1, 0.25, 0}}, 0.1);
  ASSERT_EQ(pairs_by_grid(strands).size(), 2u);
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].b.edge, 0u);
  EXPECT_NEAR(found[0].gap, -0.05, 1e-15);
}

TEST(Narrow, MakesTwoContactsOfSegmentsThatLieAlongside) {
  Strands strands;
  strands.add({{0, 0, 0}, {1, 0, 0}}, 0.1);
  strands.add({{0.3, 0.2, 0}, {2, 0.2, 0}}, 0.1);
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_DOUBLE_EQ(found[0].a.arc(), 0.3);
  EXPECT_EQ(found[0].b.arc(), 0.0);
  EXPECT_EQ(found[1].a.arc(), 1.0);
  EXPECT_DOUBLE_EQ(found[1].b.arc(), 0.7 / 1.7);
}

TEST(Narrow, AddsTheMiddleWhereItIsDeeper) {
  Strands strands;  // nearly parallel, crossing: both ends within the margin, the middle overlaps
  strands.add({{-1, 0.08, 0}, {1, -0.08, 0}}, 0.1);
  strands.add({{-1, 0, 0.19}, {1, 0, 0.19}}, 0.1);
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[1].gap, -0.01, 1e-12);
  EXPECT_NEAR(found[1].a.arc(), 0.5, 1e-12);
}

TEST(Narrow, GivesParallelStrandsOneContactPerVertex) {
  Strands strands;
  std::vector<Vector3d> one, other;
  for (int v = 0; v < 11; ++v) one.push_back({0.1 * v, 0, 0}), other.push_back({0.1 * v + 0.03, 0.02, 0});
  strands.add(one, 0.01);
  strands.add(other, 0.01);
  const auto found = contacts_of(strands);
  EXPECT_EQ(found.size(), 20u);  // 11 + 11 vertices, two of which face nothing
  const auto unordered = [](const Contact& x, const Contact& y) { return contact_order(x, y) >= 0; };
  EXPECT_EQ(std::ranges::adjacent_find(found, unordered), found.end());
}

TEST(Narrow, ThinsOutWhenAsked) {
  Strands strands;
  std::vector<Vector3d> one, other;
  for (int v = 0; v < 101; ++v) one.push_back({0.01 * v, 0, 0}), other.push_back({0.01 * v + 0.003, 0.2, 0});
  strands.add(one, 0.1);
  strands.add(other, 0.1);
  const auto pairs = pairs_by_grid(strands);
  NarrowOptions options;
  const auto all = contacts_of(strands, pairs, options);
  EXPECT_EQ(all.size(), 200u);
  options.spacing = 0.5;
  const auto found = contacts_of(strands, pairs, options);
  EXPECT_LE(found.size(), 11u);
  EXPECT_GE(found.size(), 9u);
  for (std::size_t k = 1; k < found.size(); ++k) EXPECT_GT(found[k].a.arc() - found[k - 1].a.arc(), 9.9);
}

TEST(Narrow, KeepsTheSmallestGapWhenItThinsOut) {
  Strands strands;
  strands.add({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0.1);
  strands.add({{0, 5, 0}, {1, 5, 0}, {2, 5, 0}}, 0.1);
  std::vector<std::vector<Contact>> lists(1, std::vector<Contact>(3));
  std::vector<Contact>& contacts = lists.front();
  ContactRefs merged;
  for (std::size_t k = 0; k < 3; ++k) {
    contacts[k].a = {0, 0, 0.1 + 0.01 * static_cast<double>(k)}, contacts[k].b = {1, 0, 0.5};
    contacts[k].gap = k == 1 ? -0.1 : 0.0;
  }
  merge_contacts(strands.view(), 1.0, lists, merged);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0]->gap, -0.1);
}

TEST(Narrow, FindsSelfContact) {
  Strands strands;  // a loop that crosses itself
  strands.add({{-1, 0, 0}, {1, 0, 0}, {1.5, 1, 0}, {0.5, 2, 0.1}, {0.0, 1, 0.15}, {0.0, -1, 0.15}}, 0.1);
  const auto found = contacts_of(strands);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].a.strand, found[0].b.strand);
  EXPECT_EQ(found[0].a.edge, 0u);
  EXPECT_EQ(found[0].b.edge, 4u);
}

TEST(Narrow, JoinsListsInOrder) {
  std::vector<Contact> x(2), y(1);
  ContactRefs both;
  x[0].a = {0, 1, 0.5}, x[1].a = {2, 0, 0.0};
  y[0].a = {1, 0, 0.0}, y[0].body.body = 3;
  join_contacts(refs_to(x), y, both);
  ASSERT_EQ(both.size(), 3u);
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(both[k]->a.strand, k);
}

}  // namespace
}  // namespace tendril::collide
