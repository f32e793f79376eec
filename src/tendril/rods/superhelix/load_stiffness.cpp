#include "tendril/rods/superhelix/load_stiffness.hpp"

#include <array>

namespace tendril::superhelix {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

// The forces beyond a piece: their sum, and the sum of place times force.
struct Beyond {
  Vector3d force = Vector3d::Zero();
  Matrix3d place_force = Matrix3d::Zero();

  Vector3d torque() const {
    const Matrix3d& t = place_force;
    return {t(1, 2) - t(2, 1), t(2, 0) - t(0, 2), t(0, 1) - t(1, 0)};
  }
  Beyond about(const Vector3d& centre) const { return {force, place_force - centre * force.transpose()}; }
};

struct ForceInPiece {
  Helix helix;  // from the start of the piece to the point
  Vector3d force;
};

// Work of the forces on the second derivative of their points when k of the piece changes along `direction`: that is
// their acceleration at this constant rate (Eqs. 6, 7 and 13).
double second_work(const Piece& piece, const Helix& whole, const Beyond& beyond, std::span<const ForceInPiece> inside,
                   const Vector3d& direction) {
  const Beyond about_end = beyond.about(piece.end);
  const Vector3d turn = piece.turning * direction, faster = piece.frame * whole.turn_acceleration(direction);
  double work = faster.dot(about_end.torque()) + turn.dot(about_end.place_force * turn) -
                turn.squaredNorm() * about_end.place_force.trace() +
                beyond.force.dot(piece.frame * whole.place_acceleration(direction));
  for (const ForceInPiece& f : inside) work += f.force.dot(piece.frame * f.helix.place_acceleration(direction));
  return work;
}

}  // namespace

void add_load_stiffness(const Partition& partition, std::span<const Piece> pieces, double length,
                        std::span<const PointForce> forces, MatrixXd& matrix) {
  Beyond beyond;
  std::vector<ForceInPiece> inside;
  for (std::size_t j = pieces.size(); j-- > 0;) {
    const Piece& piece = pieces[j];
    const double begin = partition.begin(j);
    inside.clear();
    for (const PointForce& f : forces)
      if (partition.piece_at(f.share) == j)
        inside.push_back({Helix(piece.darboux, (f.share - begin) * length), f.force});

    // How all that piece j moves pulls on the pieces before it: sum of (dr/dk) x force.
    Matrix3d pull = beyond.place_force * piece.turning - beyond.place_force.trace() * piece.turning;
    for (int c = 0; c < 3; ++c) pull.col(c) -= piece.shift.col(c).cross(beyond.force);
    for (const ForceInPiece& f : inside) {
      const Matrix3d by_curvature = piece.frame * f.helix.place_by_curvature();
      for (int c = 0; c < 3; ++c) pull.col(c) += by_curvature.col(c).cross(f.force);
    }
    for (std::size_t i = 0; i < j; ++i) add_block(partition, i, j, -pieces[i].turning.transpose() * pull, matrix);

    const Helix whole(piece.darboux, (partition.end(j) - begin) * length);
    const auto work = [&](const Vector3d& along) { return second_work(piece, whole, beyond, inside, along); };
    Matrix3d own;
    for (int a = 0; a < 3; ++a) own(a, a) = -work(Vector3d::Unit(a));
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b)
        own(a, b) = own(b, a) = -0.5 * (work(Vector3d::Unit(a) + Vector3d::Unit(b)) + own(a, a) + own(b, b));
    add_block(partition, j, j, own, matrix);
    for (const ForceInPiece& f : inside) {
      beyond.force += f.force;
      beyond.place_force += (piece.start + piece.frame * f.helix.place()) * f.force.transpose();
    }
  }
}

}  // namespace tendril::superhelix
