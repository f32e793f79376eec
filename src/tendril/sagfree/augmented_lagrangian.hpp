// The general optimiser: least change of rest shape and stiffness, in a box, for which the net force of a strand is
// zero (docs/theory/sag-free.md, "The general problem"). Gauss-Newton on an augmented Lagrangian with box-constrained
// steps.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string_view>

#include "tendril/linalg/bcqp/bcqp.hpp"
#include "tendril/sagfree/box.hpp"
#include "tendril/sagfree/coupled_problem.hpp"
#include "tendril/sagfree/options.hpp"

namespace tendril::sagfree {

struct LagrangianOptions {
  bool multipliers = true;  // else the balance is a penalty alone
  bool growth = false;      // of the penalty, tenfold where the balance improves too slowly
  double stiffness_weight = 1e5, rest_weight = 1.0;
  double smoothness = 0.0;  // weight of differences between changes of neighbouring stiffness, over stiffness_weight
  Storage storage = Storage::banded;  // of the Hessian; sparse in any case if strands are coupled
  double penalty = 0.0;               // rho; 0: from the imbalance at the start, so that it does not depend on units
  int max_iterations = 300;
  int stall_iterations = 0;         // without a hundredth of progress in the balance, after which it ends; 0: never
  double step_tolerance = 1e-6;     // on the norm of a step
  double balance_tolerance = 1e-7;  // on the norm of the constraint, over its initial value
  bcqp::Options qp = inner_qp();

  static bcqp::Options inner_qp() {
    bcqp::Options options;
    options.tolerance = 1e-8;
    return options;
  }
};

enum class Ending : std::uint8_t { converged, iteration_limit, line_search, stalled, not_finite };
std::string_view name(Ending ending);

// One Newton iteration, for plots.
struct NewtonSample {
  int iteration = 0;
  double seconds = 0.0, constraint = 0.0, objective = 0.0, step = 0.0;  // constraint: norm of M^-1/2 f
  int qp_iterations = 0;
};

struct LagrangianReport {
  Ending ending = Ending::iteration_limit;
  int iterations = 0, qp_iterations = 0, qp_failures = 0;
  double constraint = 0.0, initial_constraint = 0.0;
  double change = 0.0;  // R of Eq. 2
};

// The quadratic program of a step, min ½ xᵀA x - bᵀx in a box: what the solvers of linalg/bcqp are compared on.
struct Program {
  Band<double> matrix;
  Eigen::VectorXd b, lower, upper;
};
// That of the step after so many iterations from p0.
Program program_after(int iterations, const StrandProblem& problem, const Box& box, LagrangianOptions options);

// p: the start, then the result. `observer` may be empty.
LagrangianReport minimise(const CoupledProblem& problem, const Box& box, const LagrangianOptions& options,
                          const std::function<void(const NewtonSample&)>& observer, Eigen::VectorXd& p);

}  // namespace tendril::sagfree
