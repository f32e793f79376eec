#include "tendril/rods/superhelix/shape.hpp"

namespace tendril::superhelix {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Within {
  std::size_t piece;
  Helix helix;
};
Within within(const Partition& partition, std::span<const Piece> pieces, double length, double share) {
  const std::size_t j = partition.piece_at(share);
  return {j, Helix(pieces[j].darboux, (share - partition.begin(j)) * length)};
}

}  // namespace

void lay_out(const Partition& partition, std::span<const double> q, double length, const Matrix3d& root,
             std::span<Piece> pieces) {
  Matrix3d frame = root;
  Vector3d start = Vector3d::Zero();
  for (std::size_t j = 0; j < pieces.size(); ++j) {
    Piece& piece = pieces[j];
    piece.darboux = partition.darboux(j, q);
    const Helix helix(piece.darboux, (partition.end(j) - partition.begin(j)) * length);
    piece.frame = frame, piece.start = start;
    piece.end = start + frame * helix.place();
    piece.turning.noalias() = frame * helix.turning();
    piece.end_by_curvature.noalias() = frame * helix.place_by_curvature();
    for (int c = 0; c < 3; ++c)
      piece.shift.col(c) = piece.turning.col(c).cross(piece.end) - piece.end_by_curvature.col(c);
    frame = frame * helix.rotation();
    start = piece.end;
  }
}

ShapePoint point_at(const Partition& partition, std::span<const Piece> pieces, double length, double share) {
  const auto [j, helix] = within(partition, pieces, length, share);
  const Piece& piece = pieces[j];
  return {j, piece.start + piece.frame * helix.place(), piece.frame * helix.place_by_curvature()};
}

Vector3d position_at(const Partition& partition, std::span<const Piece> pieces, double length, double share) {
  const auto [j, helix] = within(partition, pieces, length, share);
  return pieces[j].start + pieces[j].frame * helix.place();
}

Matrix3d frame_at(const Partition& partition, std::span<const Piece> pieces, double length, double share) {
  const auto [j, helix] = within(partition, pieces, length, share);
  return pieces[j].frame * helix.rotation();
}

Vector3d velocity_of(const Partition& partition, std::span<const Piece> pieces, const ShapePoint& point,
                     std::span<const double> rate) {
  Vector3d spin = Vector3d::Zero(), shift = Vector3d::Zero();
  for (std::size_t j = 0; j < point.piece; ++j) {
    const Vector3d k = partition.darboux(j, rate);
    spin += pieces[j].turning * k, shift += pieces[j].shift * k;
  }
  return spin.cross(point.position) - shift + point.by_curvature * partition.darboux(point.piece, rate);
}

void add_force(const Partition& partition, std::span<const Piece> pieces, const ShapePoint& point,
               const Vector3d& force, std::span<double> out) {
  const Vector3d torque = point.position.cross(force);
  for (std::size_t j = 0; j < point.piece; ++j)
    partition.add_transposed(j, pieces[j].turning.transpose() * torque - pieces[j].shift.transpose() * force, out);
  partition.add_transposed(point.piece, point.by_curvature.transpose() * force, out);
}

void add_torque(const Partition& partition, std::span<const Piece> pieces, double length, double share,
                const Vector3d& torque, std::span<double> out) {
  const auto [last, helix] = within(partition, pieces, length, share);
  for (std::size_t j = 0; j < last; ++j) partition.add_transposed(j, pieces[j].turning.transpose() * torque, out);
  partition.add_transposed(last, helix.turning().transpose() * (pieces[last].frame.transpose() * torque), out);
}

}  // namespace tendril::superhelix
