// Rigid poses: a point x goes to R x + t. All prescribed motion (roots, clamps, colliders) is a pose over time.
// Between two poses a body moves on a screw: it turns about one fixed axis at constant rate and slides along it at
// constant speed, so that it stays rigid and every point of it sees one constant twist velocity.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace tendril {

struct Pose {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  // unit
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();         // [m]
};

Eigen::Vector3d apply(const Pose& pose, const Eigen::Vector3d& point);

// First `inner`, then `outer`.
Pose compose(const Pose& outer, const Pose& inner);

Pose inverse(const Pose& pose);

bool is_identity(const Pose& pose);  // bit for bit

// The screw from `a` (s = 0) to `b` (s = 1) by the shorter turn; both ends are returned bit for bit. At exactly half a
// turn the two ways are equally long and the sign of the quaternions decides. Other s go on along the same screw.
Pose interpolate(const Pose& a, const Pose& b, double s);

}  // namespace tendril
