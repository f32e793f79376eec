#include "tendril/collide/contact.hpp"

#include <gtest/gtest.h>

#include "collide/scenes.hpp"

namespace tendril::collide {
namespace {

void expect_frame(const Vector3d& n) {
  const Eigen::Matrix3d frame = contact_frame(n);
  EXPECT_EQ(Vector3d(frame.row(0)), n);
  EXPECT_LT((frame * frame.transpose() - Eigen::Matrix3d::Identity()).norm(), 4e-15) << n.transpose();
  EXPECT_NEAR(frame.determinant(), 1.0, 4e-15);
}

TEST(Contact, HasARightHandedFrameForAnyNormal) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) expect_frame(random_direction(random));
  for (const Vector3d& n : {Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, 1), Vector3d(0, 0, -1),
                            Vector3d(0.6, 0.8, -0.0), Vector3d(1e-9, 0, -1).normalized()})
    expect_frame(n);
}

Strands two_that_coincide(double angle) {
  Strands strands;
  strands.add({{-1, 0, 0}, {1, 0, 0}}, 0.1);
  strands.add({{-std::cos(angle), -std::sin(angle), 0}, {std::cos(angle), std::sin(angle), 0}}, 0.1);
  return strands;
}

Contact one_last(const Vector3d& normal, double side, double along) {
  Contact last;
  last.a = {0, 0, along}, last.b = {1, 0, along};
  last.normal = normal, last.side = side;
  return last;
}

TEST(Contact, OfCoincidentCentreLinesKeepsTheLastNormal) {
  const Strands strands = two_that_coincide(1.0);
  const Vector3d normal = Vector3d(0.1, 0.2, -1).normalized();
  const std::vector<Contact> last = {one_last(normal, 1.0, 0.4)};
  const auto found = contacts_of(strands, pairs_by_grid(strands), {}, LastContacts(last));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].normal, normal);
  EXPECT_EQ(found[0].gap, -0.2);
}

TEST(Contact, OfCoincidentCentreLinesElseKeepsTheSide) {
  const Strands strands = two_that_coincide(1.0);
  for (const double side : {1.0, -1.0}) {
    Contact far = one_last(Vector3d::UnitX(), side, 0.5);
    far.b.edge = 7;  // more than an edge away
    const std::vector<Contact> last = {far};
    const auto found = contacts_of(strands, pairs_by_grid(strands), {}, LastContacts(last));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LT((found[0].normal - Vector3d(0, 0, side)).norm(), 1e-15);
    EXPECT_EQ(found[0].side, side);
  }
}

TEST(Contact, OfCoincidentCentreLinesElseTakesAnyPerpendicular) {
  for (const double angle : {0.0, 1.0}) {
    const Strands strands = two_that_coincide(angle);
    for (const Contact& contact : contacts_of(strands)) {
      EXPECT_NEAR(contact.normal.norm(), 1.0, 1e-15);
      EXPECT_NEAR(contact.normal.x(), 0.0, 1e-15);
    }
    EXPECT_EQ(contacts_of(strands).size(), angle == 0.0 ? 2u : 1u);
  }
  Strands points;
  points.add({{1, 1, 1}, {1, 1, 1}}, 0.1);
  points.add({{1, 1, 1}, {1, 1, 1}}, 0.1);
  const auto found = contacts_of(points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].normal.norm(), 1.0, 1e-15);
}

}  // namespace
}  // namespace tendril::collide
