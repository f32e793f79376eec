#include "tendril/sagfree/polish.hpp"

#include <optional>

#include "tendril/sagfree/saddle_system.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

// The correction of Eq. 12 for the force f at p; nothing if its equations cannot be solved.
std::optional<VectorXd> correction(const CoupledProblem& problem, const Box& box, const VectorXd& p,
                                   const VectorXd& f) {
  VectorXd right = VectorXd::Zero(p.size() + f.size());
  right.tail(f.size()) = -problem.inverse_mass().cwiseSqrt().cwiseProduct(f);
  const SaddleSystem system(problem, box, p);
  const std::optional<VectorXd> solution = system.solve(right);
  if (!solution) return std::nullopt;
  return system.unit().cwiseProduct(solution->head(p.size())).eval();
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
