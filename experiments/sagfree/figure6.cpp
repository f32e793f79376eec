// Figure 6: a soft strand that hangs down, whose rest lengths may not become short enough to balance its weight.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/sagfree/comparison.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {

Findings figure6(const Context&) {
  tendril::sagfree::Options options;
  options.gravity = down, options.mu = 1.0, options.stiffness_weight = 1e6;
  options.bound = tendril::sagfree::CurvatureBound::box;
  options.shortest = 0.01 / (length / double(vertices - 1));  // 1 cm, as in the paper
  const Comparison c = compare(straight_strand(-Eigen::Vector3d::UnitZ(), 1e5), options);
  Findings out;
  claim_order(c, "8.1/19.5/58.3 ms", out);
  out.claim("Newton iterations of rest shape, penalty, Lagrangian", "8/7/25",
            fmt::format("{}/{}/{}", c.rest_shape.newton_iterations, c.penalty.newton_iterations,
                        c.lagrangian.newton_iterations),
            "the Lagrangian needs most",
            c.lagrangian.newton_iterations > std::max(c.rest_shape.newton_iterations, c.penalty.newton_iterations));
  out.tell("MPRGP iterations each", "5.6/73.9/66.0",
           fmt::format("{:.1f}/{:.1f}/{:.1f}", c.rest_shape.qp_iterations, c.penalty.qp_iterations,
                       c.lagrangian.qp_iterations));
  const std::vector<double> factors = c.lagrangian.stretch_factors;
  const auto stiffer = [](double factor) { return factor > 1.0 + 1e-4; };
  const auto last = std::ranges::find_if_not(factors, stiffer);
  out.claim("stretching stiffness grows", "near the root",
            fmt::format("on edges 1 to {}, {:.4f} times at most", last - factors.begin(), std::ranges::max(factors)),
            "from the root on, and nowhere in the lower half",
            stiffer(factors[0]) && last - factors.begin() < std::ptrdiff_t(factors.size() / 2) &&
                std::none_of(last, factors.end(), stiffer));
  out.tables.push_back(table_of(c));
  out.charts = convergence_charts(c);
  out.charts.push_back(factor_chart("Stretching stiffness along the strand", c, &Contestant::stretch_factors));
  return out;
}

}  // namespace tendril::experiments::sagfree
