// Figure 8: preconditioners of MPRGP.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/sagfree/programs.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {
namespace {

using bcqp::Preconditioner;

constexpr double mu = 0.4;
constexpr Preconditioner preconditioners[] = {Preconditioner::none, Preconditioner::diagonal, Preconditioner::jacobi,
                                              Preconditioner::ssor, Preconditioner::amg,      Preconditioner::ic,
                                              Preconditioner::mic,  Preconditioner::asc};
using Runs = std::map<Preconditioner, Run>;

void claim_counts(Runs& runs, Findings& out) {
  const Run &ic = runs[Preconditioner::ic], &asc = runs[Preconditioner::asc], &none = runs[Preconditioner::none],
            &diagonal = runs[Preconditioner::diagonal], &amg = runs[Preconditioner::amg];
  out.claim("iterations of ASC and IC", "19 and 234", fmt::format("{} and {}", asc.count(), ic.count()),
            "ASC at least 3 times fewer", asc.converged() && 3 * asc.report.iterations <= ic.report.iterations);
  out.claim("time of ASC against IC", "18 times faster", fmt::format("{:.1f} times faster", ic.seconds / asc.seconds),
            "faster", asc.seconds < ic.seconds);
  out.claim("iterations of IC and the diagonal", "234 and more", fmt::format("{} and {}", ic.count(), diagonal.count()),
            "IC at least 5 times fewer", ic.converged() && 5 * ic.report.iterations <= diagonal.report.iterations);
  out.claim("without a preconditioner", "not converged in 10 000", none.count(), "does not converge",
            !none.converged());
  out.claim("algebraic multigrid", "underperforms", amg.count(), "at least 3 times as many iterations as IC",
            amg.report.iterations >= 3 * ic.report.iterations);
}

// Which program of the run it is must not decide: those after 1, 2, 3 and 5 Newton iterations, for two weights.
void claim_for_other_programs(Findings& out) {
  plot::Table table{
      "Iterations on programs after the first, mu = 0.4.",
      {{"weight of stiffness"}, {"Newton iterations before", true}, {"ASC", true}, {"IC", true}, {"diagonal", true}},
      {}};
  double asc_least = 1e300, ic_least = 1e300;
  for (const double weight : {1e5, 1e6})
    for (const int before : {1, 2, 3, 5}) {
      const auto program = horizontal_program(mu, before, weight);
      const auto count = [&](Preconditioner p) { return solve(program, mprgp(p), 1).report.iterations; };
      const int asc = count(Preconditioner::asc), ic = count(Preconditioner::ic),
                diagonal = count(Preconditioner::diagonal);
      asc_least = std::min(asc_least, double(ic) / asc), ic_least = std::min(ic_least, double(diagonal) / ic);
      table.rows.push_back({fmt::format("{:.0e}", weight), fmt::format("{}", before), fmt::format("{}", asc),
                            fmt::format("{}", ic), fmt::format("{}", diagonal)});
    }
  out.claim("the same on eight programs", "not shown",
            fmt::format("IC/ASC at least {:.1f}, diagonal/IC at least {:.1f}", asc_least, ic_least), "at least 3 and 5",
            asc_least >= 3.0 && ic_least >= 5.0);
  out.tables.push_back(std::move(table));
}

// The start has no place on a logarithmic axis of iterations.
std::vector<double> without_first(const std::vector<double>& values) { return {values.begin() + 1, values.end()}; }

}  // namespace

Findings figure8(const Context&) {
  const auto program = horizontal_program(mu);
  Findings out;
  plot::Chart over_time = residual_chart("Residual over time"),
              over_iterations = residual_chart("Residual over iterations");
  over_iterations.x = {.label = "iteration", .kind = plot::AxisKind::logarithmic};
  plot::Table table{"MPRGP, unscaled, to a relative residual of 1e-10.",
                    {{"preconditioner"}, {"iterations", true}, {"time [ms]", true}},
                    {}};
  Runs runs;
  for (const Preconditioner preconditioner : preconditioners) {
    Run& run = runs[preconditioner] = solve(program, mprgp(preconditioner));
    const std::string name(bcqp::name(preconditioner));
    over_time.add(name, run.times, run.residuals);
    over_iterations.add(name, without_first(run.iterations), without_first(run.residuals));
    table.rows.push_back({name, run.count(), fmt::format("{:.3f}", 1e3 * run.seconds)});
  }
  claim_counts(runs, out);
  out.tables.push_back(std::move(table));
  claim_for_other_programs(out);
  out.charts = {std::move(over_time), std::move(over_iterations)};
  out.notes.push_back("The paper gives neither the strand nor the Newton iteration of its program.");
  return out;
}

}  // namespace tendril::experiments::sagfree
