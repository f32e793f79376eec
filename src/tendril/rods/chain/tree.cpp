#include "tendril/rods/chain/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/rods/chain/link_newton.hpp"
#include "tendril/rods/chain/newton_search.hpp"
#include "tendril/rods/chain/project.hpp"
#include "tendril/rods/chain/tree_order.hpp"

namespace tendril::chain {
namespace {

constexpr double no_length = 1e-14;    // of a link, that has no direction
constexpr double noise = 1e-9;         // of the objective, below which its decrease is not seen
constexpr double round_off = 1e-7;     // a residual that may stand still because of it
constexpr double settled = 1e-9;       // a residual at which a saddle is seen
constexpr double far_away = 0.1;       // a residual, above which the two-stage step is tried too
constexpr double very_far_away = 0.3;  // likewise, and the one that turns what stands on its head
constexpr double decrease = 1e-4;      // of the slope, that the two-stage step must reach (Armijo)
constexpr double kick_angle = 0.01;    // [rad], out of a saddle
constexpr int most_kicks = 3;
constexpr double uneven_masses = 100.0;  // ratio above which light nodes are looked at by themselves
constexpr double very_uneven_masses = 1e3;

// The link in its length; `otherwise` if it has no direction.
Vector3d in_length(const Vector3d& link, double length, const Vector3d& otherwise) {
  const double size = link.norm();
  return size > no_length * length ? Vector3d((length / size) * link) : otherwise;
}

// Projects one tree after the other, and keeps its memory. Positions are seen from the prediction of the root.
class TreeSolver {
 public:
  explicit TreeSolver(const Options& options) : options_(options) {}

  Outcome project(const Tree& tree, std::span<const std::uint32_t> nodes, std::span<const std::uint32_t> parent,
                  std::span<const std::uint32_t> link, TreeProjection& out) {
    if (nodes.size() < 2) return {};  // stays at its prediction
    load(tree, nodes, parent, link);
    const Outcome found = iterate();
    if (!std::isfinite(twice_)) return found;  // squares too large for a double: the prediction is better than that
    const Vector3d origin = tree.prediction[nodes[0]];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      out.positions[nodes[i]] = origin + x_[i];
      if (i > 0) out.multipliers[link[i]] = lam_[i];
    }
    return found;
  }

 private:
  using Vectors = std::vector<Vector3d>;
  using Numbers = std::vector<double>;

  void load(const Tree& tree, std::span<const std::uint32_t> nodes, std::span<const std::uint32_t> parent,
            std::span<const std::uint32_t> link) {
    const std::size_t n = nodes.size();
    for (Vectors* v : {&p_, &z_, &x_, &g_, &dx_, &trial_z_, &trial_x_, &best_z_, &best_x_})
      v->assign(n, Vector3d::Zero());
    for (Numbers* v : {&w_, &mass_, &length_, &lam_, &mu_, &D_, &hessian_mass_, &scalar_, &nothing_}) v->assign(n, 0.0);
    parent_ = parent;
    const Vector3d origin = tree.prediction[nodes[0]];
    double heaviest = 0.0, lightest = std::numeric_limits<double>::infinity();
    total_mass_ = mean_length_ = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      p_[i] = tree.prediction[nodes[i]] - origin;
      w_[i] = tree.inverse_mass[nodes[i]];
      if (i > 0) length_[i] = tree.length[link[i]], mean_length_ += length_[i] / double(n - 1);
      if (w_[i] == 0.0) continue;
      mass_[i] = 1.0 / w_[i], total_mass_ += mass_[i];
      heaviest = std::max(heaviest, mass_[i]), lightest = std::min(lightest, mass_[i]);
    }
    mass_ratio_ = heaviest / lightest;
    branches_ = {parent_, mass_, w_[0] == 0.0};
    set_start_links(tree.start.empty() ? tree.prediction : tree.start, nodes);
    twice_ = place(z_, x_), was_damped_ = false;
  }

  // A link without a direction takes that of the one before it, or else the first there is.
  void set_start_links(std::span<const Vector3d> start, std::span<const std::uint32_t> nodes) {
    Vector3d& first = z_[0];  // the root has no link: what follows looks as if it had
    first = Vector3d::UnitX();
    for (std::size_t i = z_.size(); i-- > 1;) {
      z_[i] = start[nodes[parent_[i]]] - start[nodes[i]];
      if (z_[i].norm() > no_length * length_[i]) first = z_[i];
    }
    for (std::size_t i = 1; i < z_.size(); ++i) {
      const Vector3d instead = in_length(z_[parent_[i]], length_[i], length_[i] * Vector3d::UnitX());
      z_[i] = in_length(z_[i], length_[i], instead);
    }
    first.setZero();
  }

