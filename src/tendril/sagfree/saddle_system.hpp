// Least changes that keep to linear equations, and their multipliers: [I Jᵀ; J -δ] (x, y) = right, with J the
// derivative of M^(-1/2) f by parameters that are off their bounds, each counted in its unit (docs/theory/sag-free.md,
// Eq. 12).
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseLU>
#include <optional>

#include "tendril/sagfree/coupled_problem.hpp"

namespace tendril::sagfree {

class SaddleSystem {
 public:
  SaddleSystem(const CoupledProblem& problem, const Box& box, const Eigen::VectorXd& p);

  // Of each parameter, what changes count as equal; 0 at a bound.
  const Eigen::VectorXd& unit() const { return unit_; }
  // (x, y) of sizes parameters and unknowns; nothing if the equations cannot be solved.
  std::optional<Eigen::VectorXd> solve(const Eigen::VectorXd& right) const;

 private:
  Eigen::VectorXd unit_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factor_;  // indefinite: it needs to choose its pivots
};

}  // namespace tendril::sagfree
