// Bodies of simple shape: signed distance, outward normal and closest point of the surface (docs/theory/collide.md,
// Eqs. 9-12). Each stands in its own frame; a Pose puts it into the world. All are convex, so the signed distance is a
// convex function of the place, inside too: along a segment it has one lowest stretch.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace tendril::collide {

using Eigen::Vector3d;

struct SurfacePoint {
  double distance = 0.0;                // [m], negative inside
  Vector3d normal = Vector3d::UnitY();  // unit, outward; the gradient of the distance where it has one
  Vector3d closest = Vector3d::Zero();  // on the surface
  std::uint32_t feature = 0;            // of a cylinder 0: side, 1: ends; of a box the axis of the face or first edge
};

struct Plane {};  // all below y = 0

struct Sphere {
  double radius = 1.0;  // [m], about the origin
};

struct Ellipsoid {
  Vector3d radii = Vector3d::Ones();  // [m], semi-axes along x, y, z, about the origin
};

// Around the y axis from -half_length to half_length, with round ends beyond.
struct Capsule {
  double radius = 1.0, half_length = 1.0;  // [m]
};

// Around the y axis, with flat ends at +-half_length.
struct Cylinder {
  double radius = 1.0, half_length = 1.0;  // [m]
};

struct Box {
  Vector3d half_sizes = Vector3d::Ones();  // [m], about the origin
};

SurfacePoint nearest(const Plane& plane, const Vector3d& place);
SurfacePoint nearest(const Sphere& sphere, const Vector3d& place);
SurfacePoint nearest(const Ellipsoid& ellipsoid, const Vector3d& place);
SurfacePoint nearest(const Capsule& capsule, const Vector3d& place);
SurfacePoint nearest(const Cylinder& cylinder, const Vector3d& place);
SurfacePoint nearest(const Box& box, const Vector3d& place);

}  // namespace tendril::collide
