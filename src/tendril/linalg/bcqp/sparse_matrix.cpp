#include "tendril/linalg/bcqp/sparse_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::bcqp {

namespace {

bool same_pattern(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}  // namespace

void SparseMatrix::load(const Eigen::SparseMatrix<double>& a, const Vector& scale) {
  Sparse lower = a.triangularView<Eigen::Lower>();
  for (Index j = 0; j < lower.outerSize(); ++j)
    for (Sparse::InnerIterator entry(lower, j); entry; ++entry) entry.valueRef() *= scale[entry.row()] * scale[j];
  lower.makeCompressed();
  if (!same_pattern(lower, lower_)) ldlt_.analyzePattern(lower);
  full_ = lower.selfadjointView<Eigen::Lower>();
  diagonal_ = lower.diagonal();
  lower_.swap(lower);
  factorisations_ = 0;
}

double SparseMatrix::row_times(Index row, const Vector& x) const {
  double sum = 0.0;
  for (Sparse::InnerIterator entry(full_, row); entry; ++entry) sum += entry.value() * x[entry.row()];
  return sum;
}

void SparseMatrix::multiply(const Vector& x, Vector& y) {
  for (Index i = 0; i < size(); ++i) y[i] = row_times(i, x);
}

void SparseMatrix::multiply_absolute(const Vector& x, Vector& y) {
  for (Index i = 0; i < size(); ++i) {
    y[i] = 0.0;
    for (Sparse::InnerIterator entry(full_, i); entry; ++entry) y[i] += std::abs(entry.value() * x[entry.row()]);
  }
}

void SparseMatrix::copy_lower(SparseFactor& out) const {
  out.begin(size());
  for (Index j = 0; j < size(); ++j) {
    for (Sparse::InnerIterator entry(full_, j); entry; ++entry)
      if (entry.row() > j && entry.value() != 0.0) out.append(entry.row(), entry.value());
    out.end_column(diagonal_[j]);
  }
}

bool SparseMatrix::compute_factor(const Vector& added, const Vector& free) {
  for (Index j = 0; j < size(); ++j) {
    Sparse::InnerIterator from(full_, j);
    while (from && from.row() < j) ++from;
    for (Sparse::InnerIterator to(lower_, j); to; ++to, ++from)
      to.valueRef() =
          to.row() == j ? (free[j] != 0.0 ? from.value() + added[j] : 1.0) : from.value() * free[to.row()] * free[j];
  }
  ldlt_.factorize(lower_);
  if (ldlt_.info() != Eigen::Success || !pivots_are_positive()) return false;
  copy_factor();
  return true;
}

bool SparseMatrix::pivots_are_positive() const {
  const Vector pivots = ldlt_.vectorD();
  const auto& to_factor = ldlt_.permutationP().indices();
  for (Index i = 0; i < size(); ++i) {
    const Index place = to_factor.size() > 0 ? to_factor[i] : i;
    if (!(pivots[place] > least_pivot * lower_.coeff(i, i))) return false;
  }
  return true;
}

void SparseMatrix::copy_factor() {
  const Sparse& l = ldlt_.matrixL().nestedExpression();
  const Vector pivots = ldlt_.vectorD();
  const auto& to_factor = ldlt_.permutationP().indices();
  factor_.begin(size());
  for (Index j = 0; j < size(); ++j) {
    for (Sparse::InnerIterator entry(l, j); entry; ++entry) factor_.append(entry.row(), entry.value());
    factor_.end_column(pivots[j]);
  }
  for (Index i = 0; i < to_factor.size(); ++i) factor_.order[std::size_t(to_factor[i])] = i;
}

}  // namespace tendril::bcqp
