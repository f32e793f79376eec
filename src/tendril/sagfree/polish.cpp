#include "tendril/sagfree/polish.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <optional>

namespace tendril::sagfree {

using Eigen::VectorXd;

namespace {

// What changes of a parameter count as equal: those of D in Eq. 12.
double unit_of(const CoupledProblem& problem, Eigen::Index i, const VectorXd& p) {
  const Variable v = problem.variable(std::size_t(i));
  return is_stiffness(v) ? 3e-3 * p[i] : v == Variable::rest_length ? p[i] : 1.0;
}

// The correction of Eq. 12 for the force f at p; nothing if its equations cannot be solved.
std::optional<VectorXd> correction(const CoupledProblem& problem, const Box& box, const VectorXd& p,
                                   const VectorXd& f) {
  std::vector<ForceColumn> columns;
  problem.jacobian(p, columns);
  VectorXd unit = VectorXd::Zero(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i)
    if (p[i] > box.lower[i] && p[i] < box.upper[i]) unit[i] = unit_of(problem, i, p);
  const VectorXd row_scale = problem.inverse_mass().cwiseSqrt();
  const Eigen::SparseMatrix<double> j = row_scale.asDiagonal() * problem.matrix(columns) * unit.asDiagonal();
  // [I Jᵀ; J 0] (x, y) = (0, -f): a shared factor would make J Jᵀ dense.
  const Eigen::Index n = p.size(), m = f.size();
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < n; ++i) entries.emplace_back(int(i), int(i), 1.0);
  double largest = 0.0;
  for (Eigen::Index c = 0; c < n; ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(j, c); it; ++it) {
      entries.emplace_back(int(n + it.row()), int(c), it.value());
      largest = std::max(largest, std::abs(it.value()));
    }
  // Unknowns that nothing moves, held ones among them, have empty rows.
  for (Eigen::Index r = 0; r < m; ++r) entries.emplace_back(int(n + r), int(n + r), -1e-20 * largest * largest);
  Eigen::SparseMatrix<double> equations(n + m, n + m);
  equations.setFromTriplets(entries.begin(), entries.end());
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(equations);
  if (factor.info() != Eigen::Success) return std::nullopt;
  VectorXd right = VectorXd::Zero(n + m);
  right.tail(m) = -row_scale.cwiseProduct(f);
  const VectorXd solution = factor.solve(right);
  if (!solution.allFinite()) return std::nullopt;
  return unit.cwiseProduct(solution.head(n)).eval();
}

}  // namespace

void polish(const CoupledProblem& problem, const Box& box, VectorXd& p) {
  constexpr int most_corrections = 8;
  VectorXd force, next_force;
  problem.force(p, force);
  for (int i = 0; i < most_corrections && force.norm() > 0.0; ++i) {
    const std::optional<VectorXd> step = correction(problem, box, p, force);
    if (!step) return;
    VectorXd next = (p + *step).cwiseMax(box.lower).cwiseMin(box.upper);
    problem.force(next, next_force);
    if (!(next_force.norm() < 0.5 * force.norm())) return;
    p.swap(next), force.swap(next_force);
  }
}

}  // namespace tendril::sagfree
