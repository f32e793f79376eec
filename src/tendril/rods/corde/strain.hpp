// The strains of a CoRdE rod and their derivatives (docs/theory/corde.md, Eqs. 1-4). Frames are unit quaternions, one
// per edge; a change of one is a rotation vector in its own axes (m1, m2, t): q becomes q exp(turn / 2).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace tendril::corde {

// Bending and twisting between two frames: the rotation from one to the other as 4 tan(angle / 4) times its axis, about
// (m1, m2, t). Integrated: an angle, not an angle per length.
struct JointStrain {
  Eigen::Vector3d turn;
  Eigen::Matrix3d by_first, by_second;
};

inline JointStrain joint_strain(const Eigen::Quaterniond& first, const Eigen::Quaterniond& second) {
  Eigen::Quaterniond between = first.conjugate() * second;
  if (between.w() < 0.0) between.coeffs() *= -1.0;  // the same rotation, the shorter way
  const double w = between.w(), scale = 4.0 / (1.0 + w);
  const Eigen::Vector3d c = between.vec();
  Eigen::Matrix3d cross;
  cross << 0.0, -c.z(), c.y(), c.z(), 0.0, -c.x(), -c.y(), c.x(), 0.0;
  const Eigen::Matrix3d even = w * Eigen::Matrix3d::Identity() + c * c.transpose() / (1.0 + w);
  return {scale * c, 0.5 * scale * (cross - even), 0.5 * scale * (cross + even)};
}

// Stretching of an edge, and how far its frame is from lying along it.
struct EdgeStrain {
  double length;            // [m]
  Eigen::Vector3d tangent;  // unit
  Eigen::Matrix3d frame;    // columns m1, m2, d3
  double stretch;           // length / rest - 1
  Eigen::Vector3d off;      // tangent - d3
};

inline EdgeStrain edge_strain(const Eigen::Vector3d& edge, const Eigen::Quaterniond& frame, double rest_length) {
  EdgeStrain s;
  s.length = edge.norm(), s.tangent = edge / s.length, s.frame = frame.toRotationMatrix();
  s.stretch = (s.length - rest_length) / rest_length;
  s.off = s.tangent - s.frame.col(2);
  return s;
}

// Of `off`: by the edge, and by a turn of the frame.
inline Eigen::Matrix3d off_by_edge(const EdgeStrain& s) {
  return (Eigen::Matrix3d::Identity() - s.tangent * s.tangent.transpose()) / s.length;
}
inline Eigen::Matrix3d off_by_turn(const EdgeStrain& s) {
  Eigen::Matrix3d d;
  d << s.frame.col(1), -s.frame.col(0), Eigen::Vector3d::Zero();
  return d;
}

}  // namespace tendril::corde
