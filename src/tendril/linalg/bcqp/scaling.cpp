#include "tendril/linalg/bcqp/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::bcqp {

namespace {

// The power of two next below; 1 for what has none.
double power_of_two(double value) {
  return value > 0.0 && std::isfinite(value) ? std::ldexp(1.0, std::ilogb(value)) : 1.0;
}

}  // namespace

void Scaling::set_scale(const Vector& diagonal, bool jacobi) {
  const double largest = diagonal.size() > 0 ? diagonal.maxCoeff() : 1.0;
  if (jacobi)
    scale = diagonal.cwiseSqrt().cwiseInverse();
  else
    scale.setConstant(diagonal.size(), 1.0 / power_of_two(std::sqrt(largest)));
  gradient_unit = jacobi ? 1.0 : power_of_two(std::sqrt(largest));
}

void Scaling::convert(std::span<const double> b, std::span<const double> lower, std::span<const double> upper,
                      Vector& b_out, Vector& lower_out, Vector& upper_out) {
  const Index n = Index(b.size());
  caller_lower = lower, caller_upper = upper;
  length = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto at = std::size_t(i);
    const double nearest = std::clamp(0.0, lower[at], upper[at]);
    length = std::max({length, std::abs(b[at] * scale[i]), std::abs(nearest / scale[i])});
  }
  length = power_of_two(length);
  gradient_unit *= length;
  b_out.resize(n), lower_out.resize(n), upper_out.resize(n);
  for (Index i = 0; i < n; ++i) b_out[i] = b[std::size_t(i)] * scale[i] / length;
  from_caller(lower, lower_out);
  from_caller(upper, upper_out);
}

void Scaling::from_caller(std::span<const double> x, Vector& out) const {
  for (Index i = 0; i < out.size(); ++i) out[i] = x[std::size_t(i)] / scale[i] / length;
}

void Scaling::to_caller(const Problem& problem, const Vector& x, std::span<double> out) const {
  for (Index i = 0; i < x.size(); ++i) {
    const auto at = std::size_t(i);
    const double lower = caller_lower[at], upper = caller_upper[at];
    const double value = std::clamp(x[i] * scale[i] * length, lower, upper);
    out[at] = x[i] <= problem.lower[i] ? lower : x[i] >= problem.upper[i] ? upper : value;
  }
}

void Scaling::to_caller_unbounded(const Vector& x, std::span<double> out) const {
  for (Index i = 0; i < x.size(); ++i) out[std::size_t(i)] = x[i] * scale[i] * length;
}

}  // namespace tendril::bcqp
