#include "experiments/sagfree/box_penalty.hpp"

#include <cmath>

namespace tendril::experiments::sagfree {
namespace {

using Eigen::VectorXd;
using tendril::sagfree::Box;
using tendril::sagfree::ForceColumn;
using tendril::sagfree::LagrangianOptions;
using tendril::sagfree::StrandProblem;

class PenaltyObjective {
 public:
  PenaltyObjective(const StrandProblem& problem, const Box& box, const LagrangianOptions& options, double box_weight)
      : problem_(problem), box_(box), options_(options), box_weight_(box_weight) {}

  double value(const VectorXd& p) {
    problem_.force(p, force_);
    return 0.5 * options_.rest_weight * (p - problem_.initial()).squaredNorm() +
           0.5 * options_.penalty * force_.dot(problem_.inverse_mass().cwiseProduct(force_)) +
           0.5 * box_weight_ * violation(p).squaredNorm();
  }

  VectorXd gradient(const VectorXd& p) {
    problem_.force(p, force_);
    problem_.jacobian(p, columns_);
    const VectorXd pull = options_.penalty * problem_.inverse_mass().cwiseProduct(force_);
    VectorXd out = options_.rest_weight * (p - problem_.initial()) + box_weight_ * violation(p);
    for (std::size_t i = 0; i < columns_.size(); ++i) out[Eigen::Index(i)] += columns_[i].dot(pull);
    return out;
  }

  // Minus the Gauss-Newton step, at the point of the last gradient().
  VectorXd descent(const VectorXd& p, const VectorXd& gradient) {
    Band<double> hessian(problem_.size(), problem_.half_bandwidth());
    const VectorXd outside = violation(p);
    for (std::size_t i = 0; i < problem_.size(); ++i)
      hessian.at(i, i) = options_.rest_weight + (outside[Eigen::Index(i)] != 0.0 ? box_weight_ : 0.0);
    problem_.add_gauss_newton(columns_, options_.penalty, hessian);
    factorise(hessian, Pivots::clamp_to_positive);
    VectorXd step = gradient;
    solve(hessian, std::span<double>(step.data(), std::size_t(step.size())));
    return step;
  }

 private:
  VectorXd violation(const VectorXd& p) const { return p - p.cwiseMax(box_.lower).cwiseMin(box_.upper); }

  const StrandProblem& problem_;
  const Box& box_;
  const LagrangianOptions& options_;
  double box_weight_;
  VectorXd force_;
  std::vector<ForceColumn> columns_;
};

// The line search of sagfree/augmented_lagrangian.cpp. False: no step goes down.
bool search(PenaltyObjective& objective, const VectorXd& gradient, const VectorXd& descent, VectorXd& p) {
  constexpr int most_halvings = 30;
  const double value = objective.value(p), slope = -gradient.dot(descent);
  double part = 1.0;
  for (int halving = 0; halving <= most_halvings; ++halving, part *= 0.5) {
    const VectorXd trial = p - part * descent;
    if (objective.value(trial) > value + 1e-4 * part * slope + 1e-15 * std::abs(value)) continue;
    p = trial;
    return true;
  }
  return false;
}

}  // namespace

BoxPenaltyReport minimise_with_box_penalty(const StrandProblem& problem, const Box& box,
                                           const LagrangianOptions& options, double box_weight, VectorXd& p) {
  PenaltyObjective objective(problem, box, options, box_weight);
  BoxPenaltyReport report;
  while (!report.converged && report.iterations < options.max_iterations) {
    const VectorXd gradient = objective.gradient(p), descent = objective.descent(p, gradient);
    if (!search(objective, gradient, descent, p)) break;
    ++report.iterations;
    report.converged = descent.norm() < options.step_tolerance;
  }
  return report;
}

}  // namespace tendril::experiments::sagfree
