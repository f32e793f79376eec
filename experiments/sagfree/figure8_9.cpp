// Figures 8 and 9, Table I: solvers of box-constrained quadratic programs on those of the horizontal strand.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/base/timer.hpp"

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::Program;

// The paper does not say which program it used: that after five Newton iterations has counts nearest to its own.
Program horizontal_program(double mu, int iterations = 5) {
  const der::Strands strands = der::Strands::create(straight_strand(Eigen::Vector3d::UnitX(), 1e9)).value();
  const tendril::sagfree::StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, down,
                                                tendril::sagfree::Freedom::full);
  tendril::sagfree::LagrangianOptions options;
  options.penalty = 1e9;
  return program_after(iterations, problem, box_of(problem, {}, mu), options);
}

struct Run {
  bcqp::Report report;
  double seconds = 0.0;  // without an observer, the best of a few
  std::vector<double> iterations, times, residuals;
};

Run solve(const Program& program, bcqp::Options options, int repeats = 3) {
  const auto span = [](const Eigen::VectorXd& v) { return std::span<const double>(v.data(), std::size_t(v.size())); };
  bcqp::Workspace work;
  Eigen::VectorXd x(program.b.size());
  const std::span<double> out(x.data(), std::size_t(x.size()));
  Run run;
  run.seconds = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const Timer timer;
    run.report =
        bcqp::solve(program.matrix, span(program.b), span(program.lower), span(program.upper), options, work, out);
    run.seconds = std::min(run.seconds, timer.seconds());
  }
  double first = 0.0;
  options.observer = [&](const bcqp::Sample& sample, std::span<const double>) {
    if (sample.iteration == 0) first = sample.projected_gradient;
    run.iterations.push_back(sample.iteration), run.times.push_back(1e3 * sample.seconds);
    run.residuals.push_back(first > 0.0 ? sample.projected_gradient / first : 0.0);
  };
  (void)bcqp::solve(program.matrix, span(program.b), span(program.lower), span(program.upper), options, work, out);
  return run;
}

bcqp::Options mprgp(bcqp::Preconditioner preconditioner) {
  bcqp::Options options;
  options.method = bcqp::Method::mprgp, options.preconditioner = preconditioner;
  options.jacobi_scaling = false, options.max_iterations = 10000;
  return options;
}

bcqp::Options plain(bcqp::Method method) {
  bcqp::Options options;
  options.method = method, options.jacobi_scaling = false;
  return options;
}

std::string count_of(const Run& run) {
  return run.report.outcome == bcqp::Outcome::converged
             ? fmt::format("{}", run.report.iterations)
             : fmt::format("{} ({})", run.report.iterations, bcqp::name(run.report.outcome));
}

}  // namespace

Findings figure8(const Context&) {
  using bcqp::Preconditioner;
  const Program program = horizontal_program(0.4);
  const std::pair<Preconditioner, const char*> paper[] = {
      {Preconditioner::none, "> 10000"}, {Preconditioner::diagonal, "-"}, {Preconditioner::jacobi, "-"},
      {Preconditioner::ssor, "-"},       {Preconditioner::amg, "-"},      {Preconditioner::ic, "234"},
      {Preconditioner::mic, "-"},        {Preconditioner::asc, "19"}};
  Findings out;
  plot::Chart over_time{.title = "Residual over time",
                        .description = "Norm of the projected gradient over its first value.",
                        .x = {"time", "ms", plot::AxisKind::logarithmic},
                        .y = {.label = "residual", .kind = plot::AxisKind::logarithmic}};
  plot::Chart over_iterations = over_time;
  over_iterations.title = "Residual over iterations";
  over_iterations.x = {.label = "iteration", .kind = plot::AxisKind::logarithmic};
  plot::Table table{"MPRGP, unscaled, relative residual 1e-10.",
                    {{"preconditioner"}, {"paper", true}, {"iterations", true}, {"time [ms]", true}},
                    {}};
  std::map<Preconditioner, Run> runs;
  for (const auto& [preconditioner, count] : paper) {
    Run run = solve(program, mprgp(preconditioner));
    const std::string name(bcqp::name(preconditioner));
    over_time.add(name, run.times, run.residuals), over_iterations.add(name, run.iterations, run.residuals);
    table.rows.push_back({name, count, count_of(run), fmt::format("{:.3f}", 1e3 * run.seconds)});
    runs[preconditioner] = std::move(run);
  }
  const Run &ic = runs[Preconditioner::ic], &asc = runs[Preconditioner::asc], &none = runs[Preconditioner::none],
            &diagonal = runs[Preconditioner::diagonal], &amg = runs[Preconditioner::amg];
  out.claim("iterations of ASC against IC", "19 against 234", fmt::format("{} against {}", count_of(asc), count_of(ic)),
            "at least 3 times fewer", 3 * asc.report.iterations <= ic.report.iterations);
  out.claim("time of ASC against IC", "18 times faster", fmt::format("{:.1f} times", ic.seconds / asc.seconds),
            "faster", asc.seconds < ic.seconds);
  out.claim("iterations of IC against the diagonal", "-",
            fmt::format("{} against {}", count_of(ic), count_of(diagonal)), "at least 5 times fewer",
            5 * ic.report.iterations <= diagonal.report.iterations);
  out.claim("without preconditioner", "> 10000", count_of(none), "does not converge",
            none.report.outcome != bcqp::Outcome::converged);
  out.claim("algebraic multigrid", "-", count_of(amg), "more iterations than IC",
            amg.report.iterations > ic.report.iterations);
  out.tables.push_back(std::move(table));
  out.charts = {std::move(over_iterations), std::move(over_time)};
  out.notes.push_back("The paper gives neither the strand nor the Newton iteration of its program.");
  return out;
}

