#include "tendril/linalg/bcqp/sparse_factor.hpp"

#include <numeric>

namespace tendril::bcqp {

void SparseFactor::begin(Index size) {
  starts.assign(1, 0);
  rows.clear(), values.clear(), diagonal.clear();
  starts.reserve(std::size_t(size) + 1), diagonal.reserve(std::size_t(size));
  order.resize(std::size_t(size)), y.resize(std::size_t(size));
  std::iota(order.begin(), order.end(), Index(0));
}

// Rows off F get 0, so that columns off F have no effect either (docs/theory/box-qp.md, Eq. 9).
void SparseFactor::solve(const Vector& free, const Vector& r, Vector& z) const {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 0; i < n; ++i) y[i] = free[order[i]] * r[order[i]];
  for (std::size_t j = 0; j < n; ++j) {
    y[j] *= free[order[j]];
    if (y[j] == 0.0) continue;
    for (auto at = std::size_t(starts[j]); at < std::size_t(starts[j + 1]); ++at)
      y[std::size_t(rows[at])] -= values[at] * y[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    double sum = y[j] / diagonal[j];
    for (auto at = std::size_t(starts[j]); at < std::size_t(starts[j + 1]); ++at)
      sum -= values[at] * y[std::size_t(rows[at])];
    y[j] = free[order[j]] * sum;
    z[order[j]] = y[j];
  }
}

}  // namespace tendril::bcqp
