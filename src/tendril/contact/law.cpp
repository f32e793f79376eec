#include "tendril/contact/law.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::contact {
namespace {

// Below this share of the larger one the smaller square root is round-off (Eq. 6).
constexpr double singular_root = 1e-14;

// s = (x∘x + y∘y + 2νe)^½ by its spectral values, in the frame of ω and of ω turned by a right angle (Eq. 4).
struct JordanRoot {
  Vector2d omega;
  double root1, root2;  // √λ1 <= √λ2

  double normal() const { return 0.5 * (root1 + root2); }
  Vector3d vector() const {
    const Vector2d tangential = (0.5 * (root2 - root1)) * omega;
    return {normal(), tangential[0], tangential[1]};
  }
  // s⁻¹ = L_s⁻¹ e, which has the inverse spectral values.
  Vector3d inverse() const {
    const Vector2d tangential = (0.5 / root2 - 0.5 / root1) * omega;
    return {0.5 / root1 + 0.5 / root2, tangential[0], tangential[1]};
  }
};

JordanRoot jordan_root(const Vector3d& x, const Vector3d& y, double nu = 0.0) {
  const Vector2d a = x[0] * x.tail<2>() + y[0] * y.tail<2>();
  const double length = a.norm();
  const Vector2d omega = length > 0.0 ? Vector2d(a / length) : Vector2d(1.0, 0.0);
  // A sum of squares: by subtraction all digits go where x and y are near the boundary of the cone.
  const double lambda1 =
      (x[0] * omega - x.tail<2>()).squaredNorm() + (y[0] * omega - y.tail<2>()).squaredNorm() + 2.0 * nu;
  const double lambda2 = x.squaredNorm() + y.squaredNorm() + 2.0 * length + 2.0 * nu;
  const double root2 = std::sqrt(lambda2);
  return {omega, std::min(std::sqrt(lambda1), root2), root2};
}

// Columns: (1, -ω)/√2, (1, ω)/√2 and ω turned: the frame in which L_s is diagonal.
Matrix3d spectral_frame(const Vector2d& omega) {
  const double h = std::sqrt(0.5);
  Matrix3d frame;
  frame << h, h, 0.0, -h * omega[0], h * omega[0], -omega[1], -h * omega[1], h * omega[1], omega[0];
  return frame;
}

// I - L_s⁻¹ L_x in the spectral frame (Eq. 5): every entry of the product is at most one, and none needs a difference
// of large numbers.
Matrix3d by_argument(const Vector3d& x, const JordanRoot& s, const Matrix3d& frame) {
  const Vector3d in_frame = frame.transpose() * x;  // (x_N - x_ω, x_N + x_ω)/√2, x_⊥
  const double first = std::sqrt(2.0) * in_frame[0], second = std::sqrt(2.0) * in_frame[1];
  const double across = std::sqrt(0.5) * in_frame[2];
  Matrix3d product;
  if (s.root1 > singular_root * s.root2)
    product.row(0) << first / s.root1, 0.0, across / s.root1;
  else
    product.row(0) << second / s.root2, 0.0, 0.0;
  product.row(1) << 0.0, second / s.root2, across / s.root2;
  product.row(2) << across / s.normal(), across / s.normal(), x[0] / s.normal();
  return Matrix3d::Identity() - frame * product * frame.transpose();
}

// (I - L_s⁻¹ L_x)⁻¹ of a root rounded by nu > 0, whose differences √λ - x are quotients of sums of squares (Eq. 47):
// what the inverse magnifies has all of its digits.
Matrix3d inverse_by_argument(const Vector3d& x, const Vector3d& y, double nu, const JordanRoot& s,
                             const Matrix3d& frame) {
  const double length = (x[0] * x.tail<2>() + y[0] * y.tail<2>()).norm();
  const double cross = length > 0.0 ? (x[1] * y[2] - x[2] * y[1]) / length : 0.0;
  const double across_x = length > 0.0 ? -y[0] * cross : x.tail<2>().dot(Vector2d(-s.omega[1], s.omega[0])),
               across_y = length > 0.0 ? x[0] * cross : y.tail<2>().dot(Vector2d(-s.omega[1], s.omega[0]));
  const double others = across_x * across_x + across_y * across_y + 2.0 * nu;
  const auto difference = [&](double root, double own, double other) {
    return own > 0.0 ? (other * other + others) / (root + own) : root - own;
  };
  const double x_omega = x.tail<2>().dot(s.omega), y_omega = y.tail<2>().dot(s.omega);
  const double first = difference(s.root1, x[0] - x_omega, y[0] - y_omega),
               second = difference(s.root2, x[0] + x_omega, y[0] + y_omega), across = std::sqrt(0.5) * across_x;
  Matrix3d rest;  // I - L_s⁻¹ L_x in the spectral frame
  rest << first / s.root1, 0.0, -across / s.root1, 0.0, second / s.root2, -across / s.root2, -across / s.normal(),
      -across / s.normal(), 0.5 * (first + second) / s.normal();
  return frame * rest.inverse() * frame.transpose();
}

Vector3d scaled_impulse(const Vector3d& r, double mu) { return {mu * r[0], r[1], r[2]}; }

Vector3d scaled_velocity(const Vector3d& u, double mu, double rho) {
  const double change = mu * u.tail<2>().norm();
  return {rho * (u[0] + change), rho * mu * u[1], rho * mu * u[2]};
}

// The derivative of the scaled velocity; that of |u_T| is taken as zero where u_T is.
Matrix3d scaled_velocity_derivative(const Vector3d& u, double mu, double rho) {
  const double sliding = u.tail<2>().norm();
  Matrix3d by_u = Vector3d(rho, rho * mu, rho * mu).asDiagonal();
  if (sliding > 0.0) by_u.row(0).tail<2>() = (rho * mu / sliding) * u.tail<2>().transpose();
  return by_u;
}

// Eq. 8: the scalar function of the normal components, and r_T = 0.
LawResidual frictionless_residual(const Vector3d& r, const Vector3d& u, double rho) {
  const double velocity = rho * u[0], root = std::hypot(r[0], velocity);
  const double both_zero = std::sqrt(0.5);  // the element of the generalised derivative that treats both alike
  LawResidual f{Vector3d(r[0] + velocity - root, r[1], r[2]), Matrix3d::Identity(), Matrix3d::Zero()};
  f.by_r(0, 0) = 1.0 - (root > 0.0 ? r[0] / root : both_zero);
  f.by_u(0, 0) = rho * (1.0 - (root > 0.0 ? velocity / root : both_zero));
  return f;
}

// The same on a path: r_N u_N = ν for both positive.
LawOnPath frictionless_on_path(const Vector3d& r, const Vector3d& u, double nu) {
  const double root = std::sqrt(r[0] * r[0] + u[0] * u[0] + 2.0 * nu);
  LawOnPath f{{r[0] + u[0] - root, r[1], r[2]},
              Matrix3d::Identity(),
              Matrix3d::Zero(),
              {nu / root, 0.0, 0.0},
              Matrix3d::Identity()};
  f.by_r(0, 0) = 1.0 - r[0] / root;
  f.by_r_inverse(0, 0) = root / (r[0] > 0.0 ? (u[0] * u[0] + 2.0 * nu) / (root + r[0]) : root - r[0]);
  f.by_u(0, 0) = 1.0 - u[0] / root;
  return f;
}

// Where z lies: in the polar cone, in the cone, or between.
ContactState region(const Vector3d& z, double mu) {
  const double tangential = z.tail<2>().norm();
  if (mu * tangential <= -z[0]) return ContactState::take_off;
  return tangential <= mu * z[0] ? ContactState::stick : ContactState::slide;
}

}  // namespace

