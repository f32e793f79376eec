#include "experiments/sagfree/programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/timer.hpp"

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::Program;

bcqp::Report solve_once(const Program& program, const bcqp::Options& options, bcqp::Workspace& work) {
  const auto span = [](const Eigen::VectorXd& v) { return std::span<const double>(v.data(), std::size_t(v.size())); };
  Eigen::VectorXd x(program.b.size());
  return bcqp::solve(program.matrix, span(program.b), span(program.lower), span(program.upper), options, work,
                     {x.data(), std::size_t(x.size())});
}

}  // namespace

Program horizontal_program(double mu, int iterations, double stiffness_weight) {
  const der::Strands strands = der::Strands::create(straight_strand(Eigen::Vector3d::UnitX(), 1e9)).value();
  const auto problem = problem_of(strands, tendril::sagfree::Freedom::full);
  auto options = settings_of_the_paper(stiffness_weight);
  options.qp.method = bcqp::Method::automatic;  // the program must not depend on how well those before were solved
  return program_after(iterations, problem, box_of(problem, {}, mu), options);
}

bcqp::Options plain(bcqp::Method method) {
  bcqp::Options options;
  options.method = method, options.jacobi_scaling = false;
  return options;
}

bcqp::Options mprgp(bcqp::Preconditioner preconditioner) {
  bcqp::Options options = plain(bcqp::Method::mprgp);
  options.preconditioner = preconditioner;
  return options;
}

std::string Run::count() const {
  return converged() ? fmt::format("{}", report.iterations)
                     : fmt::format("{} ({})", report.iterations, bcqp::name(report.outcome));
}

Run solve(const Program& program, bcqp::Options options, int repeats) {
  bcqp::Workspace work;
  Run best;
  best.seconds = 1e300;
  for (int i = 0; i < repeats; ++i) {
    Run run;
    double first = 0.0, least = 1.0;
    options.observer = [&](const bcqp::Sample& sample, std::span<const double>) {
      if (sample.iteration == 0) first = sample.projected_gradient;
      if (first > 0.0) least = std::min(least, sample.projected_gradient / first);
      run.iterations.push_back(sample.iteration), run.times.push_back(1e3 * sample.seconds);
      run.residuals.push_back(least), run.seconds = sample.seconds;
    };
    run.report = solve_once(program, options, work);
    if (run.seconds < best.seconds) best = std::move(run);
  }
  return best;
}

plot::Chart residual_chart(std::string title) {
  return {.title = std::move(title),
          .description = "Norm of the projected gradient over its first value: the least so far.",
          .x = {"time", "ms", plot::AxisKind::logarithmic},
          .y = {.label = "residual", .kind = plot::AxisKind::logarithmic}};
}

}  // namespace tendril::experiments::sagfree
