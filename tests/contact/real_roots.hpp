// Real roots of a polynomial on an interval, without missing one (docs/theory/contact.md, "Real roots"): the roots of
// its derivative cut the interval into pieces on which it is monotone, and each piece with a change of sign has one.
// Multiple roots are given once. No allocation.
#pragma once

#include <array>
#include <span>

namespace tendril::contact {

inline constexpr int max_polynomial_degree = 8;

struct RealRoots {
  std::array<double, max_polynomial_degree> values;  // ascending
  int count = 0;

  std::span<const double> span() const { return {values.data(), std::size_t(count)}; }
};

// coefficients: c_0 + c_1 x + ..., at most max_polynomial_degree + 1 of them, finite. A constant has no roots.
RealRoots real_roots(std::span<const double> coefficients, double low, double high);

}  // namespace tendril::contact
