#include "tendril/linalg/bcqp/incomplete_cholesky.hpp"

namespace tendril::bcqp {

bool Ssor::prepare(Matrix& matrix) {
  constexpr double omega = 1.2;
  matrix.copy_lower(factor_);
  for (std::size_t j = 0; j < factor_.diagonal.size(); ++j) {
    for (auto at = std::size_t(factor_.starts[j]); at < std::size_t(factor_.starts[j + 1]); ++at)
      factor_.values[at] *= omega / factor_.diagonal[j];
    factor_.diagonal[j] /= omega * (2.0 - omega);
  }
  return true;
}

// A pivot that has become small against its entry of A is replaced by that entry: locally a step of Gauss and Seidel.
// Without it the incomplete factor of a matrix that is not diagonally dominant can be indefinite.
bool IncompleteCholesky::prepare(Matrix& matrix) {
  constexpr double least_share = 0.25;
  matrix.copy_lower(factor_);
  for (std::size_t j = 0; j < factor_.diagonal.size(); ++j) {
    const double assembled = matrix.diagonal()[Index(j)];
    if (!(factor_.diagonal[j] >= least_share * assembled)) factor_.diagonal[j] = assembled;
    eliminate(j);
  }
  return true;
}

// a_rk -= v_r v_k / d_j for all pairs of rows r >= k of column j with entries v.
void IncompleteCholesky::eliminate(std::size_t j) {
  const auto begin = std::size_t(factor_.starts[j]), end = std::size_t(factor_.starts[j + 1]);
  for (std::size_t at = begin; at < end; ++at) {
    const double factor = factor_.values[at] / factor_.diagonal[j];
    factor_.diagonal[std::size_t(factor_.rows[at])] -= factor * factor_.values[at];
    subtract_from_column(at, end, factor);
  }
  for (std::size_t at = begin; at < end; ++at) factor_.values[at] /= factor_.diagonal[j];
}

// Entries `at + 1 .. end` of the column in work, times the factor, go to column k, the row of entry `at`. Both lists of
// rows ascend, so one walk finds what is there.
void IncompleteCholesky::subtract_from_column(std::size_t at, std::size_t end, double factor) {
  const auto k = std::size_t(factor_.rows[at]);
  auto target = std::size_t(factor_.starts[k]);
  const auto target_end = std::size_t(factor_.starts[k + 1]);
  for (std::size_t source = at + 1; source < end; ++source) {
    const Index row = factor_.rows[source];
    const double product = factor * factor_.values[source];
    while (target < target_end && factor_.rows[target] < row) ++target;
    if (target < target_end && factor_.rows[target] == row) {
      factor_.values[target] -= product;
    } else {
      factor_.diagonal[k] -= kept_ * product;
      factor_.diagonal[std::size_t(row)] -= kept_ * product;
    }
  }
}

}  // namespace tendril::bcqp
