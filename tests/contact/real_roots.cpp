#include "contact/real_roots.hpp"

#include <cassert>
#include <cmath>
#include <limits>

#include "tendril/contact/bracketed_newton.hpp"

namespace tendril::contact {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

ValueAndSlope horner(std::span<const double> c, double x) {
  ValueAndSlope p{0.0, 0.0};
  for (std::size_t k = c.size(); k-- > 0;) {
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + c[k];
  }
  return p;
}

// -1, 0 or 1; zero where the value is what round-off makes of it.
int sign(std::span<const double> c, double x) {
  double magnitude = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) magnitude = magnitude * std::abs(x) + std::abs(c[k]);
  const double value = horner(c, x).value;
  if (std::abs(value) <= 32.0 * epsilon * magnitude) return 0;
  return value > 0.0 ? 1 : -1;
}

void append(RealRoots& roots, double root) {
  const bool again =
      roots.count > 0 && std::abs(root - roots.values[std::size_t(roots.count - 1)]) <= 8.0 * epsilon * std::abs(root);
  if (!again && roots.count < max_polynomial_degree) roots.values[std::size_t(roots.count++)] = root;
}

}  // namespace

RealRoots real_roots(std::span<const double> coefficients, double low, double high) {
  assert(coefficients.size() <= max_polynomial_degree + 1);
  RealRoots roots;
  if (coefficients.size() < 2 || !(low <= high)) return roots;
  std::array<double, max_polynomial_degree> derivative;
  for (std::size_t k = 1; k < coefficients.size(); ++k) derivative[k - 1] = double(k) * coefficients[k];
  const RealRoots cuts = real_roots(std::span(derivative.data(), coefficients.size() - 1), low, high);

  double left = low;
  int left_sign = sign(coefficients, low);
  if (left_sign == 0) append(roots, low);
  for (int piece = 0; piece <= cuts.count; ++piece) {
    const double right = piece < cuts.count ? cuts.values[std::size_t(piece)] : high;
    const int right_sign = sign(coefficients, right);
    const auto polynomial = [&](double x) { return horner(coefficients, x); };
    if (left_sign * right_sign < 0)
      append(roots, bracketed_newton(polynomial, left, right, 0.5 * (left + right), right_sign > 0).at);
    if (right_sign == 0) append(roots, right);
    left = right, left_sign = right_sign;
  }
  return roots;
}

}  // namespace tendril::contact
