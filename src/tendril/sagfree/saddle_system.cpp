#include "tendril/sagfree/saddle_system.hpp"

#include <cmath>

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

// What changes of a parameter count as equal: D^(1/2) of Eq. 12.
double unit_of(const CoupledProblem& problem, Eigen::Index i, const VectorXd& p) {
  const Variable v = problem.variable(std::size_t(i));
  // Axial strains are that small against bends: with equal units bending would lose all its digits in a curl.
  return is_stiffness(v) ? 3e-3 * p[i] : v == Variable::rest_length ? 1e-4 * p[i] : 1.0;
}

// [I Jᵀ; J -δ]: a shared factor would make J Jᵀ dense. δ is next to nothing, but for unknowns that nothing moves, held
// ones among them, whose rows of J are empty.
Eigen::SparseMatrix<double> saddle_matrix(const Eigen::SparseMatrix<double>& j) {
  const Eigen::Index n = j.cols(), m = j.rows();
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd squares = VectorXd::Zero(m);
  for (Eigen::Index c = 0; c < n; ++c) {
    entries.emplace_back(int(c), int(c), 1.0);
    for (Eigen::SparseMatrix<double>::InnerIterator it(j, c); it; ++it) {
      entries.emplace_back(int(n + it.row()), int(c), it.value());
      entries.emplace_back(int(c), int(n + it.row()), it.value());
      squares[it.row()] += it.value() * it.value();
    }
  }
  for (Eigen::Index r = 0; r < m; ++r)
    entries.emplace_back(int(n + r), int(n + r), squares[r] > 0.0 ? -1e-16 * squares[r] : -1.0);
  Eigen::SparseMatrix<double> matrix(n + m, n + m);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

SaddleSystem::SaddleSystem(const CoupledProblem& problem, const Box& box, const VectorXd& p)
    : unit_(VectorXd::Zero(p.size())) {
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double slack = 1e-10 * std::abs(p[i]);  // what others have put on a bound is there but for round-off
    if (p[i] > box.lower[i] + slack && p[i] < box.upper[i] - slack) unit_[i] = unit_of(problem, i, p);
  }
  std::vector<ForceColumn> columns;
  problem.jacobian(p, columns);
  const Eigen::SparseMatrix<double> j =
      problem.inverse_mass().cwiseSqrt().asDiagonal() * problem.matrix(columns) * unit_.asDiagonal();
  factor_.compute(saddle_matrix(j));
}

std::optional<VectorXd> SaddleSystem::solve(const VectorXd& right) const {
  if (factor_.info() != Eigen::Success) return std::nullopt;
  VectorXd solution = factor_.solve(right);
  if (!solution.allFinite()) return std::nullopt;
  return solution;
}

}  // namespace tendril::sagfree