Vector3d de_saxce(const Vector3d& u, double mu) { return {u[0] + mu * u.tail<2>().norm(), u[1], u[2]}; }

FischerBurmeister fischer_burmeister(const Vector3d& x, const Vector3d& y) {
  const JordanRoot s = jordan_root(x, y);
  if (!(s.root2 > 0.0)) return {x + y, Matrix3d::Zero(), Matrix3d::Zero()};
  const Matrix3d frame = spectral_frame(s.omega);
  return {x + y - s.vector(), by_argument(x, s, frame), by_argument(y, s, frame)};
}

Vector3d fischer_burmeister_value(const Vector3d& x, const Vector3d& y) { return x + y - jordan_root(x, y).vector(); }

LawResidual law_residual(const Vector3d& r, const Vector3d& u, double mu, double rho) {
  if (mu == 0.0) return frictionless_residual(r, u, rho);
  const FischerBurmeister f = fischer_burmeister(scaled_impulse(r, mu), scaled_velocity(u, mu, rho));
  return {f.value, f.by_x * Vector3d(mu, 1.0, 1.0).asDiagonal(), f.by_y * scaled_velocity_derivative(u, mu, rho)};
}

LawOnPath law_on_path(const Vector3d& r, const Vector3d& u, double mu, double t) {
  const double nu = std::exp(-t);
  if (mu == 0.0) return frictionless_on_path(r, u, nu);
  const Vector2d slip = u.tail<2>();
  const double rounded = std::sqrt(slip.squaredNorm() + nu * nu);  // |u_T|
  const double beyond = slip.squaredNorm() / (rounded + nu);       // rounded - nu, without cancellation
  const Vector3d x = scaled_impulse(r, mu), y(u[0] + mu * ((1.0 - nu) * beyond + nu), mu * slip[0], mu * slip[1]);
  const JordanRoot s = jordan_root(x, y, nu);
  const Matrix3d frame = spectral_frame(s.omega), by_y = by_argument(y, s, frame);
  Matrix3d lift = Vector3d(1.0, mu, mu).asDiagonal();
  lift.row(0).tail<2>() = ((1.0 - nu) * mu / rounded) * slip.transpose();
  const double lift_by_nu = mu * (1.0 - beyond * (1.0 + (1.0 - nu) / rounded));
  return {x + y - s.vector(), by_argument(x, s, frame) * Vector3d(mu, 1.0, 1.0).asDiagonal(), by_y * lift,
          nu * (s.inverse() - lift_by_nu * by_y.col(0)),
          Vector3d(1.0 / mu, 1.0, 1.0).asDiagonal() * inverse_by_argument(x, y, nu, s, frame)};
}

