// Quadratic programs of the horizontal strand, and solvers of linalg/bcqp on them: figures 8 and 9, Table I.
#pragma once

#include <string>
#include <vector>

#include "experiments/sagfree/scenes.hpp"
#include "tendril/plot/chart.hpp"

namespace tendril::experiments::sagfree {

// That of the Newton iteration after so many. The paper does not say which one it used, nor on which strand; the
// default has iteration counts near its own.
tendril::sagfree::Program horizontal_program(double mu, int iterations = 5, double stiffness_weight = 1e5);

// Solvers run without scaling, to a relative residual of 1e-10, as in the paper.
bcqp::Options plain(bcqp::Method method);
bcqp::Options mprgp(bcqp::Preconditioner preconditioner);

struct Run {
  bcqp::Report report;
  double seconds = 0.0;
  std::vector<double> iterations, times, residuals;  // [ms]; projected gradient over its first value, the least so far

  bool converged() const { return report.outcome == bcqp::Outcome::converged; }
  std::string count() const;  // "187", or "10000 (iteration limit)"
};
// The fastest of a few solves.
Run solve(const tendril::sagfree::Program& program, bcqp::Options options, int repeats = 3);

plot::Chart residual_chart(std::string title);  // over time, both logarithmic

}  // namespace tendril::experiments::sagfree
