// LDLᵀ of a symmetric band whose width is known at compile time, without exchange of rows: for matrices that are
// positive definite, or saddle systems in an order whose pivots do not vanish. Zero rows beyond the last give every
// column the full reach, so that the loops have a fixed length; memory grows once.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tendril {

template <std::size_t width>
class PaddedBand {
 public:
  void reset(std::size_t size) {
    size_ = size;
    values_.assign((size + width) * stride, 0.0);
  }
  std::size_t size() const { return size_; }

  // Of the lower triangle: row >= column.
  double& at(std::size_t row, std::size_t column) { return values_[column * stride + row - column]; }
  double at(std::size_t row, std::size_t column) const { return values_[column * stride + row - column]; }

  // In place: 1/d on the diagonal, L below. False: a pivot vanishes or is not finite.
  [[nodiscard]] bool factorise() {
    for (std::size_t j = 0; j < size_; ++j) {
      double* const column = &values_[j * stride];
      const double inverse = 1.0 / column[0];
      if (!std::isfinite(inverse)) return false;
      double lower[width];
      for (std::size_t r = 0; r < width; ++r) lower[r] = column[r + 1] * inverse;
#pragma GCC unroll 12
      for (std::size_t k = 0; k < width; ++k) {
        const double entry = column[k + 1];
        if (entry == 0.0) continue;  // strands leave a third of them empty
        double* const target = &values_[(j + 1 + k) * stride];
#pragma GCC unroll 12
        for (std::size_t r = k; r < width; ++r) target[r - k] -= entry * lower[r];
      }
      column[0] = inverse;
      for (std::size_t r = 0; r < width; ++r) column[r + 1] = lower[r];
    }
    return true;
  }

  // x := inverse * x after factorise(); x holds size + width numbers, the last `width` of them zero.
  void solve(double* x) const {
    for (std::size_t j = 0; j < size_; ++j) {
      const double* const column = &values_[j * stride];
      for (std::size_t r = 1; r <= width; ++r) x[j + r] -= column[r] * x[j];
    }
    for (std::size_t j = size_; j-- > 0;) {
      const double* const column = &values_[j * stride];
      double even = x[j] * column[0], odd = 0.0;  // two sums: the chain of additions is what takes the time
      for (std::size_t r = 1; r <= width; r += 2) even -= column[r] * x[j + r], odd -= column[r + 1] * x[j + r + 1];
      x[j] = even + odd;
    }
  }

  static constexpr std::size_t padding = width;

 private:
  static_assert(width % 2 == 0);
  static constexpr std::size_t stride = width + 1;
  std::size_t size_ = 0;
  std::vector<double> values_;  // by columns
};

}  // namespace tendril
