// Roots and special functions that the closed forms need.
#pragma once

#include <cmath>

namespace tendril::validation {

// A root of f between low and high, where f changes its sign, to the last bit.
template <class F>
double root(double low, double high, F&& f) {
  const bool rising = f(low) < 0.0;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return middle;
    ((f(middle) < 0.0) == rising ? low : high) = middle;
  }
}

// J_nu by its power series: for nu > -1 and x of a few units.
inline double bessel_j(double nu, double x) {
  double term = std::pow(0.5 * x, nu) / std::tgamma(nu + 1.0), sum = term;
  for (int k = 1; std::abs(term) > 1e-18 * std::abs(sum) || k < x; ++k) {
    term *= -0.25 * x * x / (k * (k + nu));
    sum += term;
  }
  return sum;
}

}  // namespace tendril::validation
