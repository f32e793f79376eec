#include "tendril/sagfree/augmented_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tendril/base/timer.hpp"
#include "tendril/sagfree/saddle_system.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

std::span<const double> span_of(const VectorXd& v) { return {v.data(), std::size_t(v.size())}; }

class Minimiser {
 public:
  Minimiser(const CoupledProblem& problem, const Box& box, const LagrangianOptions& options)
      : problem_(problem),
        box_(box),
        options_(options),
        is_banded_(problem.is_banded() && options.storage == Storage::banded),
        weights_(problem.weights(options.stiffness_weight, options.rest_weight)),
        root_inverse_mass_(problem.inverse_mass().cwiseSqrt()) {
    multiplier_ = VectorXd::Zero(root_inverse_mass_.size());
    smooth_weight_ = options.smoothness * options.stiffness_weight;
    if (smooth_weight_ > 0.0) neighbours_ = problem.stiffness_neighbours();
    if (is_banded_) band_ = Band<double>(problem.size(), problem.half_bandwidth());
  }

  LagrangianReport run(const std::function<void(const NewtonSample&)>& observer, VectorXd& p) {
    const Timer timer;
    p = p.cwiseMax(box_.lower).cwiseMin(box_.upper);
    report_.initial_constraint = constraint_norm(problem_.initial());
    set_penalty();
    double last_constraint = constraint_norm(p);
    if (options_.multipliers && is_balanced(last_constraint)) estimate_multipliers(p);
    report_.ending = Ending::iteration_limit;
    double best_constraint = std::numeric_limits<double>::infinity();
    int best_iteration = 0;
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
      if (constraint < 0.99 * best_constraint) best_constraint = constraint, best_iteration = report_.iterations;
      const bool done = !options_.multipliers || is_balanced(constraint);
      if (step_.norm() < options_.step_tolerance && done) return end(Ending::converged, p);
      if (options_.stall_iterations > 0 && report_.iterations - best_iteration >= options_.stall_iterations)
        return end(Ending::stalled, p);
    }
    return end(report_.ending, p);
  }

  Program program(const VectorXd& p) {
    assemble(p);
    return {band_, descent_, lower_, upper_};
  }

 private:
  LagrangianReport end(Ending ending, const VectorXd& p) {
    report_.ending = ending;
    report_.constraint = constraint_norm(p);
    report_.change = change(p);
    return report_;
  }

  bool is_balanced(double constraint) const {
    return constraint <= options_.balance_tolerance * report_.initial_constraint;
  }

  // A start in balance, as the sweep's, may be the optimum. Then λ with W (p - p_0) + Jᵀ M^(-1/2) λ = 0 for the
  // parameters off their bounds makes it stay there; in general the one for which this is smallest (Eq. 15).
  void estimate_multipliers(const VectorXd& p) {
    const SaddleSystem system(problem_, box_, p);
    VectorXd right = VectorXd::Zero(p.size() + multiplier_.size());
    right.head(p.size()) = system.unit().cwiseProduct(weighted(p - problem_.initial()));
    if (const std::optional<VectorXd> solution = system.solve(right)) multiplier_ = -solution->tail(multiplier_.size());
  }

  double constraint_norm(const VectorXd& p) {
    problem_.force(p, force_);
    return force_.cwiseProduct(root_inverse_mass_).norm();
  }

  // Only the ratio of the weights to rho |c|^2 matters: chosen once, at the start. A shared factor weighs as much as
  // all that share it.
  void set_penalty() {
    constexpr double usual = 4.5e6, usual_weight = 1e5;
    const double square = report_.initial_constraint * report_.initial_constraint;
    double heaviest = options_.stiffness_weight;
    for (std::size_t i = 0; i < problem_.size(); ++i)
      if (is_stiffness(problem_.variable(i))) heaviest = std::max(heaviest, weights_[Eigen::Index(i)]);
    penalty_ = options_.penalty > 0.0 ? options_.penalty : usual * (heaviest / usual_weight) / std::max(square, 1e-300);
  }

  // W d: Eq. 2 is ½ dᵀW d, with differences between neighbours if stiffness is to be smooth (Eq. 14).
  VectorXd weighted(const VectorXd& d) const {
    VectorXd w = weights_.cwiseProduct(d);
    for (const auto& [i, j] : neighbours_) {
      const double pull = smooth_weight_ * (d[i] - d[j]);
      w[i] += pull, w[j] -= pull;
    }
    return w;
  }

  double change(const VectorXd& p) const {
    const VectorXd d = p - problem_.initial();
    return 0.5 * d.dot(weighted(d));
  }

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
    gradient_ = weighted(p - problem_.initial());
    problem_.add_transposed(columns_, pull, gradient_);
    if (is_banded_)
      assemble_band();
    else
      assemble_sparse();
    descent_ = -gradient_, lower_ = box_.lower - p, upper_ = box_.upper - p;
  }

  void assemble_band() {
    band_.clear();
    for (std::size_t i = 0; i < problem_.size(); ++i) band_.at(i, i) = weights_[Eigen::Index(i)];
    for (const auto& [i, j] : neighbours_) {
      band_.at(std::size_t(i), std::size_t(i)) += smooth_weight_,
          band_.at(std::size_t(j), std::size_t(j)) += smooth_weight_;
      band_.at(std::size_t(j), std::size_t(i)) -= smooth_weight_;
    }
    problem_.add_gauss_newton(columns_, penalty_, band_);
  }

  // The same, on the pattern of J^T J.
  void assemble_sparse() {
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index i = 0; i < weights_.size(); ++i) entries.emplace_back(int(i), int(i), weights_[i]);
    for (const auto& [i, j] : neighbours_) {
      entries.emplace_back(int(i), int(i), smooth_weight_), entries.emplace_back(int(j), int(j), smooth_weight_);
      entries.emplace_back(int(j), int(i), -smooth_weight_), entries.emplace_back(int(i), int(j), -smooth_weight_);
    }
    Eigen::SparseMatrix<double> w(weights_.size(), weights_.size());
    w.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseMatrix<double> j = problem_.matrix(columns_);
    const Eigen::SparseMatrix<double> weighed = penalty_ * problem_.inverse_mass().asDiagonal() * j;
    sparse_ = w + Eigen::SparseMatrix<double>(j.transpose() * weighed);
  }

  // The step that minimises the model within the box; false: the QP was not solved.
  bool find_step(const VectorXd& p) {
    assemble(p);
    step_.setZero(p.size());
    const auto solve_with = [&](const auto& hessian) {
      return bcqp::solve(hessian, span_of(descent_), span_of(lower_), span_of(upper_), options_.qp, work_,
                         {step_.data(), std::size_t(step_.size())});
    };
    const bcqp::Report solved = is_banded_ ? solve_with(band_) : solve_with(sparse_);
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

  // `force_` is that of the accepted point.
  void update_multipliers(double constraint, double last) {
    multiplier_ += penalty_ * force_.cwiseProduct(root_inverse_mass_);
    if (options_.growth && constraint > 0.25 * last) penalty_ *= 10.0;
  }

  const CoupledProblem& problem_;
  const Box& box_;
  const LagrangianOptions& options_;
  const bool is_banded_;
  const VectorXd weights_, root_inverse_mass_;
  double smooth_weight_ = 0.0;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> neighbours_;
  Band<double> band_;
  Eigen::SparseMatrix<double> sparse_;
  VectorXd multiplier_, force_, gradient_, step_, trial_, descent_, lower_, upper_;
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
    case Ending::stalled: return "stalled";
    case Ending::not_finite: return "not finite";
  }
  return "";
}

Program program_after(int iterations, const StrandProblem& problem, const Box& box, LagrangianOptions options) {
  options.max_iterations = iterations;
  options.step_tolerance = 0.0;
  const CoupledProblem alone(problem);
  Minimiser minimiser(alone, box, options);
  VectorXd p = problem.initial();
  minimiser.run({}, p);
  return minimiser.program(p);
}

LagrangianReport minimise(const CoupledProblem& problem, const Box& box, const LagrangianOptions& options,
                          const std::function<void(const NewtonSample&)>& observer, VectorXd& p) {
  return Minimiser(problem, box, options).run(observer, p);
}

}  // namespace tendril::sagfree
