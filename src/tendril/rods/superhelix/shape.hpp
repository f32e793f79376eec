// A strand as a chain of helical pieces: where its points are, and how they move with the unknowns. A piece moves all
// that lies beyond its end like a rigid body, so one turn and one shift per piece are the whole Jacobian
// (docs/theory/superhelix.md, Eqs. 9-11). Positions are relative to the root, in the axes of the world.
#pragma once

#include <Eigen/Core>
#include <span>

#include "tendril/rods/superhelix/helix.hpp"
#include "tendril/rods/superhelix/partition.hpp"

namespace tendril::superhelix {

struct Piece {
  Eigen::Vector3d darboux;           // [1/m], in the frame
  Eigen::Matrix3d frame;             // at the start: columns m1, m2, t
  Eigen::Vector3d start, end;        // [m]
  Eigen::Matrix3d turning;           // how much all beyond turns with the Darboux vector
  Eigen::Matrix3d end_by_curvature;  // how the end moves with it
  // What a point beyond the end does is turning x (point - end) + end_by_curvature, or turning x point - shift.
  Eigen::Matrix3d shift;
};

// The chain for unknowns q of a strand of this length whose root has this frame.
void lay_out(const Partition& partition, std::span<const double> q, double length, const Eigen::Matrix3d& root,
             std::span<Piece> pieces);

// A point of the strand at a share of its length.
struct ShapePoint {
  std::size_t piece;
  Eigen::Vector3d position;      // [m], from the root
  Eigen::Matrix3d by_curvature;  // of its own piece
};
ShapePoint point_at(const Partition& partition, std::span<const Piece> pieces, double length, double share);

Eigen::Vector3d position_at(const Partition& partition, std::span<const Piece> pieces, double length, double share);
Eigen::Matrix3d frame_at(const Partition& partition, std::span<const Piece> pieces, double length, double share);

// The Jacobian of the position and its transpose as operators on the unknowns: a root that stands still.
Eigen::Vector3d velocity_of(const Partition& partition, std::span<const Piece> pieces, const ShapePoint& point,
                            std::span<const double> rate);
void add_force(const Partition& partition, std::span<const Piece> pieces, const ShapePoint& point,
               const Eigen::Vector3d& force, std::span<double> out);

// The same for a torque, which works on the spin at a share of the length.
void add_torque(const Partition& partition, std::span<const Piece> pieces, double length, double share,
                const Eigen::Vector3d& torque, std::span<double> out);

}  // namespace tendril::superhelix