  // The closest nodes with these links, and twice the objective: a held root stays, a free tree keeps its centre of
  // mass.
  double place(const Vectors& z, Vectors& x) const {
    x[0].setZero();
    for (std::size_t i = 1; i < x.size(); ++i) x[i] = x[parent_[i]] - z[i];
    if (!branches_.root_held) {
      Vector3d moment = Vector3d::Zero();
      for (std::size_t i = 0; i < x.size(); ++i) moment += mass_[i] * (p_[i] - x[i]);
      const Vector3d by = moment / total_mass_;
      for (Vector3d& at : x) at += by;
    }
    double twice = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) twice += mass_[i] * (p_[i] - x[i]).squaredNorm();
    return twice;
  }

  // trial := the links z + alpha R dx in their lengths, and its nodes. Returns twice the objective.
  double try_step(double alpha) {
    for (std::size_t i = 1; i < z_.size(); ++i)
      trial_z_[i] = in_length(z_[i] + alpha * (dx_[parent_[i]] - dx_[i]), length_[i], z_[i]);
    return place(trial_z_, trial_x_);
  }

  void take_trial(double twice) {
    std::swap(z_, trial_z_), std::swap(x_, trial_x_);
    twice_ = twice;
  }

  // g = M (p - x) - Rᵀ Qᵀ lam
  void set_residual() {
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] = mass_[i] * (p_[i] - x_[i]);
    for (std::size_t i = 1; i < g_.size(); ++i) {
      const Vector3d force = lam_[i] * z_[i];
      g_[i] += force;
      if (parent_[i] > 0 || !branches_.root_held) g_[parent_[i]] -= force;
    }
  }

  // Least-squares multipliers, those of Newton's equations with D = 0, and the residual; NaN if there are none.
  double measure() {
    std::ranges::fill(lam_, 0.0);
    set_residual();
    if (!newton_.eliminate(branches_, z_, nothing_)) return std::numeric_limits<double>::quiet_NaN();
    // Once more with unequal masses, with which the first time loses digits.
    for (int times = mass_ratio_ > very_uneven_masses ? 2 : 1; times-- > 0;) {
      newton_.solve(branches_, z_, nothing_, g_, dx_, mu_);
      for (std::size_t i = 1; i < lam_.size(); ++i) lam_[i] += mu_[i];
      set_residual();
    }
    double sum = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < g_.size(); ++i) {
      const double square = w_[i] * g_[i].squaredNorm();
      sum += square, largest = std::max(largest, w_[i] * square);
    }
    const double relative = std::sqrt(sum / total_mass_) / mean_length_;
    return mass_ratio_ > uneven_masses ? std::max(relative, std::sqrt(largest) / mean_length_) : relative;
  }

  // Whether A(lam) is positive definite: then no other tree is closer.
  bool is_convex() {
    Numbers& inner = scalar_;  // what a node feels of its subtree, without the link to its parent
    std::ranges::copy(mass_, inner.begin());
    for (std::size_t i = inner.size(); i-- > 1;) {
      const double pivot = inner[i] + lam_[i];
      if (!(pivot > 0.0)) return false;
      inner[parent_[i]] += lam_[i] * (inner[i] / pivot);
    }
    return branches_.root_held || inner[0] > 0.0;
  }

  // dx := the solution of A(D) dx = dx on nodes that are not held, D of each multiplier.
  void solve_nodes(double (*stiffness)(double)) {
    Numbers& inner = scalar_;
    std::ranges::copy(mass_, inner.begin());
    for (std::size_t i = inner.size(); i-- > 1;) {
      const double D = stiffness(lam_[i]), share = D / (inner[i] + D);
      inner[parent_[i]] += share * inner[i];
      dx_[parent_[i]] += share * dx_[i];
    }
    dx_[0] = branches_.root_held ? Vector3d::Zero() : Vector3d(dx_[0] / inner[0]);
    for (std::size_t i = 1; i < dx_.size(); ++i) {
      const double D = stiffness(lam_[i]);
      dx_[i] = (dx_[i] + D * dx_[parent_[i]]) / (inner[i] + D);
    }
  }

  // dx of A(max(lam, 0)) dx = g, which forgets that links keep their lengths. Returns g·dx.
  double two_stage_step() {
    std::ranges::copy(g_, dx_.begin());
    solve_nodes([](double lam) { return std::max(lam, 0.0); });
    return gain();
  }

  // As if all that pushes pulled instead: from a tree that stands on its head to one that hangs.
  void turned_step() {
    for (std::size_t i = 0; i < dx_.size(); ++i) dx_[i] = mass_[i] * p_[i];
    solve_nodes([](double lam) { return std::abs(lam); });
    for (std::size_t i = 0; i < dx_.size(); ++i) dx_[i] -= x_[i];
  }

  bool is_pushed() const { return std::ranges::min(lam_) < 0.0; }

  double gain() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < g_.size(); ++i) sum += g_[i].dot(dx_[i]);
    return sum;
  }

  // With masses that are heavier in the Hessian alone, or without multipliers that push. newton_ has branches_ with
  // hessian_mass_ and D_.
  bool eliminate(const Damping<double>& damping) {
    for (std::size_t i = 0; i < mass_.size(); ++i) hessian_mass_[i] = (1.0 + damping.heavier) * mass_[i];
    std::ranges::transform(lam_, D_.begin(), [&](double lam) { return damped(lam, damping); });
    return newton_.eliminate(hessian(), z_, D_);
  }
  Branches hessian() const { return {parent_, hessian_mass_, branches_.root_held}; }

  void keep_as_best() { std::swap(best_z_, trial_z_), std::swap(best_x_, trial_x_); }

  // Newton's step, or far from the solution another one if it is better. False if none leads on.
  bool step(double residual) {
    const double before = 0.5 * twice_;
    bool has_best = false;
    double best = before;
    if (options_.method == Method::hybrid && residual > far_away) {
      const double gained = two_stage_step(), value = 0.5 * try_step(1.0);
      if (value < before - decrease * gained) best = value, has_best = true, keep_as_best();
    }
    if (options_.method == Method::hybrid && residual > very_far_away && is_pushed()) {
      turned_step();
      const double value = 0.5 * try_step(1.0);
      if (value < best) best = value, has_best = true, keep_as_best();
    }
    const NewtonTask<double> task{true, has_best, before, noise};
    const auto factorise = [&](const Damping<double>& damping) { return eliminate(damping); };
    const auto solve = [&](const Damping<double>&) {
      newton_.solve(hessian(), z_, D_, g_, dx_, mu_);
      return gain();
    };
    const NewtonStep<double> newton =
        find_newton_step(task, factorise, solve, [&](double alpha) { return 0.5 * try_step(alpha); });
    was_damped_ = newton.is_damped;
    if (has_best ? newton.value < best : !newton.stalled) return take_trial(2.0 * newton.value), true;
    if (!has_best) return false;
    keep_as_best();  // back again
    return take_trial(2.0 * best), true;
  }

  // Every link turned a little, in directions that are the same in every run.
  void kick(int k) {
    Random random(std::uint64_t(k) + 1);
    for (std::size_t i = 1; i < z_.size(); ++i) {
      const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0), z = random.uniform(-1.0, 1.0);
      trial_z_[i] = in_length(z_[i] + kick_angle * length_[i] * Vector3d(x, y, z), length_[i], z_[i]);
    }
    take_trial(place(trial_z_, trial_x_));
  }

  Outcome iterate() {
    const bool is_two_stage = options_.method == Method::two_stage;
    double last = std::numeric_limits<double>::infinity();
    bool is_no_saddle = is_two_stage;
    double slow = 0.0;
    for (int k = 0, kicks = 0;; ++k) {
      const double residual = measure();
      const auto end = [&](Status status) {
        return Outcome{status, k, residual, is_stationary(status, residual, options_) && is_convex()};
      };
      if (!std::isfinite(residual) || !std::isfinite(twice_)) return end(Status::stalled);
      const bool is_last = k >= iteration_limit(options_);
      if (!is_no_saddle && residual <= std::max(settled, options_.tolerance)) {
        is_no_saddle = kicks >= most_kicks || is_convex() || newton_.eliminate(branches_, z_, lam_);
        if (!is_no_saddle && !is_last) {
          kick(k), ++kicks, last = std::numeric_limits<double>::infinity();
          continue;
        }
      }
      if (residual <= options_.tolerance) return end(Status::ok);
      if (residual <= round_off) slow += slowness<double>(residual, last, was_damped_, is_two_stage ? 1.0 : 0.5);
      if (slow >= too_slow) return end(Status::round_off);
      if (is_last) return end(Status::not_converged);
      if (is_two_stage)
        two_stage_step(), take_trial(try_step(1.0));
      else if (!step(residual))
        return end(residual <= round_off ? Status::round_off : Status::stalled);
      last = residual;
    }
  }

  const Options& options_;
  std::span<const std::uint32_t> parent_;
  Branches branches_;
  LinkNewton newton_;
  double total_mass_ = 0.0, mean_length_ = 0.0, mass_ratio_ = 1.0, twice_ = 0.0;
  bool was_damped_ = false;    // by the last step
  Numbers w_, mass_, length_;  // inverse mass and mass (0 of what is held), of links
  Vectors p_, z_, x_, g_;      // z_i = x_parent - x_i
  Numbers lam_, mu_, D_;       // of links, 0 of the root
  Vectors dx_, trial_z_, trial_x_, best_z_, best_x_;
  Numbers hessian_mass_, scalar_, nothing_;
};

