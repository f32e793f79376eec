#include "tendril/rods/superhelix/dynamics.hpp"

#include <algorithm>

namespace tendril::superhelix {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::span<const Quadrature::Point> of_piece(const Quadrature& quadrature, std::size_t piece) {
  return {&quadrature.points[piece * gauss_points], gauss_points};
}

Matrix3d cross_columns(const Matrix3d& a, const Vector3d& v) {  // each column of a, times v
  Matrix3d out;
  for (int c = 0; c < 3; ++c) out.col(c) = a.col(c).cross(v);
  return out;
}

// How the frame at the start of a piece moves.
struct FrameMotion {
  Vector3d spin, spin_acceleration, acceleration;

  // Of a point that stands at d in the frame and moves there with the given velocity and acceleration (Eq. 13).
  Vector3d of_point(const Vector3d& d, const Vector3d& velocity, const Vector3d& own) const {
    return acceleration + spin_acceleration.cross(d) + spin.cross(spin.cross(d) + 2.0 * velocity) + own;
  }
};

// What lies beyond a piece.
struct Beyond {
  double mass = 0.0;
  Vector3d moment = Vector3d::Zero();   // integral of position
  Matrix3d inertia = Matrix3d::Zero();  // integral of |r|^2 I - r rᵀ

  void add(const Quadrature::Point& p) {
    mass += p.mass, moment += p.mass * p.position;
    inertia -= p.mass * p.position * p.position.transpose();
    inertia.diagonal().array() += p.mass * p.position.squaredNorm();
  }
};

}  // namespace

void lay_quadrature(const Partition& partition, std::span<const Piece> pieces, double length,
                    std::span<const double> mass, Quadrature& out) {
  out.points.resize(pieces.size() * gauss_points);
  for (std::size_t j = 0; j < pieces.size(); ++j) {
    const double piece_length = (partition.end(j) - partition.begin(j)) * length;
    for (std::size_t i = 0; i < gauss_points; ++i) {
      const Helix helix(pieces[j].darboux, gauss_place[i] * piece_length);
      Quadrature::Point& p = out.points[j * gauss_points + i];
      p.mass = mass[j * gauss_points + i];
      p.position = pieces[j].start + pieces[j].frame * helix.place();
      p.by_curvature.noalias() = pieces[j].frame * helix.place_by_curvature();
      p.acceleration.setZero();
    }
  }
}

void point_motions(const Partition& partition, std::span<const Piece> pieces, double length,
                   std::span<const double> rate, std::span<PointMotion> out) {
  Vector3d velocity = Vector3d::Zero(), spin = Vector3d::Zero();  // of the frame at the start of the piece
  for (std::size_t j = 0; j < pieces.size(); ++j) {
    const Piece& piece = pieces[j];
    const Vector3d k = partition.darboux(j, rate);
    const double piece_length = (partition.end(j) - partition.begin(j)) * length;
    for (std::size_t i = 0; i < gauss_points; ++i) {
      const Helix helix(piece.darboux, gauss_place[i] * piece_length);
      const Vector3d d = piece.frame * helix.place();
      out[j * gauss_points + i] = {piece.start + d, velocity + spin.cross(d) + piece.frame * helix.place_velocity(k)};
    }
    velocity += spin.cross(piece.end - piece.start) + piece.end_by_curvature * k;
    spin += piece.turning * k;
  }
}

void accelerate(const Partition& partition, std::span<const Piece> pieces, double length, std::span<const double> rate,
                std::span<const double> acceleration, const RootMotion& root, Quadrature& quadrature) {
  FrameMotion frame{root.spin, root.spin_acceleration, root.acceleration};
  for (std::size_t j = 0; j < pieces.size(); ++j) {
    const Piece& piece = pieces[j];
    const Vector3d k = partition.darboux(j, rate);
    const Vector3d faster = acceleration.empty() ? Vector3d::Zero().eval() : partition.darboux(j, acceleration);
    const double piece_length = (partition.end(j) - partition.begin(j)) * length;
    for (std::size_t i = 0; i < gauss_points; ++i) {
      const Helix helix(piece.darboux, gauss_place[i] * piece_length);
      Quadrature::Point& p = quadrature.points[j * gauss_points + i];
      const Vector3d own = piece.frame * helix.place_acceleration(k) + p.by_curvature * faster;
      p.acceleration = frame.of_point(p.position - piece.start, p.by_curvature * k, own);
    }
    const Helix helix(piece.darboux, piece_length);
    const Vector3d turn = piece.turning * k;
    const Vector3d own = piece.frame * helix.place_acceleration(k) + piece.end_by_curvature * faster;
    frame.acceleration = frame.of_point(piece.end - piece.start, piece.end_by_curvature * k, own);
    frame.spin_acceleration +=
        frame.spin.cross(turn) + piece.frame * helix.turn_acceleration(k) + piece.turning * faster;
    frame.spin += turn;
  }
}

