// Forward-mode differentiation: a value with its N partial derivatives. The exact Hessian of a rod is the derivative of
// its gradient, and the gradient is a template on the scalar: running it with Dual gives the Hessian to round-off.
#pragma once

#include "tendril/linalg/lane_math.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <int N>
struct Dual {
  double value = 0.0;
  double partial[N] = {};

  static Dual variable(double value, int index) {
    Dual d{value, {}};
    d.partial[index] = 1.0;
    return d;
  }
};

// f(a) with f'(a) = slope, and f(a, b) likewise.
template <int N>
Dual<N> chain(double value, double slope, const Dual<N>& a) {
  Dual<N> result{value, {}};
  for (int i = 0; i < N; ++i) result.partial[i] = slope * a.partial[i];
  return result;
}
template <int N>
Dual<N> chain(double value, double slope_a, const Dual<N>& a, double slope_b, const Dual<N>& b) {
  Dual<N> result{value, {}};
  for (int i = 0; i < N; ++i) result.partial[i] = slope_a * a.partial[i] + slope_b * b.partial[i];
  return result;
}

template <int N>
Dual<N> operator+(const Dual<N>& a, const Dual<N>& b) {
  return chain(a.value + b.value, 1.0, a, 1.0, b);
}
template <int N>
Dual<N> operator-(const Dual<N>& a, const Dual<N>& b) {
  return chain(a.value - b.value, 1.0, a, -1.0, b);
}
template <int N>
Dual<N> operator*(const Dual<N>& a, const Dual<N>& b) {
  return chain(a.value * b.value, b.value, a, a.value, b);
}
template <int N>
Dual<N> operator/(const Dual<N>& a, const Dual<N>& b) {
  const double quotient = a.value / b.value;
  return chain(quotient, 1.0 / b.value, a, -quotient / b.value, b);
}
template <int N>
Dual<N> operator-(const Dual<N>& a) {
  return chain(-a.value, -1.0, a);
}
template <int N>
Dual<N> operator+(const Dual<N>& a, double b) {
  return chain(a.value + b, 1.0, a);
}
template <int N>
Dual<N> operator+(double a, const Dual<N>& b) {
  return b + a;
}
template <int N>
Dual<N> operator-(const Dual<N>& a, double b) {
  return chain(a.value - b, 1.0, a);
}
template <int N>
Dual<N> operator-(double a, const Dual<N>& b) {
  return chain(a - b.value, -1.0, b);
}
template <int N>
Dual<N> operator*(const Dual<N>& a, double b) {
  return chain(a.value * b, b, a);
}
template <int N>
Dual<N> operator*(double a, const Dual<N>& b) {
  return b * a;
}
template <int N>
Dual<N> operator/(const Dual<N>& a, double b) {
  return chain(a.value / b, 1.0 / b, a);
}
template <int N>
Dual<N> operator/(double a, const Dual<N>& b) {
  const double quotient = a / b.value;
  return chain(quotient, -quotient / b.value, b);
}
template <int N>
Dual<N> square_root(const Dual<N>& a) {
  const double root = square_root(a.value);
  return chain(root, 0.5 / root, a);
}
template <int N>
SineCosine<Dual<N>> sine_cosine(const Dual<N>& a) {
  const auto [s, c] = sine_cosine(a.value);
  return {chain(s, c, a), chain(c, -s, a)};
}
template <int N>
Dual<N> angle_of(const Dual<N>& y, const Dual<N>& x) {
  const double square = x.value * x.value + y.value * y.value;
  return chain(angle_of(y.value, x.value), x.value / square, y, -y.value / square, x);
}
template <int N>
Dual<N> nearest_integer(const Dual<N>& a) {  // constant almost everywhere
  return {nearest_integer(a.value), {}};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
