#include "tendril/collide/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::collide {
namespace {

SurfacePoint at_distance(const Vector3d& place, double distance, const Vector3d& normal, std::uint32_t feature = 0) {
  return {distance, normal, place - distance * normal, feature};
}

// Of a ball about `centre`. At the very centre all ways out are as long: take one.
SurfacePoint from_ball(const Vector3d& place, const Vector3d& centre, double radius, const Vector3d& any_way) {
  const Vector3d out = place - centre;
  const double length = out.norm();
  return at_distance(place, length - radius, length > 0.0 ? Vector3d(out / length) : any_way);
}

// Of what lies within all faces, given how far the place is beyond each pair of faces (negative: within) and their
// outward normals, which are orthogonal (Eq. 12). Outside, the ways beyond add as vectors; inside, the nearest face.
template <int faces>
SurfacePoint from_faces(const Vector3d& place, const Eigen::Array<double, faces, 1>& beyond,
                        const Eigen::Matrix<double, 3, faces>& outward) {
  const Vector3d away = outward * beyond.max(0.0).matrix();
  const double distance = away.norm();
  int face = 0;
  const double nearest_face = beyond.maxCoeff(&face);
  const auto feature = static_cast<std::uint32_t>(face);
  if (distance > 0.0) return at_distance(place, distance, away / distance, feature);
  return at_distance(place, nearest_face, outward.col(face), feature);
}

// The root of sum (r_i z_i / (sigma + r_i - 1))^2 = 1 (Eq. 12a): convex and falling, so Newton from the left goes up to
// it and never beyond.
double ellipsoid_root(const Vector3d& r, const Vector3d& z, double sigma) {
  constexpr int most_iterations = 200;
  for (int i = 0; i < most_iterations; ++i) {
    double value = -1.0, slope = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const double below = sigma + (r[axis] - 1.0), share = r[axis] * z[axis] / below;
      value += share * share, slope -= 2.0 * share * share / below;
    }
    const double next = sigma - value / slope;
    if (!(next > sigma)) break;
    sigma = next;
  }
  return sigma;
}

}  // namespace

SurfacePoint nearest(const Plane&, const Vector3d& place) { return at_distance(place, place.y(), Vector3d::UnitY()); }

SurfacePoint nearest(const Sphere& sphere, const Vector3d& place) {
  return from_ball(place, Vector3d::Zero(), sphere.radius, Vector3d::UnitY());
}

// In units of the least semi-axis and in the first octant, where the closest point is that of the place. A place on a
// plane of symmetry has two closest points or more; a hair's breadth off it there is one.
SurfacePoint nearest(const Ellipsoid& ellipsoid, const Vector3d& place) {
  constexpr double off_plane = 1e-14;
  const Vector3d& e = ellipsoid.radii;
  const double least = e.minCoeff();
  const Vector3d r = (e / least).cwiseAbs2(), z = place.cwiseAbs().cwiseQuotient(e).cwiseMax(off_plane);
  int shortest = 0;
  e.minCoeff(&shortest);
  const double sigma = ellipsoid_root(r, z, z[shortest]);
  Vector3d closest, normal;
  for (int axis = 0; axis < 3; ++axis) {
    const double unit = r[axis] * z[axis] / (sigma + (r[axis] - 1.0));  // of the semi-axis
    closest[axis] = std::copysign(unit * e[axis], place[axis]);
    normal[axis] = std::copysign(unit / e[axis], place[axis]);
  }
  normal.normalize();
  return {(place - closest).dot(normal), normal, closest, 0};
}

SurfacePoint nearest(const Capsule& capsule, const Vector3d& place) {
  const double along = std::clamp(place.y(), -capsule.half_length, capsule.half_length);
  return from_ball(place, Vector3d(0.0, along, 0.0), capsule.radius, Vector3d::UnitX());
}

SurfacePoint nearest(const Cylinder& cylinder, const Vector3d& place) {
  const double off_axis = std::hypot(place.x(), place.z());
  Eigen::Matrix<double, 3, 2> outward;
  outward.col(0) = off_axis > 0.0 ? Vector3d(place.x() / off_axis, 0.0, place.z() / off_axis) : Vector3d::UnitX();
  outward.col(1) = Vector3d(0.0, std::copysign(1.0, place.y()), 0.0);
  const Eigen::Array2d beyond(off_axis - cylinder.radius, std::abs(place.y()) - cylinder.half_length);
  return from_faces<2>(place, beyond, outward);
}

SurfacePoint nearest(const Box& box, const Vector3d& place) {
  Eigen::Matrix3d outward = Eigen::Matrix3d::Zero();
  for (int axis = 0; axis < 3; ++axis) outward(axis, axis) = std::copysign(1.0, place[axis]);
  return from_faces<3>(place, place.array().abs() - box.half_sizes.array(), outward);
}

}  // namespace tendril::collide
