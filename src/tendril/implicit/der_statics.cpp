#include "tendril/implicit/der_statics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/transport.hpp"
#include "tendril/rods/der/frames.hpp"
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

  double relative(const Eigen::VectorXd& gradient) const { return relative(potential.norm(gradient)); }
  double relative(double force) const { return potential.load() > 0.0 ? force / potential.load() : force; }

  // Full Newton steps with predicted tensions, only limited in how far an edge may turn: brings a strand of any
  // slenderness close to equilibrium in some ten steps, where a search along the energy would creep. Nothing guards
  // the descent, so the caller checks where it ends.
  void stride(double load_factor) {
    potential.set_load_factor(load_factor);
    potential.gradient(displacement, work.gradient);
    std::vector<double> tension = potential.predicted_tension(0.0 * displacement);
    double best = std::numeric_limits<double>::infinity();
    for (int iteration = 0, idle = 0; iteration < most_strides && idle < most_idle; ++iteration, ++report.iterations) {
      const double residual = relative(work.gradient);
      if (!work.gradient.allFinite() || residual < near_equilibrium) break;
      // Near the equilibrium strides converge fast or have met the rounding; far from it they may well look idle.
      idle = residual > nearly_there || residual < 0.5 * best ? 0 : idle + 1;
      best = std::min(best, residual);
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
    if (report.status != SolveStatus::converged && report.residual < nearly_there) polish(tolerance);
    // No better than rounding can be had: that is converged too, and the residual says how far it went.
    if (report.status != SolveStatus::not_finite && report.residual <= relative(potential.rounding()))
      report.status = SolveStatus::converged;
    return report.status == SolveStatus::converged;
  }

  // Near the equilibrium the energy is too flat for a search along it: full steps, as long as the residual falls.
  void polish(double tolerance) {
    StaticPotential best = potential;
    for (int iteration = 0, idle = 0; iteration < most_strides && idle < 3; ++iteration, ++report.iterations) {
      potential.gradient(displacement, work.gradient);
      const double residual = relative(work.gradient);
      if (!(residual < nearly_there)) break;
      idle = residual < 0.5 * report.residual ? 0 : idle + 1;
      if (residual < report.residual) report.residual = residual, best = potential;
      if (residual <= tolerance) {
        report.status = SolveStatus::converged;
        break;
      }
      potential.factorise(displacement);
      potential.solve(work.gradient, work.descent);
      displacement = -work.descent;
      potential.recentre(displacement);
    }
    potential = best;
  }

  static constexpr int iterations_per_round = 15, most_strides = 150, most_idle = 8;
  static constexpr double near_equilibrium = 1e-6, nearly_there = 1e-3, largest_stride_turn = 0.6;
};

// The whole load at once; if that leads nowhere, the load in steps from none at all. Ends at the best pose found under
// the whole load, with that pose's residual.
StaticReport solve_rod(Rod& rod, const StaticOptions& options) {
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(Eigen::Index(rod.unknowns()));
  RodStatics statics{StaticPotential(rod, options.gravity), options, {}, still, {}};
  if (!statics.minimise(1.0, options.tolerance)) {
    const StaticPotential at_once = statics.potential;
    const StaticReport first = statics.report;
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
    if (reached < 1.0) {
      statics.potential = at_once;
      statics.report.status = first.status, statics.report.residual = first.residual;
    }
  }
  statics.report.negative_modes = statics.potential.negative_modes();
  rod = statics.potential.rod();
  return statics.report;
}

Vec3<double> read3(const Stream& state, int slot, int component) { return der::read3(state, slot, component, 1, 0); }

// Held unknowns a part of their way from `start` to their targets; frames follow.
void move_held(const Stream& start, double part, Rod& rod) {
  const Stream before = rod.state;
  for (int k = 0; k < rod.vertices; ++k)
    for (int c = 0; c < 4; ++c) {
      const int hold = rod.hold_of[std::size_t(k)];
      if (hold < 0 || rod.is_free(std::size_t(4 * k + c))) continue;
      const double from = start[std::size_t(k * L::components + c)];
      const double to = rod.holds[std::size_t(hold * HoldLayout::components + HoldLayout::target + c)];
      rod.state[std::size_t(k * L::components + c)] = part < 1.0 ? from + part * (to - from) : to;
      if (!rod.low.empty() && c < 3) rod.low[std::size_t(3 * k + c)] = 0.0;
    }
  carry_frames(before, rod.state, 0, rod.vertices, 1, 0);
}

