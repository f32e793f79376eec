// The units of the solvers (docs/theory/box-qp.md, Eq. 4): x = σ S x̂ makes the diagonal of A one and b of order one, so
// that a residual means the same for every entry and no square overflows. Without Jacobi scaling S is one number, a
// power of two like σ: the iterates are then those of the problem as it was given, to the bit.
#pragma once

#include <span>

#include "tendril/linalg/bcqp/problem.hpp"

namespace tendril::bcqp {

struct Scaling {
  Vector scale;                // S
  double length = 1.0;         // σ
  double gradient_unit = 1.0;  // from the norm of a gradient here to the one that is reported
  std::span<const double> caller_lower, caller_upper;

  double objective_unit() const { return length * length; }

  // S from the diagonal, whose entries must be positive.
  void set_scale(const Vector& diagonal, bool jacobi);

  // σ; then b and the bounds of the caller in these units.
  void convert(std::span<const double> b, std::span<const double> lower, std::span<const double> upper, Vector& b_out,
               Vector& lower_out, Vector& upper_out);

  void from_caller(std::span<const double> x, Vector& out) const;

  // An entry at a bound gets the caller's bound, to the bit; every entry ends in the caller's box.
  void to_caller(const Problem& problem, const Vector& x, std::span<double> out) const;
  // As it is: for points that are not in the box.
  void to_caller_unbounded(const Vector& x, std::span<double> out) const;
};

}  // namespace tendril::bcqp