// From the tip back: the loads beyond a piece act on it by their force and their torque (Eq. 15).
void add_body_force(const Partition& partition, std::span<const Piece> pieces, const Quadrature& quadrature,
                    const Vector3d& gravity, std::span<double> out) {
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  for (std::size_t j = pieces.size(); j-- > 0;) {
    Vector3d on_piece = pieces[j].turning.transpose() * torque - pieces[j].shift.transpose() * force;
    for (const Quadrature::Point& p : of_piece(quadrature, j)) {
      const Vector3d f = p.mass * (gravity - p.acceleration);
      on_piece += p.by_curvature.transpose() * f;
      force += f, torque += p.position.cross(f);
    }
    partition.add_transposed(j, on_piece, out);
  }
}

// Momentum and moment of momentum of everything that piece j moves are all that the pieces before it need (Eq. 17).
void mass_matrix(const Partition& partition, std::span<const Piece> pieces, const Quadrature& quadrature,
                 std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const auto n = Eigen::Index(partition.unknowns());
  Eigen::Map<Eigen::MatrixXd> matrix(out.data(), n, n);
  Beyond beyond;
  for (std::size_t j = pieces.size(); j-- > 0;) {
    const Piece& piece = pieces[j];
    Matrix3d momentum = cross_columns(piece.turning, beyond.moment) - beyond.mass * piece.shift;
    Matrix3d moment = beyond.inertia * piece.turning + cross_columns(piece.shift, beyond.moment);
    Matrix3d own = piece.turning.transpose() * moment - piece.shift.transpose() * momentum;
    for (const Quadrature::Point& p : of_piece(quadrature, j)) {
      const Matrix3d carried = p.mass * p.by_curvature;
      momentum += carried, moment -= cross_columns(carried, p.position);
      own += p.by_curvature.transpose() * carried;
      beyond.add(p);
    }
    add_block(partition, j, j, own, matrix);
    for (std::size_t i = 0; i < j; ++i)
      add_block(partition, i, j, pieces[i].turning.transpose() * moment - pieces[i].shift.transpose() * momentum,
                matrix);
  }
}

// As the mass matrix: what turns with piece j beyond its own points is all that the pieces before it need.
void add_tension_stiffness(const Partition& partition, std::span<const Piece> pieces, double length,
                           std::span<const double> tension, double weight, std::span<double> out) {
  const auto n = Eigen::Index(partition.unknowns());
  Eigen::Map<Eigen::MatrixXd> matrix(out.data(), n, n);
  Matrix3d beyond = Matrix3d::Zero();
  for (std::size_t j = pieces.size(); j-- > 0;) {
    const Piece& piece = pieces[j];
    const double piece_length = (partition.end(j) - partition.begin(j)) * length;
    Matrix3d turned = beyond * piece.turning, own = piece.turning.transpose() * turned, here = Matrix3d::Zero();
    for (std::size_t i = 0; i < gauss_points; ++i) {
      const double pull = tension[j * gauss_points + i];
      if (!(pull > 0.0)) continue;
      const Helix helix(piece.darboux, gauss_place[i] * piece_length);
      const Vector3d tangent = piece.frame * helix.rotation().col(2);
      const Matrix3d turning = piece.frame * helix.turning();
      const Matrix3d across =
          weight * pull * gauss_weight[i] * piece_length * (Matrix3d::Identity() - tangent * tangent.transpose());
      own += turning.transpose() * across * turning, turned += across * turning, here += across;
    }
    add_block(partition, j, j, own, matrix);
    for (std::size_t i = 0; i < j; ++i) add_block(partition, i, j, pieces[i].turning.transpose() * turned, matrix);
    beyond += here;
  }
}

}  // namespace tendril::superhelix
