// A contact between a strand and another strand, itself or a body: where it is, how wide the gap, which way it pushes.
// Body A is always a strand; the normal points from B to A (docs/theory/collide.md, Eqs. 5-7).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace tendril::collide {

using Eigen::Vector3d;

inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// A material point of a strand's centre line.
struct StrandPoint {
  std::uint32_t strand = nobody;
  std::uint32_t edge = 0;  // of the strand
  double along = 0.0;      // of the edge, 0 to 1

  double arc() const { return edge + along; }  // in edges: the same for both edges at their common vertex
};

struct BodyPoint {
  std::uint32_t body = nobody;
  std::uint32_t feature = 0;             // triangle of a mesh, face of a shape
  Vector3d material = Vector3d::Zero();  // in the body's own frame; of an animated mesh the weights of the corners
};

struct Contact {
  StrandPoint a;
  StrandPoint b;   // if B is a strand
  BodyPoint body;  // if B is a body
  Vector3d point_a = Vector3d::Zero(),
           point_b = Vector3d::Zero();  // [m], on the centre lines, or on the body's surface
  Vector3d normal = Vector3d::UnitX();  // unit, from B to A
  double gap = 0.0;                     // [m] between the surfaces, negative where they overlap
  double side = 1.0;                    // +1 or -1: which side of B strand A is on (normal . (d_A x d_B))

  bool with_body() const { return body.body != nobody; }
};

// Contacts are kept in this order, which no thread count and no order of detection changes: strand A, arc, strand B,
// arc; those with bodies after those with strands at the same place.
inline std::weak_ordering contact_order(const Contact& x, const Contact& y) {
  const auto by = [](const auto& p, const auto& q) {
    return p < q ? std::weak_ordering::less : q < p ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  };
  if (const auto order = by(x.a.strand, y.a.strand); order != 0) return order;
  if (const auto order = by(x.a.arc(), y.a.arc()); order != 0) return order;
  if (const auto order = by(x.b.strand, y.b.strand); order != 0) return order;
  if (const auto order = by(x.body.body, y.body.body); order != 0) return order;
  if (const auto order = by(x.b.arc(), y.b.arc()); order != 0) return order;
  return by(x.a.edge, y.a.edge);  // a vertex belongs to two edges
}

// The rows are n, t1, t2: a rotation that takes the world to the contact. Branchless and smooth but at n_z = 0, where
// the tangents jump (Eq. 6; Duff et al. 2017). Nothing may depend on which tangents these are.
inline Eigen::Matrix3d contact_frame(const Vector3d& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z()), b = n.x() * n.y() * a;
  Eigen::Matrix3d frame;
  frame.row(0) = n.transpose();
  frame.row(1) << 1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  frame.row(2) << b, sign + n.y() * n.y() * a, -n.y();
  return frame;
}

// What an earlier step knows of a contact whose centre lines now coincide.
struct NormalMemory {
  bool has_normal = false, has_side = false;
  Vector3d normal = Vector3d::Zero();
  double side = 1.0;
};

inline Vector3d any_perpendicular(const Vector3d& direction) {
  const double length = direction.norm();
  return length > 0.0 ? Vector3d(contact_frame(direction / length).row(1)) : Vector3d::UnitX();
}

// Of centre lines closer than this part of the radii the direction is not known.
inline constexpr double coincident = 1e-9;

// For coincident centre lines (Eq. 7): the last normal, else across both on the remembered side, else across A.
inline Vector3d normal_of_coincident(const Vector3d& direction_a, const Vector3d& direction_b,
                                     const NormalMemory& memory) {
  if (memory.has_normal) return memory.normal;
  const Vector3d across = direction_a.cross(direction_b);
  const double length = across.norm();
  if (!(length > 1e-7 * direction_a.norm() * direction_b.norm())) return any_perpendicular(direction_a);
  return (memory.has_side ? memory.side : 1.0) * across / length;
}

}  // namespace tendril::collide
