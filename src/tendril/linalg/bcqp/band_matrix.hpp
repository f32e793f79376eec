// A banded matrix and its LDLᵀ, laid out for speed: both lie in columns below the diagonal, each padded with zeros, so
// that every loop can take two columns and two rows at a time without asking where the matrix ends.
#pragma once

#include <vector>

#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/linalg/bcqp/matrix.hpp"

namespace tendril::bcqp {

class BandMatrix final : public Matrix {
 public:
  void load(const Band<double>& band, const Vector& scale);  // diag(scale) A diag(scale)

  void multiply(const Vector& x, Vector& y) override;
  void multiply_absolute(const Vector& x, Vector& y) override;
  double row_times(Index row, const Vector& x) const override;
  void copy_lower(SparseFactor& out) const override;
  void solve(const Vector& free, const Vector& r, Vector& z) override;

 private:
  // Entry (j + 1 + r, j) at [j * stride + r] for r < width, then at least two zeros: beside a column lies the next one,
  // shifted by a row, and the second of two columns still has a zero where the first has its last entry.
  struct Columns {
    std::vector<double> values;
    Index stride = 0;
    double* operator[](Index j) { return values.data() + j * stride; }
    const double* operator[](Index j) const { return values.data() + j * stride; }
  };

  void resize(Index n, Index width);
  template <class Value>
  void multiply_padded(Value&& value);
  void take_out(Vector& result);
  bool compute_factor(const Vector& added, const Vector& free) override;
  void assemble(const Vector& added, const Vector& free);
  bool finish_column(Index j, double* values);
  void eliminate(double factor, const double* values, Index target);
  void eliminate_both(Index j);
  void substitute_forward();
  void substitute_backward();

  Index width_ = 0;         // entries below the diagonal
  Index padded_width_ = 0;  // the same, rounded up to pairs
  Columns a_, l_;
  std::vector<double> pivots_, inverse_pivots_, assembled_;
  std::vector<double> first_values_, second_values_;  // L D of the two columns in work, padded with zeros
  std::vector<double> in_, out_, mask_;               // vectors and F, padded with zeros
};

}  // namespace tendril::bcqp