Vector3d law_residual_value(const Vector3d& r, const Vector3d& u, double mu, double rho) {
  if (mu == 0.0) return {r[0] + rho * u[0] - std::hypot(r[0], rho * u[0]), r[1], r[2]};
  return fischer_burmeister_value(scaled_impulse(r, mu), scaled_velocity(u, mu, rho));
}

LawResidual alart_curnier(const Vector3d& r, const Vector3d& u, double mu, const AlartCurnierScales& rho,
                          AlartCurnierVariant variant) {
  const double z = r[0] - rho.normal * u[0];
  const Vector2d y = r.tail<2>() - rho.tangential * u.tail<2>();
  const bool predicted = variant == AlartCurnierVariant::alart_curnier, pressed = z > 0.0;
  const double bound = mu * std::max(0.0, predicted ? z : r[0]), length = y.norm();
  LawResidual f{Vector3d::Zero(), Matrix3d::Zero(), Matrix3d::Zero()};
  f.value[0] = pressed ? rho.normal * u[0] : r[0];
  (pressed ? f.by_u(0, 0) : f.by_r(0, 0)) = pressed ? rho.normal : 1.0;
  if (length <= bound) {
    f.value.tail<2>() = rho.tangential * u.tail<2>();
    f.by_u.bottomRightCorner<2, 2>().diagonal().setConstant(rho.tangential);
    return f;
  }
  const Vector2d n = y / length;
  const Eigen::Matrix2d p = (bound / length) * (Eigen::Matrix2d::Identity() - n * n.transpose());
  f.value.tail<2>() = r.tail<2>() - bound * n;
  f.by_r.bottomRightCorner<2, 2>() = Eigen::Matrix2d::Identity() - p;
  f.by_u.bottomRightCorner<2, 2>() = rho.tangential * p;
  if (bound > 0.0) f.by_r.bottomLeftCorner<2, 1>() = -mu * n;
  if (bound > 0.0 && predicted) f.by_u.bottomLeftCorner<2, 1>() = mu * rho.normal * n;
  return f;
}

Vector3d project_on_cone(const Vector3d& z, double mu) {
  switch (region(z, mu)) {
    case ContactState::take_off: return Vector3d::Zero();
    case ContactState::stick: return z;
    case ContactState::slide: break;
  }
  const double tangential = z.tail<2>().norm(), normal = (z[0] + mu * tangential) / (1.0 + mu * mu);
  const double share = mu * normal / tangential;
  return {normal, share * z[1], share * z[2]};
}

Matrix3d project_on_cone_derivative(const Vector3d& z, double mu) {
  switch (region(z, mu)) {
    case ContactState::take_off: return Matrix3d::Zero();
    case ContactState::stick: return Matrix3d::Identity();
    case ContactState::slide: break;
  }
  const double tangential = z.tail<2>().norm(), normal = (z[0] + mu * tangential) / (1.0 + mu * mu);
  const Vector2d t = z.tail<2>() / tangential;
  const Vector3d along(1.0, mu * t[0], mu * t[1]), across(0.0, -t[1], t[0]);
  return along * along.transpose() / (1.0 + mu * mu) + (mu * normal / tangential) * across * across.transpose();
}

ContactState classify(const Vector3d& r, const Vector3d& u, double mu, double rho) {
  return region(r - rho * de_saxce(u, mu), mu);
}

}  // namespace tendril::contact
