// A sparse L D Lᵀ and the substitution on a face: of a whole factorisation, of an incomplete one, or of what SSOR makes
// of the matrix itself. L is unit lower triangular and lies in columns, without its diagonal.
#pragma once

#include <vector>

#include "tendril/linalg/bcqp/matrix.hpp"

namespace tendril::bcqp {

struct SparseFactor {
  std::vector<Index> starts;      // of the columns, then the number of entries
  std::vector<Index> rows;        // ascending in each column
  std::vector<double> values;     // of L
  std::vector<double> diagonal;   // D
  std::vector<Index> order;       // row i of the factor is row order[i] of A
  mutable std::vector<double> y;  // work of solve()

  Index size() const { return Index(diagonal.size()); }

  // To fill it column after column, in the order of A.
  void begin(Index size);
  void append(Index row, double value) { rows.push_back(row), values.push_back(value); }
  void end_column(double pivot) { diagonal.push_back(pivot), starts.push_back(Index(rows.size())); }

  // As Matrix::solve().
  void solve(const Vector& free, const Vector& r, Vector& z) const;
};

}  // namespace tendril::bcqp
