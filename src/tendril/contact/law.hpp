// Coulomb's law with unilateral contact for one point, and the functions whose zeros obey it (docs/theory/contact.md,
// sections "The law" and "Functions"). Vectors are in the contact frame: component 0 is normal, 1 and 2 are tangential.
// r is the impulse on the first body [N s], u its velocity relative to the second at the end of the step [m/s], u_N > 0
// separates; mu >= 0 is the coefficient of friction; rho > 0 [kg] turns velocities into impulses.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>

namespace tendril::contact {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

enum class ContactState : std::uint8_t {
  take_off,  // r = 0, u_N >= 0
  stick,     // u = 0, r in the cone
  slide,     // u_N = 0, r on the cone, u_T against r_T
};
std::string_view name(ContactState state);

// A function of r and u at one point, with its derivatives.
struct LawResidual {
  Vector3d value;  // [N s]
  Matrix3d by_r;   // no unit
  Matrix3d by_u;   // [kg]
};

// u + mu |u_T| e_N (Eq. 2).
Vector3d de_saxce(const Vector3d& u, double mu);

// The Fischer-Burmeister function of the second-order cone x_N >= |x_T| (Eq. 4 to 6): zero where x and y are in the
// cone and orthogonal. The derivatives are elements of the generalised Jacobian where there is no other.
struct FischerBurmeister {
  Vector3d value;
  Matrix3d by_x, by_y;
};
FischerBurmeister fischer_burmeister(const Vector3d& x, const Vector3d& y);
Vector3d fischer_burmeister_value(const Vector3d& x, const Vector3d& y);

// f(r, u) of Eq. 7: zero if and only if r and u obey the law. |f|/rho is a velocity: how far from the law.
LawResidual law_residual(const Vector3d& r, const Vector3d& u, double mu, double rho);
Vector3d law_residual_value(const Vector3d& r, const Vector3d& u, double mu, double rho);

// The law of a path that leads from a convex problem at t = 0 to Coulomb's law at t = infinity (Eq. 45), and its
// derivatives. r over rho and a speed, u over that speed.
struct LawOnPath {
  Vector3d value;
  Matrix3d by_r, by_u;
  Vector3d by_t;
  Matrix3d by_r_inverse;  // not of by_r, which is singular but for round-off where a contact sticks at the end
};
LawOnPath law_on_path(const Vector3d& r, const Vector3d& u, double mu, double t);

// Eq. 9. The two differ by what bounds friction: the predicted normal impulse, or the present one.
enum class AlartCurnierVariant : std::uint8_t { alart_curnier, jean_moreau };
struct AlartCurnierScales {
  double normal, tangential;  // [kg]
};
LawResidual alart_curnier(const Vector3d& r, const Vector3d& u, double mu, const AlartCurnierScales& rho,
                          AlartCurnierVariant variant);

// The nearest point of K_mu = {mu z_N >= |z_T|}, and its derivative (Eq. 10).
Vector3d project_on_cone(const Vector3d& z, double mu);
Matrix3d project_on_cone_derivative(const Vector3d& z, double mu);

// Which case of the law r and u are nearest to, by where r - rho ũ lies (Eq. 11).
ContactState classify(const Vector3d& r, const Vector3d& u, double mu, double rho);

}  // namespace tendril::contact
