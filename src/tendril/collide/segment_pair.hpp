// The closest points of two segments P(s) = p0 + s (p1 - p0) and Q(t) = q0 + t (q1 - q0), s and t in [0, 1]
// (docs/theory/collide.md, Eqs. 1-3), and the ends of the stretch along which two nearly parallel ones face each other
// (Eq. 4). In double, without allocation; all choices are selections of finite values, so segments without length,
// parallel, collinear and touching ones need no case of their own.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>

namespace tendril::collide {

using Eigen::Vector3d;

struct Segment {
  Vector3d start, end;

  Vector3d direction() const { return end - start; }
  Vector3d at(double along) const { return start + along * (end - start); }
};

struct SegmentPoints {
  double s = 0.0, t = 0.0;
  Vector3d apart = Vector3d::Zero();  // P(s) - Q(t)
};

namespace detail {

// numerator / denominator within [0, 1]; 0 for a segment without length.
inline double fraction(double numerator, double denominator) {
  return denominator > 0.0 ? std::clamp(numerator / denominator, 0.0, 1.0) : 0.0;
}

// The products of two segments that all formulas use.
struct SegmentProducts {
  Vector3d u, v, r;  // directions, and p0 - q0
  double a, e, b, c, f;

  SegmentProducts(const Segment& p, const Segment& q) : u(p.direction()), v(q.direction()), r(p.start - q.start) {
    a = u.dot(u), e = v.dot(v), b = u.dot(v), c = u.dot(r), f = v.dot(r);
  }

  double best_s(double t) const { return fraction(b * t - c, a); }
  double best_t(double s) const { return fraction(b * s + f, e); }
  SegmentPoints points(double s, double t) const { return {s, t, r + s * u - t * v}; }
};

}  // namespace detail

// Below this squared sine of their angle two segments count as parallel. The distance then is off by the sine times
// their length at most, 1e-12: round-off. (At 1e-14 it would be 1e-7: two segments in one plane close in on each
// other.)
inline constexpr double parallel_squared_sine = 1e-24;

inline SegmentPoints closest_points(const Segment& p, const Segment& q) {
  const detail::SegmentProducts d(p, q);
  // |u x v|^2 and (u x v).(v x r) are a e - b^2 and b f - c e without their cancellation.
  const Vector3d normal = d.u.cross(d.v);
  const double determinant = normal.dot(normal);
  const bool parallel = !(determinant > parallel_squared_sine * d.a * d.e);
  // Parallel: the middle of what they share, which moves least when the segments do (Eq. 3).
  const double middle = 0.5 * (detail::fraction(-d.c, d.a) + detail::fraction(d.b - d.c, d.a));
  const double crossing = detail::fraction(normal.dot(d.v.cross(d.r)), determinant);
  double s = parallel ? middle : crossing;
  double t = d.best_t(s);
  s = d.best_s(t), t = d.best_t(s), s = d.best_s(t);  // the second round only sheds round-off
  return d.points(s, t);
}

// The stretch of P that faces Q: from the first to the last pair of points of which one is an end of a segment and the
// other its closest point on the other segment.
struct SegmentOverlap {
  bool exists = false;  // with a length
  SegmentPoints first, last;
};

// Two segments face each other along a stretch only if they are nearly parallel: sine of their angle up to 0.1.
inline constexpr double nearly_parallel_squared_sine = 0.01;

inline SegmentOverlap facing_stretch(const Segment& p, const Segment& q) {
  const detail::SegmentProducts d(p, q);
  const double determinant = d.u.cross(d.v).squaredNorm();
  if (!(d.a > 0.0 && d.e > 0.0) || determinant > nearly_parallel_squared_sine * d.a * d.e) return {};
  // Where the ends of Q lie along P, in the order of P.
  const bool same_way = d.b >= 0.0;
  const double of_start = -d.c / d.a, of_end = (d.b - d.c) / d.a;
  const double low = same_way ? of_start : of_end, high = same_way ? of_end : of_start;
  if (!(low < 1.0 && high > 0.0)) return {};
  SegmentOverlap overlap;
  overlap.exists = true;
  overlap.first = low > 0.0 ? d.points(low, same_way ? 0.0 : 1.0) : d.points(0.0, d.best_t(0.0));
  overlap.last = high < 1.0 ? d.points(high, same_way ? 1.0 : 0.0) : d.points(1.0, d.best_t(1.0));
  return overlap;
}

}  // namespace tendril::collide
