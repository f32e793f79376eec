// A piece of constant curvature and twist in closed form (docs/theory/superhelix.md, Eqs. 1-7). Everything is expressed
// in the frame (m1, m2, t) at the start of the piece, followed over an arc length; nothing is singular at zero
// curvature.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cmath>

namespace tendril::superhelix {

// S_n(y) = sum_m (-y)^m / (2m + n + 1)!  for n = 0 ... 6: S_0 = sin x / x, S_1 = (1 - cos x) / x^2, ... at y = x^2
// (Eq. 2). Derivatives by y are combinations of later ones, so that no formula divides by y.
struct HelixSeries {
  std::array<double, 7> s;

  explicit HelixSeries(double y) {
    // Sums of the last two and the recursion S_n = 1/(n + 1)! - y S_{n+2} downwards, as long as few terms will do; sine
    // and cosine and the recursion upwards beyond.
    constexpr double tiny = 0.25, small = 4.0;
    if (y < small) {
      s[5] = y < tiny ? sum<5, 6>(y) : sum<5, 12>(y);
      s[6] = y < tiny ? sum<6, 6>(y) : sum<6, 12>(y);
      for (std::size_t n = 5; n-- > 0;) s[n] = inverse_factorial[n + 1] - y * s[n + 2];
    } else {
      const double x = std::sqrt(y);
      s[0] = std::sin(x) / x;
      s[1] = (1.0 - std::cos(x)) / y;
      for (std::size_t n = 2; n < 7; ++n) s[n] = (inverse_factorial[n - 1] - s[n - 2]) / y;
    }
  }

  double derivative(std::size_t n) const { return 0.5 * (double(n + 1) * s[n + 2] - s[n + 1]); }
  double second_derivative(std::size_t n) const {
    const double d = double(n);
    return 0.25 * (s[n + 2] - (2.0 * d + 3.0) * s[n + 3] + (d + 1.0) * (d + 3.0) * s[n + 4]);
  }

 private:
  static constexpr std::array<double, 32> inverse_factorial = [] {
    std::array<double, 32> values{1.0};
    for (std::size_t k = 1; k < values.size(); ++k) values[k] = values[k - 1] / double(k);
    return values;
  }();

  template <std::size_t n, std::size_t terms>
  static double sum(double y) {
    double value = 0.0;
    for (std::size_t m = terms; m-- > 0;) value = inverse_factorial[2 * m + n + 1] - y * value;
    return value;
  }
};

class Helix {
 public:
  using Vector3d = Eigen::Vector3d;
  using Matrix3d = Eigen::Matrix3d;

  Helix(const Vector3d& darboux, double length)
      : k_(darboux), l_(length), series_(darboux.squaredNorm() * length * length) {
    const double l2 = l_ * l_, l3 = l2 * l_;
    first_ = l2 * series_.s[1], second_ = l3 * series_.s[2];
    first_slope_ = l2 * series_.derivative(1), second_slope_ = l3 * series_.derivative(2);
  }

  // Of the end, seen from the start: rotation exp([k] l) and place (Eq. 3).
  Matrix3d rotation() const { return polynomial(l_ * series_.s[0], l_ * l_ * series_.s[1], 1.0); }
  Vector3d place() const { return Vector3d(0.0, 0.0, l_) + first_ * k_cross_t() + second_ * k_cross_k_cross_t(); }

  // V = integral of the rotation: V dk is how much the end turns when k changes by dk (Eq. 4).
  Matrix3d turning() const { return polynomial(first_, second_, l_); }

  // How the end moves when k changes (Eq. 5).
  Matrix3d place_by_curvature() const {
    const double kt = k_.z();
    Matrix3d d = second_ * kt * Matrix3d::Identity();
    d.col(2) += second_ * k_;
    d.row(2) -= 2.0 * second_ * k_.transpose();
    d(0, 1) += first_, d(1, 0) -= first_;
    const Vector3d series = 2.0 * l_ * l_ * (first_slope_ * k_cross_t() + second_slope_ * k_cross_k_cross_t());
    return d + series * k_.transpose();
  }

  // The same times a rate of k.
  Vector3d place_velocity(const Vector3d& rate) const {
    const double dy = 2.0 * l_ * l_ * k_.dot(rate);
    Vector3d mixed = rate * k_.z() + k_ * rate.z();
    mixed.z() -= 2.0 * k_.dot(rate);
    return first_ * Vector3d(rate.y(), -rate.x(), 0.0) + second_ * mixed +
           dy * (first_slope_ * k_cross_t() + second_slope_ * k_cross_k_cross_t());
  }

  // Second derivatives in time at a constant rate of k: of the place (Eq. 6) and of the turn (Eq. 7).
  Vector3d place_acceleration(const Vector3d& rate) const {
    const double l2 = l_ * l_, l3 = l2 * l_;
    const double dy = 2.0 * l2 * k_.dot(rate), ddy = 2.0 * l2 * rate.squaredNorm();
    const Vector3d rate_cross_t(rate.y(), -rate.x(), 0.0);
    Vector3d mixed = rate * k_.z() + k_ * rate.z(), square = rate * rate.z();
    mixed.z() -= 2.0 * k_.dot(rate), square.z() -= rate.squaredNorm();
    return (l2 * series_.second_derivative(1) * dy * dy + first_slope_ * ddy) * k_cross_t() +
           2.0 * first_slope_ * dy * rate_cross_t +
           (l3 * series_.second_derivative(2) * dy * dy + second_slope_ * ddy) * k_cross_k_cross_t() +
           2.0 * second_slope_ * dy * mixed + 2.0 * second_ * square;
  }
  Vector3d turn_acceleration(const Vector3d& rate) const {
    const double dy = 2.0 * l_ * l_ * k_.dot(rate);
    const Vector3d across = k_.cross(rate);
    return first_slope_ * dy * across + second_slope_ * dy * k_.cross(across) + second_ * rate.cross(across);
  }

 private:
  Vector3d k_cross_t() const { return {k_.y(), -k_.x(), 0.0}; }
  Vector3d k_cross_k_cross_t() const { return k_ * k_.z() - Vector3d(0.0, 0.0, k_.squaredNorm()); }

  // c I + a [k] + b [k]^2
  Matrix3d polynomial(double a, double b, double c) const {
    Matrix3d m = b * k_ * k_.transpose();
    m.diagonal().array() += c - b * k_.squaredNorm();
    m(0, 1) -= a * k_.z(), m(0, 2) += a * k_.y(), m(1, 2) -= a * k_.x();
    m(1, 0) += a * k_.z(), m(2, 0) -= a * k_.y(), m(2, 1) += a * k_.x();
    return m;
  }

  Vector3d k_;
  double l_;
  HelixSeries series_;
  double first_, second_;              // l^2 S_1, l^3 S_2
  double first_slope_, second_slope_;  // the same of their derivatives by y
};

}  // namespace tendril::superhelix