// How far held vertices have to go, in edges, and held angles in radians.
double held_way(const Rod& rod) {
  double way = 0.0, mean_length = 0.0;
  for (int k = rod.first; k + 1 < rod.first + rod.user_vertices; ++k)
    mean_length += 1.0 / rod.parameter(k, ParameterLayout::inverse_rest_length) / double(rod.user_vertices - 1);
  for (int k = 0; k < rod.vertices; ++k)
    for (int c = 0; c < 4; ++c) {
      const int hold = rod.hold_of[std::size_t(k)];
      if (hold < 0 || rod.is_free(std::size_t(4 * k + c))) continue;
      const double to = rod.holds[std::size_t(hold * HoldLayout::components + HoldLayout::target + c)];
      // The last vertex has no edge of its own, nor has the ghost of a point clamp: the mean one serves all.
      const double scale = c < 3 ? 1.0 / mean_length : 1.0;
      way = std::max(way, std::abs(to - rod.state[std::size_t(k * L::components + c)]) * scale);
    }
  return way;
}

// A strand held at its root clamp alone follows the clamp as a rigid body: the best guess for where it will come to
// rest.
void carry_with_root(Rod& rod) {
  const auto target = [&](int slot, int c) {
    return rod.holds[std::size_t(rod.hold_of[std::size_t(slot)] * HoldLayout::components + HoldLayout::target + c)];
  };
  const Vec3<double> tangent = make_edge(read3(rod.state, 1, L::position) - read3(rod.state, 0, L::position)).tangent;
  const Vec3<double> new_origin = {target(0, 0), target(0, 1), target(0, 2)};
  const Vec3<double> new_tangent =
      make_edge(Vec3<double>{target(1, 0), target(1, 1), target(1, 2)} - new_origin).tangent;
  const Vec3<double> director = read3(rod.state, 0, L::director);
  const double theta = rod.state[L::theta];
  const Frame<double> frame = material_frame(tangent, director, theta);
  const Frame<double> new_frame =
      material_frame(new_tangent, transport_director_anywhere(tangent, new_tangent, director), target(0, 3));
  const auto turned = [&](const Vec3<double>& v) {
    return dot(v, frame.m1) * new_frame.m1 + dot(v, frame.m2) * new_frame.m2 + dot(v, tangent) * new_tangent;
  };
  const Vec3<double> origin = read3(rod.state, 0, L::position);
  for (int k = 0; k < rod.vertices; ++k) {
    double* const at = &rod.state[std::size_t(k * L::components)];
    store3(new_origin + turned(read3(rod.state, k, L::position) - origin), at + L::position);
    if (k + 1 < rod.vertices) store3(turned(read3(rod.state, k, L::director)), at + L::director);
  }
  for (int slot : {0, 1})
    for (int c = 0; c < 3; ++c) rod.state[std::size_t(slot * L::components + c)] = target(slot, c);
  rod.low.clear();
}

StaticReport solve_strand(const Strands& strands, std::size_t strand, const StaticOptions& options, Rod& rod) {
  for (int k = 0; k < rod.vertices; ++k)
    for (int c = 0; c < 4; ++c) rod.state[std::size_t(k * L::components + L::velocity + c)] = 0.0;
  const double way = held_way(rod);
  if (way == 0.0) return solve_rod(rod, options);
  const Clamps& clamps = strands.clamps(strand);
  if (clamps.root != Clamp::free && clamps.tip == Clamp::free && strands.holds_of(strand).empty()) {
    carry_with_root(rod);
    return solve_rod(rod, options);
  }
  // Held at several places: they go to their targets in pieces of half an edge, with an equilibrium after each.
  constexpr double longest_piece = 0.5, most_pieces = 400.0;
  const int pieces = int(std::ceil(std::min(way / longest_piece, most_pieces)));
  const Stream start = rod.state;
  StaticReport report;
  int iterations = 0, load_steps = 0;
  for (int i = 1; i <= pieces; ++i) {
    move_held(start, double(i) / pieces, rod);
    StaticOptions piece = options;
    if (i < pieces) piece.tolerance = std::max(options.tolerance, 1e-6);
    report = solve_rod(rod, piece);
    iterations += report.iterations, load_steps += report.load_steps;
  }
  report.iterations = iterations, report.load_steps = load_steps;
  return report;
}

}  // namespace

std::vector<StaticReport> solve_static(const Strands& strands, const Targets& targets, const StaticOptions& options,
                                       State& state) {
  std::vector<StaticReport> reports(strands.size());
  std::vector<Rod> rods(strands.size());
  parallel_for(strands.size(), [&](std::size_t s) {
    rods[s] = extract(strands, targets, state, s);
    reports[s] = solve_strand(strands, s, options, rods[s]);
    if (std::ranges::all_of(rods[s].state, [](double v) { return std::isfinite(v); })) return;
    rods[s] = extract(strands, targets, state, s);
    reports[s].status = SolveStatus::not_finite;
  });
  for (std::size_t s = 0; s < strands.size(); ++s) insert(rods[s], strands, s, state);
  return reports;
}

}  // namespace tendril::der
