// A problem in the units of the solvers, and what all of them ask about a point of it: is it in the box, how large is
// its projected gradient.
#pragma once

#include "tendril/linalg/bcqp/matrix.hpp"

namespace tendril::bcqp {

struct Problem {
  Matrix& matrix;
  const Vector &b, &lower, &upper;
  double eigenvalue_bound;  // at least the largest eigenvalue of the matrix

  Index size() const { return b.size(); }
  bool fixed(Index i) const { return !(lower[i] < upper[i]); }
};

// The nearest point of the box.
void project(const Problem& problem, Vector& x);

// g = A x - b.
void gradient(const Problem& problem, const Vector& x, Vector& g);

// ½ xᵀA x - bᵀx, from the gradient at x.
double objective(const Problem& problem, const Vector& x, const Vector& g);

// Norm of the projected gradient at a point of the box (docs/theory/box-qp.md, Eq. 3).
double projected_gradient_norm(const Problem& problem, const Vector& x, const Vector& g);

// max_i w_i (|A| w)_i, a bound from above of the largest eigenvalue of diag(w) A diag(w) (Gershgorin); infinite if
// some entry is not finite. `work` is overwritten.
double eigenvalue_bound(Matrix& matrix, const Vector& weights, Vector& work);

// What round-off makes of a gradient that is zero: 16 ε ‖|A||x| + |b|‖. `work` is overwritten.
double gradient_noise(const Problem& problem, const Vector& x, Vector& work);

}  // namespace tendril::bcqp