Findings figure9(const Context&) {
  const double bounds[] = {0.2, 0.3, 0.4, 0.5, 0.6};
  const char *paper_asc[] = {"122", "47", "19", "11", "2"}, *paper_ipm[] = {"5", "4", "3", "3", "lost"};
  Findings out;
  plot::Table table{"Iterations over the bound mu, unscaled.",
                    {{"mu"},
                     {"ASC, paper", true},
                     {"ASC", true},
                     {"interior points, paper", true},
                     {"interior points", true},
                     {"active sets", true},
                     {"active at the optimum", true},
                     {"Gauss-Seidel", true}},
                    {}};
  std::vector<double> mus, asc_counts, ipm_counts, pdas_counts, asc_ms, ipm_ms, pdas_ms;
  bool gauss_seidel_fails = true, flat = true;
  for (std::size_t i = 0; i < 5; ++i) {
    const Program program = horizontal_program(bounds[i]);
    const Run asc = solve(program, mprgp(bcqp::Preconditioner::asc)), ipm = solve(program, plain(bcqp::Method::ipm)),
              pdas = solve(program, plain(bcqp::Method::pdas));
    bcqp::Options sweeps = plain(bcqp::Method::pgs);
    sweeps.max_iterations = 400;
    const Run pgs = solve(program, sweeps, 1);
    gauss_seidel_fails = gauss_seidel_fails && pgs.report.outcome != bcqp::Outcome::converged;
    flat = flat && ipm.report.iterations <= 15;
    table.rows.push_back({fmt::format("{}", bounds[i]), paper_asc[i], count_of(asc), paper_ipm[i], count_of(ipm),
                          count_of(pdas), fmt::format("{}", pdas.report.active), count_of(pgs)});
    mus.push_back(bounds[i]);
    asc_counts.push_back(asc.report.iterations), ipm_counts.push_back(ipm.report.iterations);
    pdas_counts.push_back(pdas.report.iterations);
    asc_ms.push_back(1e3 * asc.seconds), ipm_ms.push_back(1e3 * ipm.seconds), pdas_ms.push_back(1e3 * pdas.seconds);
  }
  const auto counts = [](const std::vector<double>& values) {
    return fmt::format("{:.0f}/{:.0f}/{:.0f}/{:.0f}/{:.0f}", values[0], values[1], values[2], values[3], values[4]);
  };
  out.claim("ASC for mu = 0.2 ... 0.6", "122/47/19/11/2", counts(asc_counts), "grows as mu falls from 0.6 to 0.3",
            asc_counts[1] > asc_counts[2] && asc_counts[2] > asc_counts[3] && asc_counts[3] > asc_counts[4]);
  out.claim("interior points", "5/4/3/3/?", counts(ipm_counts), "flat, at most 15", flat);
  bool fewest = true;
  for (std::size_t i = 0; i < 5; ++i)
    fewest = fewest && pdas_counts[i] <= asc_counts[i] && pdas_counts[i] <= ipm_counts[i];
  out.claim("active sets (PDAS)", "-", counts(pdas_counts), "fewer than both", fewest);
  out.claim("projected Gauss-Seidel", "-", gauss_seidel_fails ? "not converged in 400 sweeps" : "converged",
            "does not converge", gauss_seidel_fails);
  plot::Chart chart{.title = "Time over the bound",
                    .description = "Best of three solves.",
                    .x = {.label = "mu"},
                    .y = {"time", "ms", plot::AxisKind::logarithmic}};
  chart.add("MPRGP with ASC", mus, asc_ms, plot::Mark::line_and_points);
  chart.add("interior points", mus, ipm_ms, plot::Mark::line_and_points);
  chart.add("active sets", mus, pdas_ms, plot::Mark::line_and_points);
  out.charts.push_back(std::move(chart));
  plot::Chart convergence{.title = "Residual over time at mu = 0.4",
                          .description = "Norm of the projected gradient over its first value.",
                          .x = {"time", "ms"},
                          .y = {.label = "residual", .kind = plot::AxisKind::logarithmic}};
  const Program program = horizontal_program(0.4);
  for (const auto& [name, options] :
       {std::pair{"MPRGP with ASC", mprgp(bcqp::Preconditioner::asc)},
        std::pair{"interior points", plain(bcqp::Method::ipm)}, std::pair{"active sets", plain(bcqp::Method::pdas)}}) {
    const Run run = solve(program, options);
    convergence.add(name, run.times, run.residuals, plot::Mark::line_and_points);
  }
  out.charts.push_back(std::move(convergence));
  out.tables.push_back(std::move(table));
  out.notes.push_back(
      "The strand was chosen so that mu = 0.6 leaves no bound active, as the paper's last column suggests.");
  return out;
}

}  // namespace tendril::experiments::sagfree
