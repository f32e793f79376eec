// Figure 5: rest shapes alone, their bounds kept by an active set or pushed at by a penalty; then the root is shaken
// sideways.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/sagfree/box_penalty.hpp"
#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/base/timer.hpp"

namespace tendril::experiments::sagfree {
namespace {

using tendril::sagfree::Variable;

constexpr double mu = 0.4, box_weight = 1e6;

struct Bounded {
  der::Strands strands;
  int newton = 0;
  double qp_iterations = 0.0, seconds = 0.0;
  std::vector<double> curvature;  // at rest, per joint: the largest component
  double largest() const { return std::ranges::max(curvature); }
};

enum class Bounds { active_set, penalty };

Bounded optimise_rest_shape(Bounds bounds) {
  const der::Strands strands = der::Strands::create(straight_strand(Eigen::Vector3d::UnitX(), 1e9)).value();
  const auto problem = problem_of(strands, tendril::sagfree::Freedom::rest_shape);
  const auto box = tendril::sagfree::box_of(problem, {}, mu);
  tendril::sagfree::LagrangianOptions options = settings_of_the_paper();
  options.multipliers = false;
  Eigen::VectorXd p = problem.initial();
  Bounded out{strands, 0, 0.0, 0.0, {}};
  const Timer timer;
  if (bounds == Bounds::penalty) {
    out.newton = minimise_with_box_penalty(problem, box, options, box_weight, p).iterations;
  } else {
    const auto report = minimise(problem, box, options, {}, p);
    out.newton = report.iterations, out.qp_iterations = double(report.qp_iterations) / std::max(1, report.iterations);
  }
  out.seconds = timer.seconds();
  for (std::size_t i = 0; i + 1 < problem.size(); ++i)
    if (problem.variable(i) == Variable::curvature0)
      out.curvature.push_back(std::max(std::abs(p[Eigen::Index(i)]), std::abs(p[Eigen::Index(i + 1)])));
  out.strands = with_parameters(strands, problem, p);
  return out;
}

std::vector<Eigen::Vector3d> after_shaking(const der::Strands& strands) {
  Motion motion(strands, down);
  motion.run(720, shake({0.0, 0.02, 0.0}, 2.0, 0.5));
  return motion.positions();
}

plot::Chart curvature_chart(const Bounded& kept, const Bounded& pushed) {
  plot::Chart chart{.title = "Rest curvature along the strand",
                    .description = "The largest component at each joint, and its bound.",
                    .x = {.label = "vertex", .whole = true},
                    .y = {.label = "rest curvature"}};
  std::vector<double> joints;
  for (std::size_t i = 1; i <= kept.curvature.size(); ++i) joints.push_back(double(i));
  chart.add("naive", joints, std::vector<double>(joints.size(), 0.0));
  chart.add("penalty", joints, pushed.curvature), chart.add("active set", joints, kept.curvature);
  chart.mark_y(mu, "bound");
  return chart;
}

}  // namespace

Findings figure5(const Context&) {
  const Bounded kept = optimise_rest_shape(Bounds::active_set), pushed = optimise_rest_shape(Bounds::penalty);
  Findings out;
  out.claim("largest rest curvature, active set", "within the bound", fmt::format("{:.4f}", kept.largest()),
            "at most 0.4", kept.largest() <= mu);
  out.claim("largest rest curvature, penalty", "out of the bound", fmt::format("{:.4f}", pushed.largest()),
            "more than 0.4", pushed.largest() > mu);
  out.claim("Newton iterations, active set", "2", fmt::format("{}", kept.newton), "2", kept.newton == 2);
  out.claim("Newton iterations, penalty", "4", fmt::format("{}", pushed.newton), "3 to 5",
            pushed.newton >= 3 && pushed.newton <= 5);
  out.tell("MPRGP iterations each", "8.0", fmt::format("{:.1f}", kept.qp_iterations));
  out.tell("time, active set and penalty", "0.33 and 0.31 ms in the solvers",
           fmt::format("{:.2f} and {:.2f} ms in all", 1e3 * kept.seconds, 1e3 * pushed.seconds));

  const auto naive = after_shaking(der::Strands::create(straight_strand(Eigen::Vector3d::UnitX(), 1e9)).value()),
             active = after_shaking(kept.strands), penalised = after_shaking(pushed.strands);
  const double x = active.back().x(), of_penalty = penalised.back().x(), of_naive = naive.back().x();
  out.claim("tip after a shake", "right of the root with the active set, left of it with the penalty",
            fmt::format("x = {:.3f} m active set, {:.3f} m penalty, {:.3f} m naive", x, of_penalty, of_naive),
            "with the active set farther out than naive, with the penalty folded to below half of naive",
            x > of_naive && of_penalty < 0.5 * of_naive);
  plot::Chart shapes = side_view("After the shake", "The root was shaken sideways by 2 cm for half a second.");
  add_shape("naive", naive, shapes), add_shape("penalty", penalised, shapes), add_shape("active set", active, shapes);
  out.charts = {std::move(shapes), curvature_chart(kept, pushed)};
  out.notes.push_back("The paper does not say how the root was perturbed; whether a tail folds depends on that.");
  return out;
}

}  // namespace tendril::experiments::sagfree
