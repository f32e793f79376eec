// What is left unbalanced at the end of a step, and the tensions that leave the least (docs/theory/chain.md,
// "Tension").
#include <algorithm>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/chain/one_step.hpp"
#include "tendril/rods/link_balance.hpp"

namespace tendril::chain {

double OneStep::balance_at(std::span<const Vector3d> x, std::span<const Vector3d> contact, const Strands& strands,
                           const Clamped& before, const Ends& ends, const Surroundings& around, const Motion& motion,
                           std::vector<double>& tensions) {
  begin_step(strands, before, ends, around, motion);
  parallel_for(strands.size(), [&](std::size_t b) { prepare(b); });
  projected_.positions.assign(x.begin(), x.end());
  contact_ = contact;
  return balance(tensions);
}

double OneStep::residual() const { return balance(tensions_); }

double OneStep::balance(std::vector<double>& tensions) const {
  const Trees& trees = strands_->trees();
  tensions.resize(strands_->lengths().size());
  residuals_.assign(blocks_.size() + trees.size(), 0.0);
  parallel_for(blocks_.size(), [&](std::size_t b) {
    if (!is_tied(b)) residuals_[b] = balance_strand(b, tensions);
  });
  parallel_for(trees.size(), [&](std::size_t t) { residuals_[blocks_.size() + t] = balance_tree(t, tensions); });
  return residuals_.empty() ? 0.0 : std::ranges::max(residuals_);
}

// [kg m], h² times the force that is left for links and joints to balance.
Vector3d OneStep::push_at(std::size_t v) const {
  const double squared = step_ * step_;
  Vector3d push = inertia_[v] * (aim_[v] - projected_.positions[v]);
  if (!contact_.empty()) push += squared * contact_[v];
  if (!around_->expected.empty()) push -= squared * around_->expected[v];
  return push;
}

double OneStep::load_at(std::size_t v) const {
  const double squared = step_ * step_;
  return strands_->mass(v) * (squared * around_->gravity.norm() + step_ * motion_->v[v].norm()) +
         squared * strands_->force(v).norm();
}

// Whatever tension balances best is the links' to give.
double OneStep::balance_strand(std::size_t b, std::span<double> tensions) const {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  const auto x = of(projected_.positions, b);
  const auto tension = tensions.subspan(strands_->link(b, 0), n - 1);
  thread_local std::vector<Vector3d> push, along, free;
  push.resize(n), along.resize(n - 1), free.resize(n);
  double load = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    push[i] = push_at(first + i), load = std::max(load, load_at(first + i));
    free[i].setConstant(strands_->is_held(first + i) ? 0.0 : 1.0);
    if (i + 1 < n) along[i] = (x[i + 1] - x[i]).normalized();
  }
  add_bending_force(joints_of_block(b), x, push);
  balance_links(free, along, push, tension);
  double largest = 0.0;
  for (const Vector3d& left : push) largest = std::max(largest, left.norm());
  for (double& pull : tension) pull /= step_ * step_;
  return load > 0.0 ? largest / load : 0.0;
}

// The same least squares are Newton's system with masses of 1: what it moves is what no tension balances.
double OneStep::balance_tree(std::size_t tree, std::span<double> tensions) const {
  const Trees& trees = strands_->trees();
  const auto vertices = trees.vertices(tree), links = trees.links(tree), parents = trees.parents(tree);
  const std::size_t n = vertices.size();
  thread_local Selection all;
  thread_local std::vector<Vector3d> x, g, t;
  thread_local std::vector<char> is_free, has_direction;
  thread_local std::vector<double> ones, none, tension;
  thread_local BendingMatrix unbent;
  thread_local KktTree system;
  all.clear(), x.resize(n), g.resize(n), t.resize(n - 1), is_free.resize(n), has_direction.resize(n - 1);
  ones.assign(n, 1.0), none.assign(n - 1, 0.0), tension.assign(n - 1, 0.0), unbent.assemble({}, n);
  double load = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t v = vertices[i];
    x[i] = projected_.positions[v], g[i] = push_at(v), load = std::max(load, load_at(v));
    is_free[i] = strands_->is_held(v) ? 0 : 1;
    all.stiffness.push_back(stiffness_[v]), all.rest.push_back(rest_[v]);
    if (i == 0) continue;
    t[i - 1] = (x[parents[i]] - x[i]).normalized(), select_link(links[i - 1], all);
    has_direction[i - 1] = t[i - 1].isZero(0.0) ? 0 : 1;  // a slack one may have none
  }
  for (const auto& [v, node] : trees.twins(tree)) g[node] += push_at(v);
  if (strands_->is_bent()) add_bending_force({all.stiffness, all.share, all.rest, parents}, x, g);
  for (std::size_t i = 0; i < n; ++i) g[i] *= double(is_free[i]);
  if (!system.factorise({ones, is_free, unbent, none, {}, has_direction, parents}, t))
    return std::numeric_limits<double>::infinity();
  system.solve(g, tension);
  double largest = 0.0;
  for (const Vector3d& left : g) largest = std::max(largest, left.norm());
  for (std::size_t k = 0; k + 1 < n; ++k) tensions[links[k]] = tension[k] / (step_ * step_);
  return load > 0.0 ? largest / load : 0.0;
}

}  // namespace tendril::chain
