#include "tendril/sagfree/polish.hpp"

#include <Eigen/SparseLU>
#include <optional>

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

// What changes of a parameter count as equal: those of D in Eq. 12.
double unit_of(const CoupledProblem& problem, Eigen::Index i, const VectorXd& p) {
  const Variable v = problem.variable(std::size_t(i));
  // Axial strains are that small against bends: with equal units bending would lose all its digits in a curl.
  return is_stiffness(v) ? 3e-3 * p[i] : v == Variable::rest_length ? 1e-4 * p[i] : 1.0;
}

// M^(-1/2) J D^(1/2), without the parameters that are at a bound.
Eigen::SparseMatrix<double> scaled_jacobian(const CoupledProblem& problem, const VectorXd& p, const VectorXd& unit) {
  std::vector<ForceColumn> columns;
  problem.jacobian(p, columns);
  return problem.inverse_mass().cwiseSqrt().asDiagonal() * problem.matrix(columns) * unit.asDiagonal();
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

// The correction of Eq. 12 for the force f at p; nothing if its equations cannot be solved.
std::optional<VectorXd> correction(const CoupledProblem& problem, const Box& box, const VectorXd& p,
                                   const VectorXd& f) {
  VectorXd unit = VectorXd::Zero(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i)
    if (p[i] > box.lower[i] && p[i] < box.upper[i]) unit[i] = unit_of(problem, i, p);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factor;  // indefinite: it needs to choose its pivots
  factor.compute(saddle_matrix(scaled_jacobian(problem, p, unit)));
  if (factor.info() != Eigen::Success) return std::nullopt;
  VectorXd right = VectorXd::Zero(p.size() + f.size());
  right.tail(f.size()) = -problem.inverse_mass().cwiseSqrt().cwiseProduct(f);
  const VectorXd solution = factor.solve(right);
  if (!solution.allFinite()) return std::nullopt;
  return unit.cwiseProduct(solution.head(p.size())).eval();
}

}  // namespace

void polish(const CoupledProblem& problem, const Box& box, Eigen::VectorXd& p) {
  constexpr int most_corrections = 8;
  Eigen::VectorXd force, next_force;
  problem.force(p, force);
  for (int i = 0; i < most_corrections && force.norm() > 0.0; ++i) {
    const std::optional<Eigen::VectorXd> step = correction(problem, box, p, force);
    if (!step) return;
    Eigen::VectorXd next = (p + *step).cwiseMax(box.lower).cwiseMin(box.upper);
    problem.force(next, next_force);
    if (!(next_force.norm() < 0.5 * force.norm())) return;
    p.swap(next), force.swap(next_force);
  }
}

}  // namespace tendril::sagfree
