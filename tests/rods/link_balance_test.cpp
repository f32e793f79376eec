// Tensions that balance forces best: along a line that is held at both ends any would do, and none is told.
#include "tendril/rods/link_balance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tendril {
namespace {

using Eigen::Vector3d;

struct Balanced {
  std::vector<Vector3d> along, left;
  std::vector<double> tensions;
};

// Of points under a force each, of which some are held.
Balanced balanced(const std::vector<Vector3d>& points, const std::vector<std::size_t>& held, const Vector3d& force) {
  std::vector<Vector3d> free(points.size(), Vector3d::Ones());
  for (const std::size_t i : held) free[i].setZero();
  Balanced out{{}, std::vector<Vector3d>(points.size(), force), std::vector<double>(points.size() - 1)};
  for (std::size_t k = 0; k + 1 < points.size(); ++k) out.along.push_back((points[k + 1] - points[k]).normalized());
  balance_links(free, out.along, out.left, out.tensions);
  return out;
}

TEST(LinkBalance, TellsNoTensionOfALineBetweenHeldPoints) {
  const Vector3d line(1.3, -0.7, 0.4), force(0.0, -9.0, 0.0);
  for (const std::size_t n : {3u, 10u, 21u, 300u}) {
    std::vector<Vector3d> points;
    for (std::size_t i = 0; i < n; ++i) points.push_back((0.37 * double(i) + 1e-3) * line);
    const Balanced whole = balanced(points, {0, n - 1}, force);
    for (const double tension : whole.tensions) EXPECT_TRUE(std::isnan(tension));
    const Vector3d direction = line.normalized(), across = force - force.dot(direction) * direction;
    for (std::size_t i = 1; i + 1 < n; ++i) EXPECT_LT((whole.left[i] - across).norm(), 1e-10);
    EXPECT_EQ(whole.left[0].norm(), 0.0);
    const Balanced hanging = balanced(points, {0}, force);  // all that is below pulls
    for (std::size_t k = 0; k + 1 < n; ++k)
      EXPECT_NEAR(hanging.tensions[k], double(n - 1 - k) * force.dot(direction), 1e-9 * double(n));
  }
}

TEST(LinkBalance, TellsWhatPullsBesideSuchALine) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 6; ++i) points.push_back(i * Vector3d(1.0, 0.3, 0.0));
  for (int i = 1; i < 6; ++i) points.push_back(points[5] + Vector3d(0.0, -i, 0.0));
  const Balanced both = balanced(points, {0, 5}, {0.0, -2.0, 0.0});
  for (std::size_t k = 0; k < 5; ++k) EXPECT_TRUE(std::isnan(both.tensions[k])) << k;
  for (std::size_t k = 5; k < 10; ++k) EXPECT_NEAR(both.tensions[k], 2.0 * double(10 - k), 1e-12) << k;
}

TEST(LinkBalance, TellsWhatPullsInALineThatSags) {
  const std::vector<Vector3d> points = {{0, 0, 0}, {1, -1e-3, 0}, {2, 0, 0}};
  const Balanced sagging = balanced(points, {0, 2}, {0.0, -1.0, 0.0});
  for (const double tension : sagging.tensions) EXPECT_NEAR(tension, 500.0, 1.0);
  EXPECT_LT(sagging.left[1].norm(), 1e-9);
}

}  // namespace
}  // namespace tendril
