// The point of a triangle closest to a given point, in double precision.
//
// It lies inside the triangle, on an edge or at a corner. The closest point of the plane is a candidate if it is
// inside, and the closest point of each edge is one; the nearest of them wins. All candidates are points of the
// triangle, so a needle or a triangle without area, whose plane is uncertain or none, costs accuracy nowhere.
//
// An edge gives the same bits whichever way round a triangle names it: where it is closest, its two triangles tie.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

namespace tendril {

struct TrianglePoint {
  Eigen::Vector3d barycentric =
      Eigen::Vector3d::UnitX();  // weights of the corners, 0 to 1; their sum is 1 to round-off
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double squared_distance = std::numeric_limits<double>::infinity();
};

namespace detail {

// Corners seen from the given point: differences are exact where it matters, close to it.
struct TriangleFromPoint {
  Eigen::Vector3d corners[3];

  void offer(const Eigen::Vector3d& barycentric, TrianglePoint& best) const {
    const Eigen::Vector3d away =
        barycentric[0] * corners[0] + barycentric[1] * corners[1] + barycentric[2] * corners[2];
    const double squared_distance = away.squaredNorm();
    if (squared_distance < best.squared_distance)
      best.barycentric = barycentric, best.squared_distance = squared_distance;
  }

  void offer_inside(TrianglePoint& best) const {
    const Eigen::Vector3d first = corners[1] - corners[0], second = corners[2] - corners[0];
    const Eigen::Vector3d normal = first.cross(second);
    const double v = -corners[0].cross(second).dot(normal), w = -first.cross(corners[0]).dot(normal);
    const double whole = normal.squaredNorm(), u = whole - v - w;
    if (whole > 0.0 && u >= 0.0 && v >= 0.0 && w >= 0.0) offer(Eigen::Vector3d(u, v, w) / whole, best);
  }

  void offer_edge(int i, int j, TrianglePoint& best) const {
    if (std::ranges::lexicographical_compare(corners[j], corners[i])) std::swap(i, j);
    const Eigen::Vector3d &a = corners[i], &b = corners[j];
    const Eigen::Vector3d edge = b - a;
    const double squared_length = edge.squaredNorm();
    const double along = squared_length > 0.0 ? std::clamp(-a.dot(edge) / squared_length, 0.0, 1.0) : 0.0;
    Eigen::Vector3d barycentric = Eigen::Vector3d::Zero();
    barycentric[i] = 1.0 - along, barycentric[j] = along;
    offer(barycentric, best);
  }
};

}  // namespace detail

// All coordinates are finite.
inline TrianglePoint closest_point_on_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                               const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const detail::TriangleFromPoint triangle{{a - p, b - p, c - p}};
  TrianglePoint best;
  triangle.offer_inside(best);
  triangle.offer_edge(0, 1, best);
  triangle.offer_edge(1, 2, best);
  triangle.offer_edge(2, 0, best);
  best.point = best.barycentric[0] * a + best.barycentric[1] * b + best.barycentric[2] * c;
  return best;
}

}  // namespace tendril