bool is_general(const Tree& tree) { return tree.slack || !tree.stiffness.empty() || !tree.compliance.empty(); }

// With joints, compliance and slack, from where the same tree is without (general_chain.hpp). Ends have no joints.
Outcome project_generally(const Tree& tree, std::span<const std::uint32_t> nodes, std::span<const std::uint32_t> parent,
                          std::span<const std::uint32_t> link, const Options& options, TreeProjection& out) {
  const std::size_t n = nodes.size();
  if (n < 2) return {};
  std::vector<Vector3d> prediction, start, rest;
  std::vector<double> inverse_mass, length, compliance, stiffness;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t node = nodes[i];
    prediction.push_back(tree.prediction[node]), start.push_back(out.positions[node]);
    inverse_mass.push_back(tree.inverse_mass[node]);
    if (i > 0) length.push_back(tree.length[link[i]]);
    if (i > 0 && !tree.compliance.empty()) compliance.push_back(tree.compliance[link[i]]);
    if (tree.stiffness.empty()) continue;
    const bool is_joint = i > 0 && i + 1 < n && parent[i + 1] == i;
    stiffness.push_back(is_joint ? tree.stiffness[node] : 0.0);
    rest.push_back(is_joint ? tree.rest[node] : Vector3d::Zero());
  }
  const std::vector<double> shares(n - 1, 1.0);
  const std::uint32_t offsets[] = {0, std::uint32_t(n)};
  Chains chains{prediction, inverse_mass, length, offsets, start, compliance};
  if (!stiffness.empty()) chains.joints = {stiffness, shares, rest, parent};
  chains.slack = tree.slack, chains.parents = parent;
  Projections found;
  Projector().project(chains, options, found);
  for (std::size_t i = 0; i < n; ++i) {
    out.positions[nodes[i]] = found.positions[i];
    if (i > 0) out.multipliers[link[i]] = found.multipliers[i - 1];
  }
  return found.chains.front();
}

}  // namespace

TreeProjection project_tree(const Tree& tree, const Options& options) {
  const std::size_t n = tree.prediction.size();
  TreeProjection out{{tree.prediction.begin(), tree.prediction.end()}, std::vector<double>(n, 0.0), {}};
  const bool can = options.method <= Method::newton && !(is_general(tree) && options.method == Method::two_stage);
  const std::optional<TreeOrder> order = can ? order_of(tree) : std::nullopt;
  if (!order) {
    out.outcome = {Status::bad_input, 0, std::numeric_limits<double>::quiet_NaN(), false};
    return out;
  }
  TreeSolver solver(options);
  for (std::size_t t = 0; t + 1 < order->offsets.size(); ++t) {
    const std::size_t begin = order->offsets[t], count = order->offsets[t + 1] - begin;
    const auto part = [&](const std::vector<std::uint32_t>& of) { return std::span(of).subspan(begin, count); };
    const Outcome links = solver.project(tree, part(order->nodes), part(order->parent), part(order->link), out);
    const auto generally = [&] {
      return project_generally(tree, part(order->nodes), part(order->parent), part(order->link), options, out);
    };
    add(is_general(tree) ? generally() : links, out.outcome);
  }
  return out;
}

}  // namespace tendril::chain
