#include "tendril/sagfree/augmented_lagrangian.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/timer.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

bool is_stiffness(Variable v) { return v == Variable::bend || v == Variable::twist || v == Variable::stretch; }

std::span<const double> span_of(const VectorXd& v) { return {v.data(), std::size_t(v.size())}; }

class Minimiser {
 public:
  Minimiser(const StrandProblem& problem, const Box& box, const LagrangianOptions& options)
      : problem_(problem), box_(box), options_(options), hessian_(problem.size(), problem.half_bandwidth()) {
    root_inverse_mass_ = problem.inverse_mass().cwiseSqrt();
    weights_.resize(Eigen::Index(problem.size()));
    for (std::size_t i = 0; i < problem.size(); ++i)
      weights_[Eigen::Index(i)] = is_stiffness(problem.variable(i)) ? options.stiffness_weight : options.rest_weight;
    multiplier_ = VectorXd::Zero(root_inverse_mass_.size());
  }

  LagrangianReport run(const std::function<void(const NewtonSample&)>& observer, VectorXd& p) {
    const Timer timer;
    p = p.cwiseMax(box_.lower).cwiseMin(box_.upper);
    report_.initial_constraint = constraint_norm(problem_.initial());
    set_penalty();
    double last_constraint = constraint_norm(p);
    report_.ending = Ending::iteration_limit;
    while (report_.iterations < options_.max_iterations) {
      const int qp_before = report_.qp_iterations;
      const bool solved = find_step(p);
      if (!step_.allFinite()) return end(Ending::not_finite, p);
      const double length = search(p);
      if (length == 0.0) return end(Ending::line_search, p);
      ++report_.iterations;
      const double constraint = constraint_norm(p);
      if (observer)
        observer({report_.iterations, timer.seconds(), constraint, objective(p), length * step_.norm(),
                  report_.qp_iterations - qp_before});
      // A step that was not found, or cut short, says nothing about the multipliers.
      if (options_.multipliers && solved && length > 1e-2) update_multipliers(constraint, last_constraint);
      last_constraint = constraint;
      const bool balanced =
          !options_.multipliers || constraint <= options_.balance_tolerance * report_.initial_constraint;
      if (step_.norm() < options_.step_tolerance && balanced) return end(Ending::converged, p);
    }
    return end(report_.ending, p);
  }

  Program program(const VectorXd& p) {
    assemble(p);
    return {hessian_, descent_, lower_, upper_};
  }

 private:
  LagrangianReport end(Ending ending, const VectorXd& p) {
    report_.ending = ending;
    report_.constraint = constraint_norm(p);
    report_.change = change(p);
    return report_;
  }

  double constraint_norm(const VectorXd& p) {
    problem_.force(p, force_);
    return force_.cwiseProduct(root_inverse_mass_).norm();
  }

  // Only the ratio of the weights to rho |c|^2 matters: chosen once, at the start.
  void set_penalty() {
    constexpr double usual = 4.5e6, usual_weight = 1e5;
    const double square = report_.initial_constraint * report_.initial_constraint;
    penalty_ = options_.penalty > 0.0 ? options_.penalty
                                      : usual * (options_.stiffness_weight / usual_weight) / std::max(square, 1e-300);
  }

  double change(const VectorXd& p) const { return 0.5 * weights_.dot((p - problem_.initial()).cwiseAbs2()); }

  double objective(const VectorXd& p) {
    problem_.force(p, force_);
    const VectorXd c = force_.cwiseProduct(root_inverse_mass_);
    return change(p) + multiplier_.dot(c) + 0.5 * penalty_ * c.squaredNorm();
  }

  // The Gauss-Newton model at p, in the step.
  void assemble(const VectorXd& p) {
    problem_.force(p, force_);
    problem_.jacobian(p, columns_);
    const VectorXd pull =
        root_inverse_mass_.cwiseProduct(multiplier_) + penalty_ * problem_.inverse_mass().cwiseProduct(force_);
    gradient_ = weights_.cwiseProduct(p - problem_.initial());
    for (std::size_t i = 0; i < columns_.size(); ++i) gradient_[Eigen::Index(i)] += columns_[i].dot(pull);
    hessian_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) hessian_.at(i, i) = weights_[Eigen::Index(i)];
    problem_.add_gauss_newton(columns_, penalty_, hessian_);
    descent_ = -gradient_, lower_ = box_.lower - p, upper_ = box_.upper - p;
  }

  // The step that minimises the model within the box; false: the QP was not solved.
  bool find_step(const VectorXd& p) {
    assemble(p);
    step_.setZero(p.size());
    const bcqp::Report solved = bcqp::solve(hessian_, span_of(descent_), span_of(lower_), span_of(upper_), options_.qp,
                                            work_, {step_.data(), std::size_t(step_.size())});
    report_.qp_iterations += solved.iterations;
    const bool converged = solved.outcome == bcqp::Outcome::converged;
    report_.qp_failures += !converged;
    return converged;
  }

  // Goes down along the step; the part of it that was taken, or 0.
  double search(VectorXd& p) {
    constexpr int most_halvings = 30;
    const double value = objective(p), slope = gradient_.dot(step_);
    double length = 1.0;
    for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
      trial_ = (p + length * step_).cwiseMax(box_.lower).cwiseMin(box_.upper);
      if (objective(trial_) <= value + 1e-4 * length * slope + 1e-15 * std::abs(value)) {
        p = trial_;
        return length;
      }
    }
    return 0.0;
  }

  // `force_` may be that of another point: the search ends with the accepted one.
  void update_multipliers(double constraint, double last) {
    multiplier_ += penalty_ * force_.cwiseProduct(root_inverse_mass_);
    if (options_.growth && constraint > 0.25 * last) penalty_ *= 10.0;
  }

  const StrandProblem& problem_;
  const Box& box_;
  const LagrangianOptions& options_;
  Band<double> hessian_;
  VectorXd weights_, multiplier_, root_inverse_mass_;
  VectorXd force_, gradient_, step_, trial_, descent_, lower_, upper_;
  std::vector<ForceColumn> columns_;
  bcqp::Workspace work_;
  double penalty_ = 0.0;
  LagrangianReport report_;
};

}  // namespace

