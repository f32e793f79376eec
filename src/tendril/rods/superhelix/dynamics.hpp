// Inertia and loads of one strand in its unknowns (docs/theory/superhelix.md, Eqs. 12-17): the mass matrix, and the
// generalised force of gravity less inertia. Integrals along the strand are Gauss sums within each piece; what lies
// beyond a piece enters by its mass, moments and loads alone, so the whole costs one pass along the strand and back.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "tendril/rods/superhelix/shape.hpp"

namespace tendril::superhelix {

// Six points integrate a piece that turns by 0.85 rad to round-off, one that turns by 3 rad to 1e-9.
constexpr std::size_t gauss_points = 6;
constexpr std::array<double, gauss_points> gauss_place = {0.03376524289842398609, 0.16939530676686774318,
                                                          0.38069040695840154569, 0.61930959304159845431,
                                                          0.83060469323313225682, 0.96623475710157601391};
constexpr std::array<double, gauss_points> gauss_weight = {0.08566224618958517252, 0.18038078652406930378,
                                                           0.23395696728634552369, 0.23395696728634552369,
                                                           0.18038078652406930378, 0.08566224618958517252};

// How the root moves during a step.
struct RootMotion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();           // [m/s]
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();               // [rad/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();       // [m/s^2]
  Eigen::Vector3d spin_acceleration = Eigen::Vector3d::Zero();  // [rad/s^2]
};

// A strand's quadrature points; memory that grows once.
struct Quadrature {
  struct Point {
    double mass;                   // [kg] that it stands for
    Eigen::Vector3d position;      // [m]
    Eigen::Matrix3d by_curvature;  // of its own piece
    Eigen::Vector3d acceleration;  // [m/s^2]
  };
  std::vector<Point> points;  // piece by piece
};

// `mass` [kg]: what each quadrature point stands for. Accelerations are zero.
void lay_quadrature(const Partition& partition, std::span<const Piece> pieces, double length,
                    std::span<const double> mass, Quadrature& out);

// Where the points are [m], and how they move [m/s] when the unknowns change at these rates [1/(m s)] and the root
// stands still.
struct PointMotion {
  Eigen::Vector3d position, velocity;
};
void point_motions(const Partition& partition, std::span<const Piece> pieces, double length,
                   std::span<const double> rate, std::span<PointMotion> out);

// Sets the accelerations of the points; `acceleration` of the unknowns [1/(m s^2)], empty: their rates are constant.
void accelerate(const Partition& partition, std::span<const Piece> pieces, double length, std::span<const double> rate,
                std::span<const double> acceleration, const RootMotion& root, Quadrature& quadrature);

// out += integral of Jᵀ (gravity - acceleration) over the mass.
void add_body_force(const Partition& partition, std::span<const Piece> pieces, const Quadrature& quadrature,
                    const Eigen::Vector3d& gravity, std::span<double> out);

// out := integral of JᵀJ over the mass, all of it (column-major, unknowns x unknowns).
void mass_matrix(const Partition& partition, std::span<const Piece> pieces, const Quadrature& quadrature,
                 std::span<double> out);

// matrix (column-major, unknowns x unknowns) += weight times the stiffness of tension against turning, where the strand
// is pulled (Eq. 24). `tension` [N] at the quadrature points.
void add_tension_stiffness(const Partition& partition, std::span<const Piece> pieces, double length,
                           std::span<const double> tension, double weight, std::span<double> matrix);

}  // namespace tendril::superhelix
