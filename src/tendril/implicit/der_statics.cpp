#include "tendril/implicit/der_statics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/static_potential.hpp"

namespace tendril::der {
namespace {

using L = StateLayout;

struct RodStatics {
  StaticPotential potential;
  const StaticOptions& options;
  NewtonWorkspace work;
  Eigen::VectorXd displacement;
  StaticReport report;

  double relative(const Eigen::VectorXd& gradient) const {
    const double load = potential.load();
    return load > 0.0 ? potential.norm(gradient) / load : potential.norm(gradient);
  }

  // Full Newton steps with predicted tensions, only limited in how far an edge may turn: brings a strand of any
  // slenderness close to equilibrium in some ten steps, where a search along the energy would creep. Nothing guards
  // the descent, so the caller checks where it ends.
  void stride(double load_factor) {
    potential.set_load_factor(load_factor);
    potential.gradient(displacement, work.gradient);
    std::vector<double> tension = potential.predicted_tension(0.0 * displacement);
    for (int iteration = 0; iteration < most_strides; ++iteration, ++report.iterations) {
      if (!work.gradient.allFinite() || relative(work.gradient) < near_equilibrium) break;
      potential.set_tension(tension);
      potential.factorise(displacement);
      potential.solve(work.gradient, work.descent);
      const double step = std::min(1.0, largest_stride_turn / potential.largest_turn(work.descent));
      const std::vector<double> predicted = potential.predicted_tension(-work.descent);
      for (std::size_t k = 0; k < tension.size(); ++k) tension[k] += step * (predicted[k] - tension[k]);
      displacement -= step * work.descent;
      potential.gradient(displacement, work.gradient);
    }
    potential.set_tension({});
    potential.recentre(displacement);
  }

  // Newton in rounds: after each the base moves to where the displacements have led, so that the rounding of large
  // displacements never limits the residual for long. Gives up when a round brings nothing.
  bool minimise(double load_factor, double tolerance) {
    stride(load_factor);
    ++report.load_steps;
    NewtonOptions newton_options;
    newton_options.max_iterations = iterations_per_round;
    newton_options.gradient_tolerance = tolerance;
    const auto residual = [&](const Eigen::VectorXd& g) { return relative(g); };
    int used = 0, idle = 0;
    double best = std::numeric_limits<double>::infinity();
    while (used < options.max_iterations && idle < 3) {
      const SolveReport solved = newton(potential, newton_options, residual, work, displacement);
      potential.recentre(displacement);
      used += std::max(1, solved.iterations), report.iterations += solved.iterations;
      report.residual = solved.residual, report.status = solved.status;
      if (solved.status == SolveStatus::converged || solved.status == SolveStatus::not_finite) break;
      idle = solved.residual < 0.5 * best ? 0 : idle + 1;
      best = std::min(best, solved.residual);
    }
    return report.status == SolveStatus::converged;
  }

  static constexpr int iterations_per_round = 15, most_strides = 150;
  static constexpr double near_equilibrium = 1e-6, largest_stride_turn = 0.6;
};

StaticReport solve_rod(Rod& rod, const StaticOptions& options) {
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(Eigen::Index(rod.unknowns()));
  RodStatics statics{StaticPotential(rod, options.gravity), options, {}, still, {}};
  if (!statics.minimise(1.0, options.tolerance)) {
    // Follow the equilibrium from no load at all.
    statics.potential = StaticPotential(rod, options.gravity);
    double reached = 0.0, step = 0.25;
    while (reached < 1.0 && step > std::ldexp(1.0, -options.max_load_halvings)) {
      const StaticPotential fallback = statics.potential;
      const double next = std::min(1.0, reached + step);
      if (statics.minimise(next, options.tolerance)) {
        reached = next, step *= 2.0;
      } else {
        statics.potential = fallback;
        step *= 0.5;
      }
    }
  }
  statics.report.negative_modes = statics.potential.negative_modes();
  rod = statics.potential.rod();
  return statics.report;
}

}  // namespace

std::vector<StaticReport> solve_static(const Strands& strands, const Targets& targets, const StaticOptions& options,
                                       State& state) {
  std::vector<StaticReport> reports(strands.size());
  std::vector<Rod> rods(strands.size());
  parallel_for(strands.size(), [&](std::size_t s) {
    Rod& rod = rods[s] = extract(strands, targets, state, s);
    // Held unknowns go to their targets first; the strand follows from there.
    for (int k = 0; k < rod.vertices; ++k) {
      for (int c = 0; c < 4; ++c) {
        double& q = rod.state[std::size_t(k * L::components + c)];
        if (rod.hold_of[std::size_t(k)] >= 0 && !rod.is_free(std::size_t(4 * k + c)))
          q = rod.holds[std::size_t(rod.hold_of[std::size_t(k)] * HoldLayout::components + HoldLayout::target + c)];
        rod.state[std::size_t(k * L::components + L::velocity + c)] = 0.0;
      }
    }
    reports[s] = solve_rod(rod, options);
  });
  for (std::size_t s = 0; s < strands.size(); ++s) insert(rods[s], strands, s, state);
  return reports;
}

}  // namespace tendril::der