std::string_view name(Ending ending) {
  switch (ending) {
    case Ending::converged: return "converged";
    case Ending::iteration_limit: return "iteration limit";
    case Ending::line_search: return "line search";
    case Ending::not_finite: return "not finite";
  }
  return "";
}

Box box_of(const StrandProblem& problem, const Options& options, double mu) {
  const auto n = Eigen::Index(problem.size());
  Box box{problem.initial(), problem.initial()};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto index = std::size_t(i);
    const Variable v = problem.variable(index);
    const double p0 = problem.initial()[i];
    if (is_stiffness(v)) {
      box.lower[i] = options.floor * std::min(1.0, p0), box.upper[i] = options.cap * p0;
    } else if (v == Variable::rest_length) {
      const double length = problem.drawn_length(index);
      box.lower[i] = std::min(p0, options.shortest * length), box.upper[i] = std::max(p0, options.longest * length);
    } else {
      const double bound = v == Variable::rest_twist ? options.twist_share * mu : mu;
      box.lower[i] = p0 - bound, box.upper[i] = p0 + bound;
    }
  }
  return box;
}

Program program_after(int iterations, const StrandProblem& problem, const Box& box, LagrangianOptions options) {
  options.max_iterations = iterations;
  options.step_tolerance = 0.0;
  Minimiser minimiser(problem, box, options);
  VectorXd p = problem.initial();
  minimiser.run({}, p);
  return minimiser.program(p);
}

void polish(const StrandProblem& problem, const Box& box, VectorXd& p) {
  constexpr int most_corrections = 8;
  constexpr std::size_t reach = 14;  // a parameter moves forces on up to 15 neighbouring unknowns
  VectorXd force, next_force;
  problem.force(p, force);
  std::vector<ForceColumn> columns;
  for (int i = 0; i < most_corrections && force.norm() > 0.0; ++i) {
    problem.jacobian(p, columns);
    // J D J^T y = -f and dp = D J^T y, with D the squares of what changes of a parameter count as equal.
    VectorXd scale = VectorXd::Zero(p.size());
    Band<double> matrix(std::size_t(force.size()), reach);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto at = Eigen::Index(c);
      if (!(p[at] > box.lower[at] && p[at] < box.upper[at])) continue;
      const Variable v = problem.variable(c);
      const double unit = is_stiffness(v) ? 3e-3 * p[at] : v == Variable::rest_length ? p[at] : 1.0;
      scale[at] = unit * unit;
      const ForceColumn& column = columns[c];
      for (std::size_t a = 0; a < column.count; ++a)
        for (std::size_t b = 0; b <= a; ++b)
          matrix.at(column.first + a, column.first + b) += scale[at] * column.values[a] * column.values[b];
    }
    for (std::size_t u = 0; u < matrix.size; ++u)
      if (matrix.at(u, u) == 0.0) matrix.at(u, u) = 1.0;  // held, or nothing moves it
    factorise(matrix, Pivots::clamp_to_positive);
    VectorXd pull = -force;
    solve(matrix, std::span<double>(pull.data(), std::size_t(pull.size())));
    VectorXd next = p;
    for (std::size_t c = 0; c < columns.size(); ++c)
      next[Eigen::Index(c)] += scale[Eigen::Index(c)] * columns[c].dot(pull);
    next = next.cwiseMax(box.lower).cwiseMin(box.upper);
    problem.force(next, next_force);
    if (!(next_force.norm() < 0.5 * force.norm())) return;
    p.swap(next), force.swap(next_force);
  }
}

LagrangianReport minimise(const StrandProblem& problem, const Box& box, const LagrangianOptions& options,
                          const std::function<void(const NewtonSample&)>& observer, VectorXd& p) {
  return Minimiser(problem, box, options).run(observer, p);
}

}  // namespace tendril::sagfree
