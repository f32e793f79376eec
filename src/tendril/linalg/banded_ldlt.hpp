// LDLᵀ of a symmetric banded matrix, stored by columns: entry (j + r, j) of the lower band at [j * (width + 1) + r].
// The plain form of docs/theory/der.md: judge of the block columns, and the factorisation of statics and stability,
// where the count of negative pivots is the matrix's inertia (Sylvester).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tendril/linalg/lanes.hpp"
#include "tendril/linalg/pivots.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct Band {
  std::size_t size = 0, width = 0;  // unknowns; entries below the diagonal
  std::vector<S> values;

  Band() = default;
  Band(std::size_t unknowns, std::size_t half_bandwidth)
      : size(unknowns), width(half_bandwidth), values(unknowns * (half_bandwidth + 1), S{}) {}
  S& at(std::size_t row, std::size_t column) { return values[column * (width + 1) + row - column]; }
  const S& at(std::size_t row, std::size_t column) const { return values[column * (width + 1) + row - column]; }
  void clear() { values.assign(values.size(), S{}); }
};

// In place: D on the diagonal, unit L below. Returns per lane how many pivots were clamped, or are negative.
template <class S>
S factorise(Band<S>& band, Pivots pivots) {
  const std::size_t m = band.width, stride = m + 1;
  S count{};
  std::vector<S> assembled(band.size), column(m);
  for (std::size_t j = 0; j < band.size; ++j) assembled[j] = band.values[j * stride];
  for (std::size_t j = 0; j < band.size; ++j) {
    S* const b = &band.values[j * stride];
    const S d = settle_pivot(pivots, b[0], assembled[j], count);
    b[0] = d;
    const std::size_t reach = band.size - 1 - j < m ? band.size - 1 - j : m;
    for (std::size_t r = 0; r < reach; ++r) column[r] = b[r + 1], b[r + 1] = column[r] / d;
    for (std::size_t k = 0; k < reach; ++k) {
      S* const target = &band.values[(j + 1 + k) * stride];
      for (std::size_t r = k; r < reach; ++r) target[r - k] -= b[k + 1] * column[r];
    }
  }
  return count;
}

// x := A^-1 x with the factor of factorise().
template <class S>
void solve(const Band<S>& factor, std::span<S> x) {
  const std::size_t n = factor.size, m = factor.width, stride = m + 1;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t r = 1; r <= m && j + r < n; ++r) x[j + r] -= factor.values[j * stride + r] * x[j];
  for (std::size_t j = n; j-- > 0;) {
    x[j] /= factor.values[j * stride];
    for (std::size_t r = 1; r <= m && j + r < n; ++r) x[j] -= factor.values[j * stride + r] * x[j + r];
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
