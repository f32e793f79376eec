// Figure 5: rest shapes alone, their bounds kept by an active set or pushed at by a penalty; then the root is shaken
// sideways.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"

namespace tendril::experiments::sagfree {
namespace {

using Eigen::VectorXd;
using namespace tendril::sagfree;

struct Bounded {
  der::Strands strands;
  LagrangianReport report;
  double largest = 0.0;  // rest curvature
};

Bounded optimise_rest_shape(const bcqp::Options& qp) {
  constexpr double mu = 0.4;
  der::Strands strands = der::Strands::create(straight_strand(Eigen::Vector3d::UnitX(), 1e9)).value();
  const StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, down, Freedom::rest_shape);
  LagrangianOptions options;
  options.multipliers = false, options.penalty = 1e9, options.qp = qp;
  Box box = box_of(problem, {}, mu), free = box;
  if (qp.method == bcqp::Method::penalty) {  // the penalty stands in for the box: the line search has none either
    free.lower.setConstant(-1e9), free.upper.setConstant(1e9);
  }
  Bounded out{strands, {}, 0.0};
  VectorXd p = problem.initial();
  out.report = minimise(problem, qp.method == bcqp::Method::penalty ? free : box, options, {}, p);
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (problem.variable(i) == Variable::curvature0 || problem.variable(i) == Variable::curvature1)
      out.largest = std::max(out.largest, std::abs(p[Eigen::Index(i)]));
  der::RestState rest = strands.rest_state();
  problem.store(p, strands, rest);
  if (!strands.set_rest(rest)) throw std::runtime_error("the rest state is refused");
  out.strands = std::move(strands);
  return out;
}

Eigen::Vector3d tip_after_shaking(const der::Strands& strands) {
  Motion motion(strands);
  motion.run(720, [](double time) {
    der::Drive drive;
    if (time < 0.5) drive.root[0].translation.y() = 0.02 * std::sin(4.0 * std::numbers::pi * time);
    return drive;
  });
  return motion.tip();
}

}  // namespace

Findings figure5(const Context&) {
  bcqp::Options active;
  active.method = bcqp::Method::mprgp;
  const Bounded kept = optimise_rest_shape(active);
  Findings out;
  out.claim("bounds by an active set", "kept", fmt::format("largest rest curvature {:.3f}", kept.largest),
            "at most 0.4", kept.largest <= 0.4);
  out.claim("Newton iterations with it", "2, and 8.0 MPRGP iterations each",
            fmt::format("{}, and {:.1f}", kept.report.iterations,
                        double(kept.report.qp_iterations) / std::max(1, kept.report.iterations)),
            "at most 4", kept.report.iterations <= 4);
  const Eigen::Vector3d tip = tip_after_shaking(kept.strands);
  out.claim("tip after a shake", "to the right", fmt::format("x = {:.3f} m", tip.x()), "x > 0.1 m", tip.x() > 0.1);
  return out;
}

}  // namespace tendril::experiments::sagfree
