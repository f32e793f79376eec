// Figure 9: residuals over time of solvers of one kind of program, for several bounds.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/sagfree/programs.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {

Findings figure9(const Context&) {
  Findings out;
  bool gauss_seidel_fails = true, others_converge = true;
  double least = 1e300, most = 0.0;
  for (const double mu : {0.2, 0.3, 0.4, 0.5, 0.6}) {
    const auto program = horizontal_program(mu);
    const Run asc = solve(program, mprgp(bcqp::Preconditioner::asc)), ipm = solve(program, plain(bcqp::Method::ipm)),
              pdas = solve(program, plain(bcqp::Method::pdas)), pgs = solve(program, plain(bcqp::Method::pgs), 1);
    gauss_seidel_fails = gauss_seidel_fails && !pgs.converged();
    others_converge = others_converge && asc.converged() && ipm.converged() && pdas.converged();
    least = std::min(least, pgs.report.residual), most = std::max(most, pgs.report.residual);
    plot::Chart chart = residual_chart(fmt::format("Residual over time, mu = {}", mu));
    chart.add(fmt::format("Gauss-Seidel ({})", pgs.report.iterations), pgs.times, pgs.residuals);
    chart.add(fmt::format("interior points ({})", ipm.count()), ipm.times, ipm.residuals, plot::Mark::line_and_points);
    chart.add(fmt::format("MPRGP with ASC ({})", asc.count()), asc.times, asc.residuals, plot::Mark::line_and_points);
    chart.add(fmt::format("active sets ({})", pdas.count()), pdas.times, pdas.residuals, plot::Mark::line_and_points);
    out.charts.push_back(std::move(chart));
  }
  out.claim("projected Gauss-Seidel", "not converged in 10 000",
            gauss_seidel_fails ? fmt::format("not converged in 10 000, residuals {:.0e} to {:.0e}", least, most)
                               : "converged",
            "does not converge for any mu", gauss_seidel_fails);
  out.claim("MPRGP with ASC, interior points", "converge", others_converge ? "converge, as active sets do" : "do not",
            "converge for every mu", others_converge);
  return out;
}

}  // namespace tendril::experiments::sagfree
