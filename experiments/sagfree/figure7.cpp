// Figure 7: a strand that is held out sideways, whose rest curvature may not become large enough to balance its weight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/sagfree/comparison.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {
namespace {

constexpr double mu = 0.2, modulus = 1e9;

// Rest curvature that balances the weight beyond each joint 1 ... N - 2 at unchanged stiffness: M_i l / EI with the
// moment M_i = sum_{j > i} m_j g (x_j - x_i).
std::vector<double> needed_curvatures() {
  const double edge = length / double(vertices - 1), area = std::numbers::pi * radius * radius;
  const double second_moment = 0.25 * area * radius * radius;
  std::vector<double> out;
  for (std::size_t i = 1; i + 1 < vertices; ++i) {
    double moment = 0.0;
    for (std::size_t j = i + 1; j < vertices; ++j) {
      const double mass = density * area * edge * (j + 1 == vertices ? 0.5 : 1.0);
      moment += mass * down.norm() * edge * double(j - i);
    }
    out.push_back(moment * edge / (modulus * second_moment));
  }
  return out;
}

// Largest difference of the bending factors to max(1, needed/mu).
double distance_to_closed_form(const std::vector<double>& factors) {
  const std::vector<double> needed = needed_curvatures();
  double largest = 0.0;
  for (std::size_t i = 0; i < needed.size(); ++i)
    largest = std::max(largest, std::abs(factors[i] - std::max(1.0, needed[i] / mu)));
  return largest;
}

plot::Chart shape_chart(const Comparison& comparison) {
  plot::Chart chart = side_view("After a second", "Let go at rest in the drawn, horizontal shape.");
  for (const Contestant* c : {&comparison.naive, &comparison.rest_shape, &comparison.penalty, &comparison.lagrangian}) {
    Motion motion(c->strands, down);
    motion.run(240);
    add_shape(c->name, motion.positions(), chart);
  }
  return chart;
}

}  // namespace

Findings figure7(const Context&) {
  tendril::sagfree::Options options;
  options.gravity = down, options.mu = mu, options.bound = tendril::sagfree::CurvatureBound::box;
  const Comparison c = compare(straight_strand(Eigen::Vector3d::UnitX(), modulus), options);
  Findings out;
  claim_order(c, "7.5/17.9/47.7 ms", out);
  const double of_lagrangian = distance_to_closed_form(c.lagrangian.bend_factors),
               of_sweep = distance_to_closed_form(c.sweep.bend_factors);
  out.claim("bending factors against max(1, needed curvature/mu)", "not given",
            fmt::format("{:.1e} off with the Lagrangian, {:.1e} with the sweep", of_lagrangian, of_sweep),
            "both below 1e-6", of_lagrangian < 1e-6 && of_sweep < 1e-6);
  out.tell("largest bending factor of penalty and Lagrangian", "not given",
           fmt::format("{:.3f} and {:.3f}", std::ranges::max(c.penalty.bend_factors),
                       std::ranges::max(c.lagrangian.bend_factors)));
  out.tables.push_back(table_of(c));
  out.charts = convergence_charts(c);
  out.charts.push_back(shape_chart(c));
  out.charts.push_back(factor_chart("Bending stiffness along the strand", c, &Contestant::bend_factors));
  return out;
}

}  // namespace tendril::experiments::sagfree
